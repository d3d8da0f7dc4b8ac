// SPDX-License-Identifier: GPL-3.0-or-later
// What a synthetic picture shows: the layout of one landscape, drawn from a seed, before any row is painted.
#pragma once

#include "engine/input/synthetic.h"

#include <array>
#include <cstdint>
#include <vector>

namespace lanewright::synthetic {

class Random;

using Row = std::vector<std::int32_t>;

constexpr std::int32_t one = 1 << 12;  ///< 1.0 of weights, shares and noise
constexpr int colourBits = 6;          ///< fraction bits of a colour sample
constexpr int edgeBits = 4;            ///< fraction bits of outlines, in pixels

inline std::int32_t mix(std::int32_t from, std::int32_t to, std::int32_t weight) {
    return from + (((to - from) * weight) >> 12);
}

/// Red, green, blue, each 0 to 255 << colourBits.
using Colour = std::array<std::int32_t, 3>;

inline Colour mix(const Colour& from, const Colour& to, std::int32_t weight) {
    return {mix(from[0], to[0], weight), mix(from[1], to[1], weight), mix(from[2], to[2], weight)};
}

struct Palette {
    Colour zenith, horizon, sun, cloud, farRidge, nearRidge, water, grass, dryGrass, flower, otherFlower;
};

/// A row of hills or mountains.
struct Ridge {
    Row top;  ///< outline, pixels << edgeBits below the image's top
    std::int32_t highest = 0;
    std::int32_t lowest = 0;  ///< of the outline, pixels
    std::int32_t foot = 0;    ///< where the mist is densest, pixels
    Colour colour{};
    Colour mist{};
    std::int32_t relief = 0;  ///< strength of light and shade
};

/// A flower or a blurred light: a disc with a soft rim.
struct Disc {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t radius = 1;
    Colour colour{};
    std::int32_t opacity = one;
    std::int32_t steepness = 1;  ///< of the rim: 1 is a soft ball, 12 nearly a sharp disc
};

/// Everything about a picture that does not change from row to row. Lengths are pixels.
struct Scene {
    explicit Scene(const SyntheticSpec& spec);

    /// `thousandths` of the picture's longer side.
    std::int32_t length(std::int32_t thousandths) const;
    /// Base-2 logarithm of the largest noise lattice that still varies within the picture.
    int coarsestOctave() const;

    std::int32_t width;
    std::int32_t height;
    Palette palette;
    bool lake = false;
    std::int32_t shore = 0;  ///< row where land ends and, with a lake, the mirror lies
    std::int32_t sunX = 0;
    std::int32_t sunY = 0;
    std::int32_t cloudiness = 0;
    std::int32_t grassContrast = 0;
    std::vector<Ridge> ridges;  ///< from far to near
    Row meadow;                 ///< outline, as Ridge::top
    std::int32_t meadowHighest = 0;
    std::vector<Disc> discs;  ///< in the order of painting

private:
    void addRidge(Random& random, std::int32_t base, std::int32_t size, std::int32_t distance);
    void addTrees(Random& random, Row& top) const;
    void addMeadow(Random& random);
    void addFlowers(Random& random);
    Row outline(Random& random, int coarsest, std::int32_t decay) const;
};

}  // namespace lanewright::synthetic
