// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/utilization.h"

#include <algorithm>

namespace lanewright {
namespace {

std::vector<Instant> edgesOf(Instant start, Duration makespan, std::size_t buckets) {
    // quotient * i + remainder * i / n instead of makespan * i / n, which could overflow.
    const auto count = static_cast<std::int64_t>(buckets);
    const std::int64_t quotient = makespan.count() / count;
    const std::int64_t remainder = makespan.count() % count;
    std::vector<Instant> edges;
    for (std::int64_t i = 0; i <= count; ++i) edges.push_back(start + Duration(quotient * i + remainder * i / count));
    return edges;
}

std::vector<Duration> busyOf(std::span<const Span* const> spans, const std::vector<Instant>& edges) {
    std::vector<Duration> busy(edges.size() - 1, Duration(0));
    Instant now = edges.front();  // everything before is counted
    std::size_t bucket = 0;
    for (const Span* span : spans) {
        const Instant end = std::min(span->end, edges.back());
        now = std::max(now, span->begin);
        while (now < end) {
            while (edges[bucket + 1] <= now) ++bucket;
            const Instant until = std::min(end, edges[bucket + 1]);
            busy[bucket] += until - now;
            now = until;
        }
    }
    return busy;
}

}  // namespace

double Utilization::share(LaneId lane, std::size_t bucket) const {
    const Duration length = edges[bucket + 1] - edges[bucket];
    if (length <= Duration(0)) return 0;
    return static_cast<double>(busy[lane.index()][bucket].count()) / static_cast<double>(length.count());
}

Utilization utilizationOf(const TraceIndex& index, std::size_t buckets) {
    const Trace& trace = index.trace();
    Utilization result;
    result.edges = edgesOf(trace.start, std::max(Duration(0), trace.makespan()), std::max<std::size_t>(buckets, 1));
    for (std::size_t i = 0; i < index.laneCount(); ++i) {
        result.busy.push_back(busyOf(index.lane(LaneId(i)), result.edges));
    }
    return result;
}

Utilization utilizationOf(const Trace& trace, std::size_t buckets) { return utilizationOf(TraceIndex(trace), buckets); }

}  // namespace lanewright
