// SPDX-License-Identifier: GPL-3.0-or-later
// Filter tables in the form that the CPU kernel multiplies with, shared by images of equal size.
#pragma once

#include "kernels/resize/geometry.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace lanewright::resize {

/// copy: nearest. fixed: 16-bit weights and intermediate rows. real: 32-bit floats, for straight alpha (a colour is a
/// quotient and must not lose its low bits) and for so many taps that rounded weights would show.
enum class Method : std::uint8_t { copy, fixed, real };

/// One axis. Output i mixes source samples first[i] .. first[i] + count[i] - 1.
struct AxisPlan {
    std::vector<std::int32_t> first;
    std::vector<std::int32_t> count;
    std::size_t stride = 0;           ///< weights from output to output: an even number
    std::vector<std::int16_t> fixed;  ///< padded with zeros to whole pairs
    std::vector<float> real;
    int bits = 0;      ///< fraction bits of `fixed`
    double error = 0;  ///< bound on what rounding `fixed` does to a sum

    const std::int16_t* fixedWeights(std::int32_t output) const {
        return fixed.data() + static_cast<std::size_t>(output) * stride;
    }
    const float* realWeights(std::int32_t output) const {
        return real.data() + static_cast<std::size_t>(output) * stride;
    }
};

struct PlanePlan {
    Method method = Method::copy;
    int components = 1;
    bool straightAlpha = false;
    AxisPlan x;  ///< fixed: `first` is even, so that pairs of weights fall on pairs of samples
    AxisPlan y;

    /// The source rows that output rows [rows.begin, rows.end) read.
    RowRange rowsNeeded(RowRange rows) const;
};

/// From a cache of the geometries used last.
std::shared_ptr<const PlanePlan> planePlan(const PlaneGeometry& geometry);

}  // namespace lanewright::resize
