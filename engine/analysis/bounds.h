// SPDX-License-Identifier: GPL-3.0-or-later
// How short the makespan could be with the durations of a trace: no schedule of the same steps on the same lanes is faster.
#pragma once

#include "engine/analysis/trace_index.h"

namespace lanewright {

/// The work of all lanes of one role of one device, shared out evenly.
struct LaneBound {
    DeviceId device;
    LaneRole role = LaneRole::worker;
    int lanes = 1;
    Duration work{0};   ///< of all of them
    Duration bound{0};  ///< work / lanes, rounded up
};

struct Bounds {
    std::vector<LaneBound> lanes;  ///< those with work, largest bound first
    Duration chain{0};             ///< the longest chain of steps that need each other, of `chainImage`
    ImageIndex chainImage;

    Duration makespan() const;
};

/// Superseded steps are left out. In the chain a step over several lanes counts as if all lanes of its role shared it.
Bounds boundsOf(const TraceIndex& index);
Bounds boundsOf(const Trace& trace);

}  // namespace lanewright
