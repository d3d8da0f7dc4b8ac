// SPDX-License-Identifier: GPL-3.0-or-later
// The one field of an EXIF block that planning needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lanewright {

/// Orientation 1..8 of an EXIF block that begins with its TIFF header ("II" or "MM"); 1 when it has none or is damaged.
/// EXIF 2.32 (CIPA DC-008), section 4.6.4, tag 0x0112.
std::uint8_t exifOrientation(std::span<const std::byte> tiff);

}  // namespace lanewright
