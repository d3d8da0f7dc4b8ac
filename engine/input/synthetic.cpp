// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the synthetic pictures row by row: sky and clouds, mountains, a lake that mirrors them, a meadow with flowers
// that leave the depth of field, and sensor noise on top. Integers throughout, see fractal_noise.h.
#include "engine/input/synthetic.h"

#include "engine/input/fractal_noise.h"
#include "engine/input/synthetic_scene.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace lanewright {

namespace synthetic {

namespace {

std::int32_t clampToOne(std::int32_t value) { return std::clamp(value, 0, one); }

/// Share of the way from `from` to `to` at which `value` lies, kept within 0 and `one`.
std::int32_t shareBetween(std::int32_t from, std::int32_t to, std::int32_t value) {
    const std::int64_t way = std::max(1, to - from);
    return static_cast<std::int32_t>(std::clamp<std::int64_t>((std::int64_t{value} - from) * one / way, 0, one));
}

/// Share of the pixel in row `line` that lies below an outline.
std::int32_t coverBelow(std::int32_t outline, std::int32_t line) {
    return clampToOne((line - outline) * (one >> edgeBits));
}

/// The middle of a row in an outline's units.
std::int32_t lineOf(std::int32_t y) { return (y << edgeBits) + (1 << (edgeBits - 1)); }

/// Paints rows; holds the scene, its noise and the row in work.
class Painter {
public:
    explicit Painter(const SyntheticSpec& spec);

    void paint(std::int32_t y, std::uint8_t* rgb);

private:
    Painter(const SyntheticSpec& spec, Random seeds);

    void paintLandscape(std::int32_t y);
    void paintSky(std::int32_t y);
    void paintRidge(const Ridge& ridge, std::int32_t y);
    void paintWater(std::int32_t y);
    void paintMeadow(std::int32_t y);
    void paintDisc(const Disc& disc, std::int32_t y);
    void develop(std::int32_t y, std::uint8_t* rgb) const;

    Scene m_scene;
    std::int32_t m_reliefStep;  ///< distance of the two samples whose difference is light and shade
    std::uint64_t m_grainSeed;
    std::array<Row, 3> m_colour;
    std::array<Row, 3> m_mirrored;
    FractalNoise m_clouds;
    FractalNoise m_rock;
    FractalNoise m_ripples;
    FractalNoise m_patches;
    FractalNoise m_blades;
};

Painter::Painter(const SyntheticSpec& spec) : Painter(spec, Random(~spec.seed)) {}

Painter::Painter(const SyntheticSpec& spec, Random seeds)
    : m_scene(spec),
      m_reliefStep(1 + m_scene.length(2)),
      m_grainSeed(seeds.next()),
      m_clouds(seeds.next(), spec.width, -1),
      m_rock(seeds.next(), spec.width + m_reliefStep, 0),
      m_ripples(seeds.next(), spec.width, -3),
      m_patches(seeds.next(), spec.width, -1),
      m_blades(seeds.next(), spec.width, 2) {
    for (Row& row : m_colour) {
        row.resize(static_cast<std::size_t>(spec.width));
    }
    m_mirrored = m_colour;
}

void Painter::paint(std::int32_t y, std::uint8_t* rgb) {
    if (m_scene.lake && y >= m_scene.shore) {
        paintWater(y);
    } else {
        paintLandscape(y);
    }
    paintMeadow(y);
    for (const Disc& disc : m_scene.discs) {
        paintDisc(disc, y);
    }
    develop(y, rgb);
}

void Painter::paintLandscape(std::int32_t y) {
    const auto& ridges = m_scene.ridges;
    std::size_t first = ridges.size();  // nearest ridge that covers the whole row, if any
    while (first > 0 && ridges[first - 1].lowest + 2 > y) {
        --first;
    }
    if (first == 0) {
        paintSky(y);
    } else {
        --first;
    }
    for (std::size_t i = first; i < ridges.size(); ++i) {
        if (y >= ridges[i].highest - 1) {
            paintRidge(ridges[i], y);
        }
    }
}

void Painter::paintSky(std::int32_t y) {
    const Palette& palette = m_scene.palette;
    const Colour base = mix(palette.zenith, palette.horizon, shareBetween(0, m_scene.shore, y));
    const Row& clouds = m_clouds.row(y, fallingAmplitudes(m_scene.coarsestOctave(), 1, one, one * 5 / 8));
    const std::int64_t halo = m_scene.length(140);
    const std::int64_t disc = m_scene.length(14);
    const std::int64_t dy = y - m_scene.sunY;
    const auto glow = [&](std::int64_t x) {
        const std::int64_t distance = (x - m_scene.sunX) * (x - m_scene.sunX) + dy * dy + 1;
        const std::int64_t wide = one * halo * halo / (halo * halo + distance);
        const std::int64_t narrow = one * disc * disc / (disc * disc + distance);
        return static_cast<std::int32_t>(std::min<std::int64_t>(one, wide * 3 / 5 + narrow * 2));
    };
    constexpr std::int32_t stride = 16;  // the glow is smooth: computed at every 16th pixel
    for (std::int32_t left = 0; left < m_scene.width; left += stride) {
        std::int32_t sun = glow(left) << 4;
        const std::int32_t step = glow(left + stride) - glow(left);
        for (std::int32_t x = left; x < std::min(left + stride, m_scene.width); ++x, sun += step) {
            const auto i = static_cast<std::size_t>(x);
            const std::int32_t cover = clampToOne(clouds[i] * 3 / 2 + m_scene.cloudiness) * 7 / 8;
            for (std::size_t c = 0; c < 3; ++c) {
                m_colour[c][i] = mix(mix(base[c], palette.cloud[c], cover), palette.sun[c], sun >> 4);
            }
        }
    }
}

void Painter::paintRidge(const Ridge& ridge, std::int32_t y) {
    const Row& rock = m_rock.row(y, fallingAmplitudes(m_scene.coarsestOctave(), 1, one * 3, one * 3 / 4));
    const std::int32_t mist = shareBetween(ridge.highest, ridge.foot, y);
    const Colour base = mix(ridge.colour, ridge.mist, mist);
    const std::int32_t relief = mix(ridge.relief, ridge.relief / 4, mist);
    for (std::size_t i = 0; i < m_colour[0].size(); ++i) {
        const std::int32_t cover = coverBelow(ridge.top[i], lineOf(y));
        if (cover == 0) {
            continue;
        }
        const std::int32_t slope = rock[i + static_cast<std::size_t>(m_reliefStep)] - rock[i];
        const std::int32_t light = one + (std::clamp(slope, -one, one) * relief >> 14);
        for (std::size_t c = 0; c < 3; ++c) {
            m_colour[c][i] = mix(m_colour[c][i], base[c] * light >> 12, cover);
        }
    }
}

void Painter::paintWater(std::int32_t y) {
    const std::int32_t depth = y - m_scene.shore;
    const std::int32_t near = shareBetween(m_scene.shore, m_scene.height, y);
    paintLandscape(std::max(0, m_scene.shore - 1 - depth));
    m_mirrored.swap(m_colour);
    const Row& ripples = m_ripples.row(y, fallingAmplitudes(m_scene.coarsestOctave() - 3, 1, one, one * 7 / 8));
    const std::int32_t reach = m_scene.length(10) * near >> 12;
    const std::int32_t last = m_scene.width - 1;
    for (std::int32_t x = 0; x <= last; ++x) {
        const auto i = static_cast<std::size_t>(x);
        const auto from = static_cast<std::size_t>(std::clamp(x + (ripples[i] * reach >> 12), 0, last));
        const std::int32_t glint = one + (ripples[i] * (one / 8 + near / 2) >> 14);
        for (std::size_t c = 0; c < 3; ++c) {
            const std::int32_t seen = mix(m_mirrored[c][from], m_scene.palette.water[c], one / 5 + near / 3);
            m_colour[c][i] = seen * glint >> 12;
        }
    }
}

/// Octaves of the grass: towards the viewer blades grow by three octaves, and the finest leave the depth of field.
FractalNoise::Amplitudes bladeAmplitudes(std::int32_t near, std::int32_t contrast) {
    FractalNoise::Amplitudes amplitudes{};
    for (std::int32_t k = 0; k < 9; ++k) {
        const std::int32_t sharp = clampToOne(one + (k + 1) * one - near * 3);
        const std::int32_t small = clampToOne(4 * one + near * 3 - k * one);
        amplitudes[static_cast<std::size_t>(k)] = std::min(sharp, small) * contrast >> 12;
    }
    return amplitudes;
}

void Painter::paintMeadow(std::int32_t y) {
    if (y < m_scene.meadowHighest - m_scene.length(10)) {
        return;
    }
    const Palette& palette = m_scene.palette;
    const std::int32_t near = shareBetween(m_scene.meadowHighest, m_scene.height, y);
    const Row& patches = m_patches.row(y, fallingAmplitudes(m_scene.coarsestOctave(), 3, one, one * 5 / 8));
    const Row& blades = m_blades.row(y, bladeAmplitudes(near, m_scene.grassContrast));
    const std::int32_t brightness = mix(one * 9 / 8, one * 5 / 8, near);
    for (std::size_t i = 0; i < m_colour[0].size(); ++i) {
        const std::int32_t cover = coverBelow(m_scene.meadow[i] - (blades[i] >> 6), lineOf(y));
        if (cover == 0) {
            continue;
        }
        const std::int32_t dry = clampToOne(one / 2 + patches[i] + blades[i] / 4);
        const std::int32_t light = brightness + (blades[i] >> 2) + (patches[i] >> 3);
        for (std::size_t c = 0; c < 3; ++c) {
            const std::int32_t lit = mix(palette.grass[c], palette.dryGrass[c], dry) * light >> 12;
            m_colour[c][i] = mix(m_colour[c][i], lit, cover);
        }
    }
}

void Painter::paintDisc(const Disc& disc, std::int32_t y) {
    const std::int64_t dy = y - disc.y;
    if (std::abs(dy) >= disc.radius) {
        return;
    }
    const std::int64_t square = std::int64_t{disc.radius} * disc.radius;
    for (std::int32_t x = std::max(0, disc.x - disc.radius); x < std::min(m_scene.width, disc.x + disc.radius); ++x) {
        const std::int64_t inside = square - dy * dy - std::int64_t{x - disc.x} * (x - disc.x);
        if (inside <= 0) {
            continue;
        }
        const auto rim = static_cast<std::int32_t>(inside * one * disc.steepness / 2 / square);
        const std::int32_t cover = clampToOne(rim) * disc.opacity >> 12;
        for (std::size_t c = 0; c < 3; ++c) {
            std::int32_t& sample = m_colour[c][static_cast<std::size_t>(x)];
            sample = mix(sample, disc.colour[c], cover);
        }
    }
}

void Painter::develop(std::int32_t y, std::uint8_t* rgb) const {
    const std::uint32_t salt = hashRow(m_grainSeed, 0, y);
    const auto byte = [](std::uint32_t bits, int shift) { return static_cast<std::int32_t>(bits >> shift & 255u); };
    for (std::size_t i = 0; i < m_colour[0].size(); ++i) {
        const std::uint32_t bits = hashPoint(salt, static_cast<std::uint32_t>(i));
        const std::int32_t grain = byte(bits, 0) + byte(bits, 8) - 255;
        const std::array<std::int32_t, 3> tint{byte(bits, 16) - 128, 0, byte(bits, 24) - 128};
        for (std::size_t c = 0; c < 3; ++c) {
            const std::int32_t noise = (grain + tint[c] / 2) * 7 >> 3;
            const std::int32_t value = (m_colour[c][i] + noise + (1 << (colourBits - 1))) >> colourBits;
            rgb[3 * i + c] = static_cast<std::uint8_t>(std::clamp(value, 0, 255));
        }
    }
}

}  // namespace

}  // namespace synthetic

std::uint64_t syntheticSeed(std::uint64_t setSeed, std::uint64_t index) {
    return synthetic::Random(setSeed ^ synthetic::Random(index).next()).next();
}

void renderSynthetic(const SyntheticSpec& spec, std::int32_t firstRow, std::int32_t lastRow,
                     std::span<std::uint8_t> rows) {
    const std::size_t stride = static_cast<std::size_t>(spec.width) * 3;
    assert(rows.size() >= stride * static_cast<std::size_t>(lastRow - firstRow));
    synthetic::Painter painter(spec);
    for (std::int32_t y = firstRow; y < lastRow; ++y) {
        painter.paint(y, rows.data() + stride * static_cast<std::size_t>(y - firstRow));
    }
}

}  // namespace lanewright
