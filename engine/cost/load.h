// SPDX-License-Identifier: GPL-3.0-or-later
// How much a lane was slowed down by what ran beside it in its capacity groups, from the spans of a trace. The rule is that
// of the simulator: with a demand above the capacity everything in the group runs at capacity / demand.
#pragma once

#include "engine/machine/machine.h"
#include "engine/trace/trace.h"

#include <vector>

namespace lanewright {

class LaneLoad {
public:
    LaneLoad(const Machine& machine, const Trace& trace);

    /// Seconds of [begin, end] as they would have been on the lane alone.
    double effectiveSeconds(LaneId lane, Instant begin, Instant end) const;

private:
    /// Lanes with the same groups. progress[i]: seconds of undisturbed work from the first change of load to the i-th.
    struct Class {
        std::vector<std::size_t> groups;
        std::vector<double> progress;
    };

    void addLanes(const Machine& machine);
    void followLoads(const Machine& machine, const Trace& trace);
    double progressAt(const Class& lanes, Instant when) const;

    std::vector<Instant> m_changes;  ///< of any group's load, in order
    std::vector<Class> m_classes;
    std::vector<std::size_t> m_classOf;  ///< by LaneId
};

}  // namespace lanewright
