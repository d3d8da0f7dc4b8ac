// SPDX-License-Identifier: GPL-3.0-or-later
// Which arithmetic a geometry needs, and its tables.
#include "kernels/resize/cpu_plan.h"

#include "kernels/common/fixed_weights.h"
#include "kernels/common/geometry_cache.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lanewright::resize {
namespace {

/// Rounded weights may change a sample by this much before floats are used; the agreement allows less than 1 in all.
constexpr double allowedError = 0.3;

AxisPlan fixedAxis(const FilterTable& table, int bitLimit, bool evenFirst) {
    AxisPlan plan;
    plan.first = table.first;
    plan.count = table.count;
    plan.stride = static_cast<std::size_t>(table.taps + 3) / 2 * 2;
    double largest = 0;
    for (const double w : table.weights) largest = std::max(largest, std::fabs(w));
    plan.bits = weightBits(largest, bitLimit);
    plan.fixed.assign(table.first.size() * plan.stride, 0);
    for (std::int32_t i = 0; i < table.outputs(); ++i) {
        const auto index = static_cast<std::size_t>(i);
        const std::int32_t shift = evenFirst ? table.first[index] % 2 : 0;
        plan.first[index] -= shift;
        plan.count[index] += shift;
        std::int16_t* weights = plan.fixed.data() + index * plan.stride + shift;
        plan.error =
            std::max(plan.error, roundWeights(table.weightsOf(i), std::int64_t{1} << plan.bits, plan.bits, weights));
    }
    return plan;
}

AxisPlan realAxis(const FilterTable& table) {
    AxisPlan plan;
    plan.first = table.first;
    plan.count = table.count;
    plan.stride = static_cast<std::size_t>(table.taps);
    plan.real.assign(table.weights.begin(), table.weights.end());
    return plan;
}

PlanePlan makePlan(const PlaneGeometry& geometry) {
    const FilterTable x = makeFilterTable(geometry.x);
    const FilterTable y = makeFilterTable(geometry.y);
    PlanePlan plan;
    plan.components = geometry.components;
    plan.straightAlpha = geometry.straightAlpha;
    if (geometry.x.filter == ResampleFilter::nearest) {
        plan.x = realAxis(x);
        plan.y = realAxis(y);
        return plan;
    }
    plan.method = Method::fixed;
    if (!geometry.straightAlpha) {
        plan.x = fixedAxis(x, maxWeightBitsOverIntermediate, true);
        plan.y = fixedAxis(y, maxWeightBitsOver8Bit, false);
        if (plan.x.error + plan.y.error <= allowedError) return plan;
    }
    plan.method = Method::real;
    plan.x = realAxis(x);
    plan.y = realAxis(y);
    return plan;
}

}  // namespace

RowRange PlanePlan::rowsNeeded(RowRange rows) const {
    RowRange needed{std::numeric_limits<std::int32_t>::max(), 0};
    for (std::int32_t row = rows.begin; row < rows.end; ++row) {
        const auto index = static_cast<std::size_t>(row);
        needed.begin = std::min(needed.begin, y.first[index]);
        needed.end = std::max(needed.end, y.first[index] + y.count[index]);
    }
    return rows.empty() ? RowRange{} : needed;
}

std::shared_ptr<const PlanePlan> planePlan(const PlaneGeometry& geometry) {
    static GeometryCache<PlaneGeometry, PlanePlan> cache(16);
    return cache.get(geometry, [&] { return makePlan(geometry); });
}

}  // namespace lanewright::resize
