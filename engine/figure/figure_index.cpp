// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/figure/figure_index.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace lanewright {
namespace {

bool earlier(const Span* a, const Span* b) { return std::tie(a->begin, a->end) < std::tie(b->begin, b->end); }

void fillArrays(LaneSpans& lane) {
    const std::size_t count = lane.spans.size();
    lane.begins.reserve(count);
    lane.ends.reserve(count);
    lane.busy.reserve(count);
    lane.templates.reserve(count);
    std::int64_t busy = 0;
    for (const Span* span : lane.spans) {
        lane.begins.push_back(toNs(span->begin));
        lane.ends.push_back(toNs(span->end));
        lane.busy.push_back(busy);
        lane.templates.push_back(span->stepTemplate);
        busy += std::max<std::int64_t>(0, (span->end - span->begin).count());
    }
    if (std::is_sorted(lane.ends.begin(), lane.ends.end())) return;
    lane.reach.reserve(count);
    std::int64_t reach = lane.ends.front();
    for (const std::int64_t end : lane.ends) lane.reach.push_back(reach = std::max(reach, end));
}

}  // namespace

std::size_t LaneSpans::firstEndingAfter(std::int64_t ns) const {
    const std::vector<std::int64_t>& sorted = reach.empty() ? ends : reach;
    return static_cast<std::size_t>(std::upper_bound(sorted.begin(), sorted.end(), ns) - sorted.begin());
}

std::size_t LaneSpans::firstBeginningAt(std::int64_t ns) const {
    return static_cast<std::size_t>(std::lower_bound(begins.begin(), begins.end(), ns) - begins.begin());
}

FigureIndex::FigureIndex(std::shared_ptr<const Trace> trace) : m_trace(std::move(trace)) {
    std::size_t lanes = m_trace->machine ? m_trace->machine->lanes.size() : 0;
    m_trace->forEach([&](const Span& span) { lanes = std::max<std::size_t>(lanes, std::size_t{span.lane} + 1); });
    std::vector<std::size_t> counts(lanes);
    m_trace->forEach([&](const Span& span) { ++counts[span.lane]; });
    m_lanes.resize(lanes);
    for (std::size_t i = 0; i < lanes; ++i) m_lanes[i].spans.reserve(counts[i]);
    m_trace->forEach([&](const Span& span) { m_lanes[span.lane].spans.push_back(&span); });
    m_extent = {m_trace->start, m_trace->end};
    for (LaneSpans& lane : m_lanes) {
        if (lane.spans.empty()) continue;
        if (!std::is_sorted(lane.spans.begin(), lane.spans.end(), earlier))
            std::stable_sort(lane.spans.begin(), lane.spans.end(), earlier);
        fillArrays(lane);
        m_spanCount += lane.size();
        m_extent.begin = std::min(m_extent.begin, lane.spans.front()->begin);
        m_extent.end = std::max(m_extent.end, instantFromNs(lane.reach.empty() ? lane.ends.back() : lane.reach.back()));
    }
}

const Span* FigureIndex::spanAt(LaneId id, Instant when) const {
    if (id.index() >= m_lanes.size()) return nullptr;
    const LaneSpans& lane = m_lanes[id.index()];
    const std::size_t i = lane.firstEndingAfter(toNs(when));
    return i < lane.size() && lane.begins[i] <= toNs(when) ? lane.spans[i] : nullptr;
}

}  // namespace lanewright
