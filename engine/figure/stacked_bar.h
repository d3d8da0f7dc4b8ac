// SPDX-License-Identifier: GPL-3.0-or-later
// The geometry of a stacked bar: how busy a lane was and why it was idle.
#pragma once

#include "kernels/api/units.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

struct BarSegment {
    std::size_t part = 0;  ///< position in the values handed in
    double x = 0;
    double width = 0;
    double share = 0;   ///< of the total, 0..1
    std::string label;  ///< "38 %" where it fits, else empty
};

struct BarOptions {
    double width = 100;
    double minimumWidth = 0.5;  ///< narrower segments are left out; what follows stays where it belongs
    double labelPadding = 5;
    std::function<double(std::string_view)> textWidth;  ///< empty: no labels
};

/// Parts from left to right in the order given, scaled so that `total` is the whole width. Parts that are not positive
/// have no segment; a total of 0 has none at all.
std::vector<BarSegment> layoutBar(std::span<const Duration> parts, Duration total, const BarOptions& options);

}  // namespace lanewright
