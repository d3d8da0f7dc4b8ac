// SPDX-License-Identifier: GPL-3.0-or-later
// Which arithmetic a blur needs, and its weights.
#include "kernels/gaussian_blur/cpu_plan.h"

#include "kernels/common/fixed_weights.h"
#include "kernels/common/gaussian.h"
#include "kernels/common/geometry_cache.h"

#include <cmath>

namespace lanewright::gaussian_blur {
namespace {

/// Rounded weights may change a sample by this much before floats are used; the agreement allows less than 1 in all.
constexpr double allowedError = 0.3;

AxisPlan axisPlan(double sigma, int bitLimit) {
    const std::vector<double> weights = gaussianWeights(sigma);
    AxisPlan plan;
    plan.radius = static_cast<std::int32_t>(weights.size() / 2);
    const auto radius = static_cast<std::size_t>(plan.radius);
    const std::span<const double> half(weights.data() + radius, radius + 1);
    plan.real.assign(half.begin(), half.end());

    plan.bits = weightBits(half[0], bitLimit);
    plan.fixed.assign((radius + 2) / 2 * 2, 0);
    // The sides alike, and the centre takes what is missing: symmetric, and the sum exactly 1.
    const std::span<const double> side = half.subspan(1);
    const auto sideSum = static_cast<std::int64_t>(std::llround((1 - half[0]) / 2 * std::ldexp(1.0, plan.bits)));
    plan.error = 2 * roundWeights(side, sideSum, plan.bits, plan.fixed.data() + 1);
    plan.fixed[0] = static_cast<std::int16_t>((std::int64_t{1} << plan.bits) - 2 * sideSum);
    plan.error += roundingError(half.first(1), plan.bits, plan.fixed.data());

    plan.all.assign((2 * radius + 2) / 2 * 2, 0);
    for (std::size_t k = 0; k <= radius; ++k) plan.all[radius + k] = plan.all[radius - k] = plan.fixed[k];
    return plan;
}

struct Key {
    PlaneBlur blur;
    bool straightAlpha;
    friend bool operator==(const Key&, const Key&) = default;
};

BlurPlan makePlan(const Key& key) {
    BlurPlan plan;
    plan.edges = key.blur.edges;
    plan.straightAlpha = key.straightAlpha;
    plan.x = axisPlan(key.blur.sigmaX, maxWeightBitsOverIntermediate);
    plan.y = axisPlan(key.blur.sigmaY, maxWeightBitsOver8Bit);
    if (key.straightAlpha || plan.x.error + plan.y.error > allowedError) plan.method = Method::real;
    return plan;
}

}  // namespace

std::shared_ptr<const BlurPlan> blurPlan(const PlaneBlur& blur, bool straightAlpha) {
    static GeometryCache<Key, BlurPlan> cache(16);
    const Key key{blur, straightAlpha};
    return cache.get(key, [&] { return makePlan(key); });
}

}  // namespace lanewright::gaussian_blur
