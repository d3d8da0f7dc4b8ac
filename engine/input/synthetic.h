// SPDX-License-Identifier: GPL-3.0-or-later
// Photo-like pictures made by code, so that the program has input before anyone points it at a folder. They cost a
// JPEG decoder about what camera pictures of the same size cost, and are the same on every machine.
#pragma once

#include <cstdint>
#include <span>

namespace lanewright {

/// One picture: a landscape drawn from `seed`. Width and height in pixels, each from 1 to 65535.
struct SyntheticSpec {
    std::uint64_t seed = 0;
    std::int32_t width = 0;
    std::int32_t height = 0;
};

/// Seed of picture `index` of the set that `setSeed` names.
std::uint64_t syntheticSeed(std::uint64_t setSeed, std::uint64_t index);

/// Writes rows [firstRow, lastRow) of the picture as packed 8-bit sRGB, three bytes a pixel, into `rows`, which must
/// hold (lastRow - firstRow) * width * 3 bytes. A row's bytes depend on `spec` and its number only. Each call first lays
/// out the scene (about as long as a few rows take), so strips of 16 rows and more are the cheaper way.
void renderSynthetic(const SyntheticSpec& spec, std::int32_t firstRow, std::int32_t lastRow,
                     std::span<std::uint8_t> rows);

}  // namespace lanewright
