// SPDX-License-Identifier: GPL-3.0-or-later
// The pixel rules of conversions between 8-bit formats, and what convert's files share.
#pragma once

#include "kernels/api/cpu_kernel.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lanewright::convert {

inline constexpr std::array formats = {gray8, rgb8, rgba8};

/// Index into `formats`, or none.
std::optional<std::size_t> formatIndex(const PixelFormat& format);

/// The target that `parameters` name, or none.
std::optional<PixelFormat> targetOf(const Parameters& parameters);

/// Converts the pixels of one row.
using RowFunction = void (*)(const std::uint8_t* in, std::uint8_t* out, std::size_t pixels);

/// [from][to], in the order of `formats`.
using RowFunctions = std::array<std::array<RowFunction, formats.size()>, formats.size()>;

/// Gray is the luma of BT.601 in 16-bit fixed point, as libjpeg computes it.
inline constexpr std::uint32_t redWeight = 19595;
inline constexpr std::uint32_t greenWeight = 38470;
inline constexpr std::uint32_t blueWeight = 7471;

constexpr std::uint8_t luma(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
    return static_cast<std::uint8_t>((red * redWeight + green * greenWeight + blue * blueWeight + 32768) >> 16);
}

/// Where alpha is dropped the picture is laid over white, as paper and most viewers show it; each sample counts by its
/// alpha, so that colour hidden under full transparency never shows. Mixed in sRGB as stored, rounded to nearest.
constexpr std::uint8_t overWhite(std::uint32_t sample, std::uint32_t alpha) {
    const std::uint32_t sum = sample * alpha + 255 * (255 - alpha) + 128;
    return static_cast<std::uint8_t>((sum + (sum >> 8)) >> 8);
}

const CpuKernel* cpuKernel();

}  // namespace lanewright::convert
