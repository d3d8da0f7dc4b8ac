// SPDX-License-Identifier: GPL-3.0-or-later
// Figures that sum up a list of durations.
#pragma once

#include "kernels/api/units.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace lanewright {

/// All zero when there were none. Quantiles interpolate linearly between neighbours (Hyndman and Fan, type 7).
struct Distribution {
    std::size_t count = 0;
    Duration total{0};
    Duration mean{0};
    Duration min{0};
    Duration median{0};
    Duration p90{0};
    Duration p99{0};
    Duration max{0};
};

Distribution distributionOf(std::vector<Duration> durations);

/// `q` in 0..1 of ascending `sorted`; 0 when it is empty.
Duration quantileOf(const std::vector<Duration>& sorted, double q);

/// (predicted - measured) / measured; none when nothing was measured.
std::optional<double> relativeError(Duration predicted, Duration measured);

}  // namespace lanewright
