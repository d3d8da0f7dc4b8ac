// SPDX-License-Identifier: GPL-3.0-or-later
// A weighted line: an anchor counts with the inverse square of its bracket's width, so that one tight reading outweighs many
// that were interrupted.
#include "engine/devices/device_clock.h"

#include <algorithm>
#include <cmath>

namespace lanewright {
namespace {

constexpr std::size_t mostAnchors = 64;
/// Quartz differs by some ten parts in a million: from shorter spans than this a rate would be noise.
constexpr double shortestSpan = 2e9;
/// Reading a clock takes tens of ns, so no bracket is better than that.
constexpr double narrowest = 100;
/// Anchors wider than this many times the best say nothing about how good the map is.
constexpr double usefulWidth = 4;

}  // namespace

void DeviceClock::addAnchor(std::int64_t ticks, Instant before, Instant after) {
    const auto low = static_cast<double>(toNs(before) - ticks);
    const auto high = static_cast<double>(toNs(after) - ticks);
    m_anchors.push_back({ticks, (low + high) / 2, std::max((high - low) / 2, narrowest)});
    if (m_anchors.size() > mostAnchors) m_anchors.pop_front();
    fit();
}

bool DeviceClock::agrees(std::int64_t ticks, Instant before, Instant after) const {
    if (m_anchors.empty()) return false;
    const Duration tolerance = m_uncertainty + Duration(static_cast<std::int64_t>(narrowest));
    const Instant mapped = toRun(ticks);
    return mapped >= before - tolerance && mapped <= after + tolerance;
}

void DeviceClock::fit() {
    m_origin = m_anchors.back().ticks;
    double weights = 0;
    double meanX = 0;
    double meanY = 0;
    for (const Anchor& anchor : m_anchors) {
        const double weight = 1 / (anchor.half * anchor.half);
        weights += weight;
        meanX += weight * static_cast<double>(anchor.ticks - m_origin);
        meanY += weight * anchor.offset;
    }
    meanX /= weights;
    meanY /= weights;
    double xx = 0;
    double xy = 0;
    double best = m_anchors.front().half;
    for (const Anchor& anchor : m_anchors) {
        const double weight = 1 / (anchor.half * anchor.half);
        const double x = static_cast<double>(anchor.ticks - m_origin) - meanX;
        xx += weight * x * x;
        xy += weight * x * (anchor.offset - meanY);
        best = std::min(best, anchor.half);
    }
    const auto span = static_cast<double>(m_anchors.back().ticks - m_anchors.front().ticks);
    m_rate = span >= shortestSpan && xx > 0 ? xy / xx : 0;
    m_offset = meanY - m_rate * meanX;
    double worst = 0;
    for (const Anchor& anchor : m_anchors) {
        if (anchor.half > usefulWidth * best) continue;
        worst = std::max(worst, std::fabs(anchor.offset - offsetAt(anchor.ticks)) + anchor.half);
    }
    m_uncertainty = Duration(static_cast<std::int64_t>(std::ceil(worst)));
}

double DeviceClock::offsetAt(std::int64_t ticks) const {
    return m_offset + m_rate * static_cast<double>(ticks - m_origin);
}

Instant DeviceClock::toRun(std::int64_t ticks) const {
    return instantFromNs(ticks + static_cast<std::int64_t>(std::llround(offsetAt(ticks))));
}

}  // namespace lanewright
