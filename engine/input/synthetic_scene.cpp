// SPDX-License-Identifier: GPL-3.0-or-later
// Lays out a synthetic landscape: palette, sun, ridges from far to near, lake, meadow and flowers.
#include "engine/input/synthetic_scene.h"

#include "engine/input/fractal_noise.h"

#include <algorithm>
#include <bit>

namespace lanewright::synthetic {

namespace {

constexpr Colour rgb(std::uint32_t hex) {
    return {static_cast<std::int32_t>(hex >> 16) << colourBits, static_cast<std::int32_t>(hex >> 8 & 255) << colourBits,
            static_cast<std::int32_t>(hex & 255) << colourBits};
}

constexpr std::array palettes{
    // clear morning
    Palette{rgb(0x3d6fae), rgb(0xd9e4e6), rgb(0xfff6dc), rgb(0xf7f5f2), rgb(0x8197b0), rgb(0x2c4038), rgb(0x2b4f63),
            rgb(0x4f7a2c), rgb(0x9aa348), rgb(0xe8c53a), rgb(0xf3efe6)},
    // sunset
    Palette{rgb(0x35447c), rgb(0xf2a96b), rgb(0xfff0c0), rgb(0xd98a72), rgb(0x7d6a8c), rgb(0x2a2a38), rgb(0x3b3a5a),
            rgb(0x4c5226), rgb(0x9a7a3c), rgb(0xd9523c), rgb(0xf0b860)},
    // autumn haze
    Palette{rgb(0x7f9db5), rgb(0xefe2c8), rgb(0xfff8e4), rgb(0xfaf4ea), rgb(0x9a9ba0), rgb(0x6a4a26), rgb(0x4a5a5c),
            rgb(0x7a7430), rgb(0xb98a3e), rgb(0xb8442a), rgb(0xe2a63a)},
    // dawn in rose
    Palette{rgb(0x5a78b4), rgb(0xf3c6c4), rgb(0xfff1e6), rgb(0xf0b9c0), rgb(0x8f8fb8), rgb(0x36465e), rgb(0x4a5c86),
            rgb(0x3f6b3c), rgb(0x8a9a5c), rgb(0xb070c0), rgb(0xf0d4e4)},
    // after rain
    Palette{rgb(0x5b7488), rgb(0xc8d2d2), rgb(0xf4f6ee), rgb(0xb4bec4), rgb(0x6f8590), rgb(0x1f3a30), rgb(0x35525a),
            rgb(0x3a7030), rgb(0x7c9444), rgb(0xf0f0f4), rgb(0x6f86d8)},
};

std::int32_t thousandthsOf(std::int32_t whole, std::int32_t thousandths) {
    return static_cast<std::int32_t>(std::int64_t{whole} * thousandths / 1000);
}

std::int32_t toEdge(std::int32_t length, std::int32_t share) {
    return static_cast<std::int32_t>((std::int64_t{length} << edgeBits) * share >> 12);
}

}  // namespace

std::int32_t Scene::length(std::int32_t thousandths) const {
    return thousandthsOf(std::max(width, height), thousandths);
}

int Scene::coarsestOctave() const {
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(std::max(width, height))));
    return std::clamp(bits - 2, 0, FractalNoise::octaves - 1);
}

Scene::Scene(const SyntheticSpec& spec) : width(spec.width), height(spec.height) {
    Random random(spec.seed);
    palette = palettes[static_cast<std::size_t>(random.between(0, static_cast<std::int32_t>(palettes.size()) - 1))];
    lake = random.between(0, 9) < 7;
    shore = thousandthsOf(height, random.between(420, 560));
    sunX = thousandthsOf(width, random.between(120, 880));
    sunY = thousandthsOf(shore, random.between(200, 750));
    cloudiness = random.between(-one / 2, one / 8);
    grassContrast = random.between(one / 3, one);
    const std::int32_t count = random.between(3, 5);
    for (std::int32_t i = 0; i < count; ++i) {
        const std::int32_t distance = one - one * i / (count - 1);
        const std::int32_t base = shore - thousandthsOf(height, 15 + 130 * distance / one);
        addRidge(random, base, length(35 + 105 * distance / one), distance);
    }
    addMeadow(random);
    addFlowers(random);
}

/// One row of noise from octave `coarsest` down to single pixels, each `decay` of the one before.
Row Scene::outline(Random& random, int coarsest, std::int32_t decay) const {
    return FractalNoise(random.next(), width, 0).row(0, fallingAmplitudes(coarsest, 0, one, decay));
}

/// `size`: how far the outline leaves `base`; `distance`: `one` for the farthest ridge, 0 for the nearest.
void Scene::addRidge(Random& random, std::int32_t base, std::int32_t size, std::int32_t distance) {
    Ridge ridge;
    ridge.colour = mix(palette.nearRidge, palette.farRidge, distance);
    ridge.mist = mix(ridge.colour, palette.horizon, random.between(one / 2, one * 7 / 8));
    ridge.relief = mix(one * 2, one * 3 / 4, distance);
    ridge.top = outline(random, coarsestOctave() - (distance > one / 2 ? 0 : 1), one / 2);
    for (std::int32_t& top : ridge.top) {
        // Far mountains have the sharp crests that absolute values give, near hills the round ones of the noise itself.
        const std::int32_t crest = (one / 4 - std::abs(top)) * 2;
        top = (base << edgeBits) - toEdge(size, mix(top, crest, distance));
    }
    if (distance < one / 2) {
        addTrees(random, ridge.top);
    }
    const auto [highest, lowest] = std::minmax_element(ridge.top.begin(), ridge.top.end());
    ridge.highest = *highest >> edgeBits;
    ridge.lowest = *lowest >> edgeBits;
    ridge.foot = base + size / 2;
    ridges.push_back(std::move(ridge));
}

/// Conifers: spikes of random height along the outline, most cells with one.
void Scene::addTrees(Random& random, Row& top) const {
    const std::int32_t cell = std::max(2, length(3));
    for (std::int32_t left = -cell; left < width + cell; left += cell) {
        const std::int32_t x = left + random.between(0, cell - 1);
        const std::int32_t tall = random.between(cell / 2, cell * 4) << edgeBits;
        if (x < 0 || x >= width || random.between(0, 4) == 0) {
            continue;
        }
        const std::int32_t tip = top[static_cast<std::size_t>(x)] - tall;
        for (std::int32_t away = -cell; away <= cell; ++away) {
            const std::int32_t branch = std::abs(away) * 5 + std::abs(away) % 3 * 3;
            if (x + away >= 0 && x + away < width) {
                std::int32_t& here = top[static_cast<std::size_t>(x + away)];
                here = std::min(here, tip + (branch << edgeBits));
            }
        }
    }
}

void Scene::addMeadow(Random& random) {
    const std::int32_t base =
        lake ? thousandthsOf(height, random.between(690, 800)) : shore + thousandthsOf(height, random.between(20, 60));
    meadow = outline(random, coarsestOctave(), one * 3 / 8);
    for (std::int32_t& top : meadow) {
        top = (base << edgeBits) - toEdge(length(45), top);
    }
    meadowHighest = *std::min_element(meadow.begin(), meadow.end()) >> edgeBits;
}

/// Flowers from far to near: small and sharp at the meadow's crest, large and blurred at the lower edge.
void Scene::addFlowers(Random& random) {
    const std::int32_t count = random.between(60, 300);
    for (std::int32_t i = 0; i < count; ++i) {
        const std::int32_t share = one * i / count;
        const std::int32_t near = share * share / one * share / one;
        Disc disc;
        disc.radius = std::max(1, length(1) + toEdge(length(30), near) / (1 << edgeBits) * random.between(2, 8) / 8);
        disc.x = random.between(0, width - 1);
        disc.y = meadowHighest + length(20) + toEdge(height - meadowHighest, share) / (1 << edgeBits);
        disc.colour = mix(palette.flower, palette.otherFlower, random.between(0, one));
        disc.opacity = mix(one * 7 / 8, one / 3, share);
        disc.steepness = mix(10, 3, share);
        discs.push_back(disc);
    }
}

}  // namespace lanewright::synthetic
