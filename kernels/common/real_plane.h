// SPDX-License-Identifier: GPL-3.0-or-later
// A plane as real numbers: what the scalar references of filters compute with.
#pragma once

#include "kernels/api/views.h"

#include <cstdint>
#include <vector>

namespace lanewright {

struct RealPlane {
    std::int32_t width;
    std::int32_t height;
    std::int32_t components;
    std::vector<double> samples = std::vector<double>(
        static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * static_cast<std::size_t>(components));

    double& at(std::int32_t x, std::int32_t y, std::int32_t c) {
        return samples[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) *
                           static_cast<std::size_t>(components) +
                       static_cast<std::size_t>(c)];
    }
};

/// The 8-bit samples of a plane. `straightAlpha`: the last component is alpha, and colours are multiplied by it.
RealPlane realPlane(const PlaneView& view, bool straightAlpha);

/// Rounds half up, once, into 8-bit samples. `straightAlpha`: colours are divided by alpha; a pixel whose alpha rounds to 0
/// becomes all zeros.
void storeRealPlane(RealPlane& plane, bool straightAlpha, const MutablePlaneView& view);

}  // namespace lanewright
