// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lanewright {

Duration quantileOf(const std::vector<Duration>& sorted, double q) {
    if (sorted.empty()) return Duration(0);
    const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double part =
        (position - static_cast<double>(below)) * static_cast<double>((sorted[above] - sorted[below]).count());
    return sorted[below] + Duration(std::llround(part));
}

Distribution distributionOf(std::vector<Duration> durations) {
    Distribution result;
    if (durations.empty()) return result;
    std::sort(durations.begin(), durations.end());
    result.count = durations.size();
    result.total = std::accumulate(durations.begin(), durations.end(), Duration(0));
    result.mean = result.total / static_cast<std::int64_t>(durations.size());
    result.min = durations.front();
    result.median = quantileOf(durations, 0.5);
    result.p90 = quantileOf(durations, 0.9);
    result.p99 = quantileOf(durations, 0.99);
    result.max = durations.back();
    return result;
}

std::optional<double> relativeError(Duration predicted, Duration measured) {
    if (measured <= Duration(0)) return std::nullopt;
    return static_cast<double>((predicted - measured).count()) / static_cast<double>(measured.count());
}

}  // namespace lanewright
