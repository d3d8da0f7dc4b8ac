// SPDX-License-Identifier: GPL-3.0-or-later
// Between 8-bit samples and real numbers.
#include "kernels/common/real_plane.h"

#include <algorithm>
#include <cmath>

namespace lanewright {
namespace {

std::uint8_t rounded(double sample) {
    return static_cast<std::uint8_t>(std::floor(std::clamp(sample, 0.0, 255.0) + 0.5));
}

}  // namespace

RealPlane realPlane(const PlaneView& view, bool straightAlpha) {
    RealPlane plane{view.shape.width, view.shape.height, view.shape.components};
    const std::int32_t last = plane.components - 1;
    for (std::int32_t y = 0; y < plane.height; ++y) {
        const auto* row = reinterpret_cast<const std::uint8_t*>(view.row(y));
        for (std::int32_t x = 0; x < plane.width; ++x) {
            const auto* pixel = row + static_cast<std::ptrdiff_t>(x) * plane.components;
            for (std::int32_t c = 0; c <= last; ++c) {
                plane.at(x, y, c) = straightAlpha && c < last ? pixel[c] * pixel[last] : pixel[c];
            }
        }
    }
    return plane;
}

void storeRealPlane(RealPlane& plane, bool straightAlpha, const MutablePlaneView& view) {
    const std::int32_t last = plane.components - 1;
    for (std::int32_t y = 0; y < plane.height; ++y) {
        auto* row = reinterpret_cast<std::uint8_t*>(view.row(y));
        for (std::int32_t x = 0; x < plane.width; ++x) {
            auto* pixel = row + static_cast<std::ptrdiff_t>(x) * plane.components;
            const double alpha = plane.at(x, y, last);
            for (std::int32_t c = 0; c <= last; ++c) {
                double sample = plane.at(x, y, c);
                if (straightAlpha && c < last) sample = rounded(alpha) > 0 ? sample / alpha : 0;
                pixel[c] = rounded(sample);
            }
        }
    }
}

}  // namespace lanewright
