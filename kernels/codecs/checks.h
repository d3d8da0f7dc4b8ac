// SPDX-License-Identifier: GPL-3.0-or-later
// Checks and messages that all codecs share.
#pragma once

#include "kernels/api/result.h"

#include <cstdint>
#include <string>

namespace lanewright {

inline constexpr std::uint64_t maximumSide = 65535;
inline constexpr std::uint64_t maximumPixels = std::uint64_t{1} << 30;

/// Refuses what no buffer should be made for: image.tooLarge, image.damaged for a side of 0.
Status checkedSize(std::uint64_t width, std::uint64_t height);

/// What the library or we found, in English words.
Message damagedMessage(const std::string& detail);
Message unsupportedMessage(const std::string& detail);
Message truncatedMessage();
Message memoryMessage();

}  // namespace lanewright
