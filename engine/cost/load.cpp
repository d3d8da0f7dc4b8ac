// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps over begins and ends of spans, adding up how far undisturbed work would have come.
#include "engine/cost/load.h"

#include <algorithm>

namespace lanewright {
namespace {

struct Change {
    Instant when;
    std::uint16_t lane = 0;
    bool begins = false;
};

std::vector<Change> changesOf(const Trace& trace, std::size_t lanes) {
    std::vector<Change> changes;
    changes.reserve(2 * trace.spanCount());
    trace.forEach([&](const Span& span) {
        if (span.lane >= lanes || span.end <= span.begin) return;
        changes.push_back({span.begin, span.lane, true});
        changes.push_back({span.end, span.lane, false});
    });
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
        return a.when != b.when ? a.when < b.when : a.begins < b.begins;
    });
    return changes;
}

double demandOf(const CapacityGroup& group, LaneId lane) {
    for (const GroupMember& member : group.members) {
        if (member.lane == lane) return member.demand;
    }
    return 0;
}

}  // namespace

LaneLoad::LaneLoad(const Machine& machine, const Trace& trace) {
    addLanes(machine);
    followLoads(machine, trace);
}

void LaneLoad::addLanes(const Machine& machine) {
    for (std::size_t lane = 0; lane < machine.lanes.size(); ++lane) {
        std::vector<std::size_t> groups;
        for (std::size_t g = 0; g < machine.groups.size(); ++g) {
            const CapacityGroup& group = machine.groups[g];
            if (group.rule == GroupRule::shared && demandOf(group, LaneId(lane)) > 0) groups.push_back(g);
        }
        const auto same = [&](const Class& known) { return known.groups == groups; };
        const auto found = std::find_if(m_classes.begin(), m_classes.end(), same);
        m_classOf.push_back(static_cast<std::size_t>(found - m_classes.begin()));
        if (found == m_classes.end()) m_classes.push_back({std::move(groups), {}});
    }
}

void LaneLoad::followLoads(const Machine& machine, const Trace& trace) {
    std::vector<double> loads(machine.groups.size(), 0);
    for (const Change& change : changesOf(trace, machine.lanes.size())) {
        if (m_changes.empty() || m_changes.back() != change.when) {
            const double passed = m_changes.empty() ? 0 : toSeconds(change.when - m_changes.back());
            for (Class& lanes : m_classes) {
                double rate = 1;
                for (const std::size_t g : lanes.groups) {
                    const double capacity = machine.groups[g].capacity;
                    if (loads[g] > capacity && capacity > 0) rate = std::min(rate, capacity / loads[g]);
                }
                lanes.progress.push_back((lanes.progress.empty() ? 0 : lanes.progress.back()) + passed * rate);
            }
            m_changes.push_back(change.when);
        }
        for (const std::size_t g : m_classes[m_classOf[change.lane]].groups) {
            const double demand = demandOf(machine.groups[g], LaneId(std::size_t{change.lane}));
            loads[g] += change.begins ? demand : -demand;
        }
    }
}

double LaneLoad::progressAt(const Class& lanes, Instant when) const {
    const auto next = std::lower_bound(m_changes.begin(), m_changes.end(), when);
    const auto index = static_cast<std::size_t>(next - m_changes.begin());
    if (next == m_changes.end()) return lanes.progress.back() + toSeconds(when - m_changes.back());
    if (*next == when || index == 0) return lanes.progress[index] - toSeconds(*next - when);
    const double share = toSeconds(when - m_changes[index - 1]) / toSeconds(*next - m_changes[index - 1]);
    return lanes.progress[index - 1] + share * (lanes.progress[index] - lanes.progress[index - 1]);
}

double LaneLoad::effectiveSeconds(LaneId lane, Instant begin, Instant end) const {
    if (m_changes.empty() || lane.index() >= m_classOf.size()) return toSeconds(end - begin);
    const Class& lanes = m_classes[m_classOf[lane.index()]];
    return progressAt(lanes, end) - progressAt(lanes, begin);
}

}  // namespace lanewright
