// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/bounds.h"

#include <algorithm>
#include <numeric>

namespace lanewright {
namespace {

/// For each lane its entry in `bounds` (lanes of equal device and role share one).
std::vector<std::size_t> groupLanes(const Machine& machine, std::vector<LaneBound>& bounds) {
    std::vector<std::size_t> groupOfLane;
    for (const Lane& lane : machine.lanes) {
        const auto found = std::find_if(bounds.begin(), bounds.end(), [&lane](const LaneBound& bound) {
            return bound.device == lane.device && bound.role == lane.role;
        });
        groupOfLane.push_back(static_cast<std::size_t>(found - bounds.begin()));
        if (found == bounds.end()) {
            bounds.push_back({lane.device, lane.role, 1, Duration(0), Duration(0)});
        } else {
            ++found->lanes;
        }
    }
    return groupOfLane;
}

/// How long the step takes at least: alone on one lane as long as it took, over several as if all lanes shared it.
Duration shortest(const TraceIndex& index, const StepRecord& step, int lanes) {
    if (step.partCount == 1) return step.duration();
    Duration work{0};
    for (const Span* part : index.parts(step)) work += part->end - part->begin;
    return work / std::max(lanes, static_cast<int>(step.partCount));
}

}  // namespace

Duration Bounds::makespan() const { return lanes.empty() ? chain : std::max(chain, lanes.front().bound); }

Bounds boundsOf(const TraceIndex& index) {
    Bounds bounds;
    if (!index.trace().machine) return bounds;
    const auto groupOfLane = groupLanes(*index.trace().machine, bounds.lanes);

    std::vector<StepPosition> order(index.steps().size());
    std::iota(order.begin(), order.end(), StepPosition{0});
    std::sort(order.begin(), order.end(), [&index](StepPosition a, StepPosition b) {
        return std::pair(index.step(a).begin, index.step(a).id) < std::pair(index.step(b).begin, index.step(b).id);
    });
    std::vector<Duration> chain(order.size(), Duration(0));  // the longest that ends with this step
    for (const StepPosition position : order) {
        const StepRecord& step = index.step(position);
        if (step.superseded) continue;
        LaneBound& group = bounds.lanes[groupOfLane[index.parts(step).front()->lane]];
        for (const Span* part : index.parts(step)) group.work += part->end - part->begin;
        Duration before{0};
        index.forEachMaker(step, [&](StepPosition maker) { before = std::max(before, chain[maker]); });
        chain[position] = before + shortest(index, step, group.lanes);
        if (chain[position] > bounds.chain || !bounds.chainImage.valid()) {
            bounds.chain = chain[position];
            bounds.chainImage = step.image;
        }
    }
    for (LaneBound& group : bounds.lanes) group.bound = (group.work + Duration(group.lanes - 1)) / group.lanes;
    std::erase_if(bounds.lanes, [](const LaneBound& group) { return group.work == Duration(0); });
    std::stable_sort(bounds.lanes.begin(), bounds.lanes.end(),
                     [](const LaneBound& a, const LaneBound& b) { return a.bound > b.bound; });
    return bounds;
}

Bounds boundsOf(const Trace& trace) { return boundsOf(TraceIndex(trace)); }

}  // namespace lanewright
