// SPDX-License-Identifier: GPL-3.0-or-later
// Reproducible randomness of the synthetic pictures: a small generator and fractal noise that is made row by row. All
// of it integers, because a compiler may fuse float operations on one machine and not on another.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace lanewright::synthetic {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}

    std::uint64_t next() {
        m_state += 0x9e3779b97f4a7c15u;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    std::int32_t between(std::int32_t low, std::int32_t high) {
        return low + static_cast<std::int32_t>(next() % static_cast<std::uint64_t>(high - low + 1));
    }

private:
    std::uint64_t m_state;
};

/// Well-mixed bits of one lattice point (the finalizer of MurmurHash3).
inline std::uint32_t hashPoint(std::uint32_t rowSalt, std::uint32_t x) {
    std::uint32_t h = rowSalt + x * 0x9e3779b1u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

inline std::uint32_t hashRow(std::uint64_t seed, std::uint32_t level, std::int32_t y) {
    Random random(seed + (static_cast<std::uint64_t>(level) << 32) + static_cast<std::uint32_t>(y));
    return static_cast<std::uint32_t>(random.next());
}

/// Fractal noise row by row: octave k is random values on a lattice of 2^k pixels, smoothed by quadratic B-splines. The
/// octaves are added from coarse to fine while the row is refined by Chaikin's corner cutting, so a row costs about two
/// additions a pixel however many octaves there are.
class FractalNoise {
public:
    static constexpr int octaves = 14;
    using Amplitudes = std::array<std::int32_t, octaves>;  ///< finest octave (one pixel) first; 4096 is +-1

    /// `stretch`: base-2 logarithm of a lattice cell's height over its width.
    FractalNoise(std::uint64_t seed, std::int32_t width, int stretch) : m_seed(seed), m_stretch(stretch) {
        std::size_t count = static_cast<std::size_t>(width);
        for (Level& level : m_levels) {
            level.count = count;
            count = (count + 1) / 2 + 1;
        }
    }

    /// The noise of row y, valid until the next call. Rows may come in any order; neighbours are cheapest.
    const std::vector<std::int32_t>& row(std::int32_t y, const Amplitudes& amplitudes) {
        m_coarse.assign(m_levels.back().count, 0);
        for (std::uint32_t k = octaves; k-- > 0;) {
            Level& level = m_levels[k];
            if (k + 1 < octaves) {
                refine(level.count);
            }
            if (amplitudes[k] != 0) {
                add(level, k, y, amplitudes[k]);
            }
        }
        return m_coarse;
    }

private:
    struct Lattice {
        std::int64_t y = std::numeric_limits<std::int64_t>::min();
        std::vector<std::int16_t> values;
    };
    struct Level {
        std::size_t count = 0;
        std::array<Lattice, 3> lattices;  ///< by lattice row modulo 3
    };

    void refine(std::size_t count) {
        m_fine.resize(count);
        const std::int32_t* from = m_coarse.data();
        std::int32_t* to = m_fine.data();
        for (std::size_t i = 0; i < count / 2; ++i) {
            to[2 * i] = (3 * from[i] + from[i + 1] + 2) >> 2;
            to[2 * i + 1] = (from[i] + 3 * from[i + 1] + 2) >> 2;
        }
        if (count % 2 != 0) {
            to[count - 1] = (3 * from[count / 2] + from[count / 2 + 1] + 2) >> 2;
        }
        m_coarse.swap(m_fine);
    }

    const std::int16_t* lattice(Level& level, std::uint32_t k, std::int64_t y) {
        Lattice& lattice = level.lattices[static_cast<std::size_t>((y % 3 + 3) % 3)];
        if (lattice.y != y) {
            lattice.y = y;
            lattice.values.resize(level.count);
            const std::uint32_t salt = hashRow(m_seed, k, static_cast<std::int32_t>(y));
            std::int16_t* values = lattice.values.data();
            for (std::size_t i = 0; i < level.count; ++i) {
                values[i] = static_cast<std::int16_t>(hashPoint(salt, static_cast<std::uint32_t>(i)) >> 16);
            }
        }
        return lattice.values.data();
    }

    void add(Level& level, std::uint32_t k, std::int32_t y, std::int32_t amplitude) {
        const int shift = std::max(0, static_cast<int>(k) + m_stretch);
        const std::int64_t cell = y >> shift;
        const std::int32_t phase =
            static_cast<std::int32_t>((((y - (cell << shift)) * 2 + 1) << 7) >> shift);  // of 256
        const std::int32_t below = amplitude * phase * phase >> 17;
        const std::int32_t above = amplitude * (256 - phase) * (256 - phase) >> 17;
        const std::int32_t middle = amplitude - below - above;
        const std::int16_t* first = lattice(level, k, cell - 1);
        const std::int16_t* second = lattice(level, k, cell);
        const std::int16_t* third = lattice(level, k, cell + 1);
        std::int32_t* sum = m_coarse.data();
        for (std::size_t i = 0; i < level.count; ++i) {
            sum[i] += (first[i] * above + second[i] * middle + third[i] * below) >> 15;
        }
    }

    std::uint64_t m_seed;
    int m_stretch;
    std::array<Level, octaves> m_levels;
    std::vector<std::int32_t> m_coarse;
    std::vector<std::int32_t> m_fine;
};

/// Amplitudes of octaves `coarsest` down to `finest`: the coarsest has `amplitude`, each finer one `decay` (over 4096) of
/// the one before.
inline FractalNoise::Amplitudes fallingAmplitudes(int coarsest, int finest, std::int32_t amplitude,
                                                  std::int32_t decay) {
    FractalNoise::Amplitudes amplitudes{};
    for (int k = coarsest; k >= std::max(0, finest); --k) {
        amplitudes[static_cast<std::size_t>(k)] = amplitude;
        amplitude = amplitude * decay >> 12;
    }
    return amplitudes;
}

}  // namespace lanewright::synthetic
