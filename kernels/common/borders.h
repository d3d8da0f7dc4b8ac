// SPDX-License-Identifier: GPL-3.0-or-later
// Which sample stands for one beyond the edge of an image.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lanewright {

/// replicate: aaa|abcd|ddd. reflect: dcb|abcd|cba, the edge sample itself not repeated (OpenCV's BORDER_REFLECT_101).
enum class Border : std::uint8_t { replicate, reflect };

/// The index within [0, size) that stands for `index`, however far outside it lies.
constexpr std::int32_t borderIndex(Border border, std::int32_t index, std::int32_t size) {
    if (index >= 0 && index < size) return index;
    if (border == Border::replicate) return std::clamp(index, 0, size - 1);
    if (size == 1) return 0;
    const std::int32_t period = 2 * (size - 1);
    std::int32_t phase = index % period;
    if (phase < 0) phase += period;
    return phase < size ? phase : period - phase;
}

}  // namespace lanewright
