// SPDX-License-Identifier: GPL-3.0-or-later
// Busy time of each lane over time, for plots. Exact: a lane's buckets sum to its busy time.
#pragma once

#include "engine/analysis/trace_index.h"

namespace lanewright {

/// Bucket i is [edges[i], edges[i + 1]); their lengths differ by at most 1 ns.
struct Utilization {
    std::vector<Instant> edges;               ///< from the trace's start to its end
    std::vector<std::vector<Duration>> busy;  ///< by LaneId, by bucket

    /// 0..1; 0 for a bucket without length.
    double share(LaneId lane, std::size_t bucket) const;
};

/// `buckets` >= 1.
Utilization utilizationOf(const TraceIndex& index, std::size_t buckets);
Utilization utilizationOf(const Trace& trace, std::size_t buckets);

}  // namespace lanewright
