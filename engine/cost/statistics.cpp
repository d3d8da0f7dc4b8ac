// SPDX-License-Identifier: GPL-3.0-or-later
// Robust means, and interpolation between clusters of measurements.
#include "engine/cost/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lanewright {
namespace {

double square(double x) { return x * x; }

/// Of positive values; 0 (not there) against something counts as far.
double logRatio(double a, double b) {
    if (a <= 0 && b <= 0) return 0;
    constexpr double least = 1e-9;
    return std::log(std::max(a, least) / std::max(b, least));
}

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

double CostFeatures::distance(const CostFeatures& other) const {
    double sum = square(logRatio(work, other.work)) + square(logRatio(density, other.density));
    const std::size_t count = std::min(numbers.size(), other.numbers.size());
    for (std::size_t i = 0; i < count; ++i) {
        const double a = std::copysign(std::log1p(std::abs(numbers[i])), numbers[i]);
        const double b = std::copysign(std::log1p(std::abs(other.numbers[i])), other.numbers[i]);
        sum += square(a - b);
    }
    return std::sqrt(sum);
}

CostCluster::CostCluster(CostFeatures features, std::vector<double> values, std::uint64_t stamp)
    : m_features(std::move(features)), m_values(std::move(values)), m_stamp(stamp) {}

void CostCluster::add(double value, std::uint64_t stamp) {
    if (m_values.size() == mostValues) m_values.erase(m_values.begin());
    m_values.push_back(value);
    m_stamp = stamp;
}

CostValue CostCluster::value() const {
    if (m_values.empty()) return {};
    constexpr double farFromMedian = 3;
    constexpr double decay = 0.93;  // the last dozen values carry two thirds of the weight
    const double median = medianOf(m_values);
    double weight = 1;
    double weights = 0;
    double sum = 0;
    double squares = 0;
    for (std::size_t i = m_values.size(); i-- > 0; weight *= decay) {
        const double value = m_values[i];
        if (value > farFromMedian * median || value * farFromMedian < median) continue;
        weights += weight;
        sum += weight * value;
        squares += weight * value * value;
    }
    const double mean = sum / weights;
    const double variance = std::max(0.0, squares / weights - mean * mean);
    CostValue result;
    result.value = mean;
    result.relativeSpread = mean > 0 ? std::sqrt(variance) / mean : 0;
    result.samples = static_cast<std::uint32_t>(m_values.size());
    constexpr std::size_t few = 4;
    constexpr double spreadOfFew = 0.1;
    if (m_values.size() < few) result.relativeSpread = std::max(result.relativeSpread, spreadOfFew);
    return result;
}

void CostRecord::learn(const CostFeatures& features, double value, std::uint64_t stamp) {
    CostCluster* nearest = nullptr;
    double least = 0;
    for (CostCluster& cluster : m_clusters) {
        const double distance = cluster.features().distance(features);
        if (nearest && distance >= least) continue;
        least = distance;
        nearest = &cluster;
    }
    // One run over more sizes than there is room for must not push out what it has just learned.
    const bool crowded = m_clusters.size() >= mostClusters && oldestStamp() == stamp;
    if (nearest && (least < near || crowded)) {
        nearest->add(value, stamp);
    } else {
        add(CostCluster(features, {value}, stamp));
    }
}

void CostRecord::add(CostCluster cluster) {
    if (m_clusters.size() >= mostClusters) dropOldest();
    m_clusters.push_back(std::move(cluster));
}

void CostRecord::dropOldest() {
    const auto older = [](const CostCluster& a, const CostCluster& b) { return a.stamp() < b.stamp(); };
    const auto oldest = std::min_element(m_clusters.begin(), m_clusters.end(), older);
    if (oldest != m_clusters.end()) m_clusters.erase(oldest);
}

std::size_t CostRecord::dropOlderThan(std::uint64_t stamp, std::size_t most) {
    std::size_t dropped = 0;
    std::erase_if(m_clusters, [&](const CostCluster& cluster) {
        const bool drop = dropped < most && cluster.stamp() < stamp;
        if (drop) ++dropped;
        return drop;
    });
    return dropped;
}

std::uint64_t CostRecord::oldestStamp() const {
    std::uint64_t oldest = UINT64_MAX;
    for (const CostCluster& cluster : m_clusters) oldest = std::min(oldest, cluster.stamp());
    return oldest;
}

std::optional<CostValue> CostRecord::estimate(const CostFeatures& features) const {
    if (m_clusters.empty()) return std::nullopt;
    constexpr double closest = 0.05;  // keeps the weight of an equal cluster finite
    CostValue result;
    result.distance = 1e9;
    double weights = 0;
    double logValue = 0;
    double spread = 0;
    for (const CostCluster& cluster : m_clusters) {
        const CostValue value = cluster.value();
        const double distance = cluster.features().distance(features);
        const auto samples = static_cast<double>(value.samples);
        const double weight = samples / (samples + 2) / (square(distance) + square(closest));
        weights += weight;
        logValue += weight * std::log(std::max(value.value, 1e-12));
        spread += weight * value.relativeSpread;
        if (distance >= result.distance) continue;
        result.distance = distance;
        result.samples = value.samples;
    }
    constexpr double spreadPerDistance = 0.1;
    result.value = std::exp(logValue / weights);
    result.relativeSpread = spread / weights + (result.distance > near ? spreadPerDistance * result.distance : 0);
    return result;
}

}  // namespace lanewright
