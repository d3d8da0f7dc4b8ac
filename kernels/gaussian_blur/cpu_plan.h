// SPDX-License-Identifier: GPL-3.0-or-later
// Weights of a blur in the form that the CPU kernel multiplies with.
#pragma once

#include "kernels/common/borders.h"
#include "kernels/gaussian_blur/kernels.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace lanewright::gaussian_blur {

/// fixed: 16-bit weights and intermediate rows. real: 32-bit floats, for straight alpha (a colour is a quotient and must not
/// lose its low bits) and for so many taps that rounded weights would show.
enum class Method : std::uint8_t { fixed, real };

/// One direction. Symmetric: the weight of a sample at distance k, k = 0..radius.
struct AxisPlan {
    std::int32_t radius = 0;
    std::vector<std::int16_t> fixed;  ///< radius + 1 weights, padded with zeros to whole pairs
    std::vector<std::int16_t> all;    ///< 2 * radius + 1 weights from -radius on, padded with a zero
    std::vector<float> real;          ///< radius + 1 weights
    int bits = 0;                     ///< fraction bits of `fixed` and `all`
    double error = 0;                 ///< bound on what their rounding does to a sum
};

struct BlurPlan {
    Method method = Method::fixed;
    Border edges = Border::replicate;
    bool straightAlpha = false;
    AxisPlan x;
    AxisPlan y;
};

/// From a cache of the blurs used last.
std::shared_ptr<const BlurPlan> blurPlan(const PlaneBlur& blur, bool straightAlpha);

}  // namespace lanewright::gaussian_blur
