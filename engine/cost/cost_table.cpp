// SPDX-License-Identifier: GPL-3.0-or-later
// Look-ups from near to far.
#include "engine/cost/cost_table.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lanewright {
namespace {

template <class F>
void forEachCluster(const CostTable::Works& works, F f) {
    for (const auto& [work, variants] : works) {
        for (const auto& [variant, record] : variants) {
            for (const CostCluster& cluster : record.clusters()) f(cluster);
        }
    }
}

/// Geometric mean of all that was measured on a device: 1 when it is as fast as its peak rates say. None: nothing was.
std::optional<double> deviceFactor(const CostTable::Works& works) {
    double sum = 0;
    int count = 0;
    forEachCluster(works, [&](const CostCluster& cluster) {
        sum += std::log(std::max(cluster.value().value, 1e-12));
        ++count;
    });
    if (count == 0) return std::nullopt;
    constexpr double furthest = 20;
    return std::clamp(std::exp(sum / count), 1 / furthest, furthest);
}

template <class F>
void forEachRecord(CostTable::Devices& devices, F f) {
    for (auto& [device, works] : devices) {
        for (auto& [work, variants] : works) {
            for (auto& [variant, record] : variants) f(record);
        }
    }
}

}  // namespace

CostRecord& CostTable::record(const std::string& device, const std::string& work, const std::string& variant) {
    return m_devices[device][work][variant];
}

void CostTable::learn(const CostSubject& subject, double value, std::uint64_t stamp) {
    if (!std::isfinite(value) || value <= 0) return;
    record(subject.device, subject.work, subject.variant).learn(subject.features, value, stamp);
}

void CostTable::prune() {
    std::vector<std::uint64_t> stamps;
    for (const auto& [device, works] : m_devices) {
        forEachCluster(works, [&stamps](const CostCluster& cluster) { stamps.push_back(cluster.stamp()); });
    }
    if (stamps.size() <= mostClusters) return;
    std::size_t excess = stamps.size() - mostClusters;
    const auto last = stamps.begin() + static_cast<std::ptrdiff_t>(excess - 1);
    std::nth_element(stamps.begin(), last, stamps.end());
    const std::uint64_t limit = *last;  // everything older goes, and of this age as many as it takes
    forEachRecord(m_devices, [&](CostRecord& record) { excess -= record.dropOlderThan(limit, excess); });
    forEachRecord(m_devices, [&](CostRecord& record) { excess -= record.dropOlderThan(limit + 1, excess); });
}

CostTable::Found CostTable::find(const CostSubject& subject) const {
    const auto device = m_devices.find(subject.device);
    if (device != m_devices.end()) {
        if (const auto work = device->second.find(subject.work); work != device->second.end()) {
            const auto variant = work->second.find(subject.variant);
            const auto exact =
                variant == work->second.end() ? std::nullopt : variant->second.estimate(subject.features);
            if (exact) {
                return {*exact, exact->distance < CostRecord::near ? CostSource::measured : CostSource::interpolated};
            }
            if (const auto other = otherVariants(work->second, subject)) return {*other, CostSource::interpolated};
        }
    }
    if (const auto other = otherDevices(subject)) return {*other, CostSource::interpolated};
    constexpr double spreadOfGuesses = 0.5;
    const auto factor = device == m_devices.end() ? std::nullopt : deviceFactor(device->second);
    return {{factor.value_or(1), spreadOfGuesses, 0, 0}, CostSource::guessed};
}

std::optional<CostValue> CostTable::otherVariants(const Variants& variants, const CostSubject& subject) const {
    constexpr double spreadOfOthers = 0.3;
    std::optional<CostValue> best;
    for (const auto& [variant, record] : variants) {
        const auto value = record.estimate(subject.features);
        if (value && (!best || value->distance < best->distance)) best = value;
    }
    if (best) best->relativeSpread = std::max(best->relativeSpread, spreadOfOthers);
    return best;
}

std::optional<CostValue> CostTable::otherDevices(const CostSubject& subject) const {
    constexpr double spreadOfOthers = 0.4;
    double sum = 0;
    int count = 0;
    CostValue result;
    for (const auto& [device, works] : m_devices) {
        const auto work = works.find(subject.work);
        if (device == subject.device || work == works.end()) continue;
        const auto value = otherVariants(work->second, subject);
        if (!value) continue;
        sum += std::log(value->value / deviceFactor(works).value_or(1));
        ++count;
        result.samples = std::max(result.samples, value->samples);
    }
    if (count == 0) return std::nullopt;
    const auto here = m_devices.find(subject.device);
    const auto factor = here == m_devices.end() ? std::nullopt : deviceFactor(here->second);
    result.value = std::exp(sum / count) * factor.value_or(1);
    result.relativeSpread = spreadOfOthers;
    return result;
}

}  // namespace lanewright
