// SPDX-License-Identifier: GPL-3.0-or-later
// A trace arranged for drawing: per lane, its spans sorted by begin in arrays of their own. Built once per trace; a view
// then finds what it shows by binary search, however long the run was.
#pragma once

#include "engine/figure/time_scale.h"
#include "engine/trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lanewright {

/// The spans of one lane, sorted by (begin, end). All arrays have one entry a span.
struct LaneSpans {
    std::vector<std::int64_t> begins;  ///< ns
    std::vector<std::int64_t> ends;    ///< ns
    std::vector<std::int64_t>
        busy;  ///< ns of all spans before this one: counts and shares of a block cost two look-ups
    std::vector<std::uint16_t> templates;
    std::vector<const Span*> spans;   ///< into the trace that the index keeps alive
    std::vector<std::int64_t> reach;  ///< largest end so far; empty where `ends` is sorted, as in every sound trace

    std::size_t size() const { return begins.size(); }
    /// The first span that ends after `ns`; size() when there is none.
    std::size_t firstEndingAfter(std::int64_t ns) const;
    /// The first span that begins at or after `ns`.
    std::size_t firstBeginningAt(std::int64_t ns) const;
};

class FigureIndex {
public:
    explicit FigureIndex(std::shared_ptr<const Trace> trace);

    const Trace& trace() const { return *m_trace; }
    std::size_t laneCount() const { return m_lanes.size(); }
    const LaneSpans& lane(LaneId id) const { return m_lanes[id.index()]; }
    std::size_t spanCount() const { return m_spanCount; }
    /// From the first begin (set-up comes before the trace's start) to the last end.
    TimeRange extent() const { return m_extent; }
    /// The span of `lane` that runs at `when`, or nullptr.
    const Span* spanAt(LaneId lane, Instant when) const;

private:
    std::shared_ptr<const Trace> m_trace;
    std::vector<LaneSpans> m_lanes;
    std::size_t m_spanCount = 0;
    TimeRange m_extent;
};

}  // namespace lanewright
