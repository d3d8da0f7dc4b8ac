// SPDX-License-Identifier: GPL-3.0-or-later
// The contract for what shares a lane, a synchronous device, an exclusive group or a memory.
#include "engine/trace/contract_buffers.h"
#include "engine/trace/contract_state.h"

#include <algorithm>
#include <cmath>

namespace lanewright::contract {
namespace {

/// Reports steps of `spans` (sorted by begin) that begin before another step's span has ended; `tolerance` may be over.
void checkOverlap(State& state, const std::vector<const Span*>& spans, Duration tolerance, ContractRule rule,
                  const std::string& where) {
    const Span* last = nullptr;  // the one that ends last so far
    for (const Span* span : spans) {
        const bool other = last && (last->step != span->step || last->lane == span->lane);
        if (other && span->begin + tolerance < last->end) {
            const auto name = [&state](const Span& s) {
                return state.nameOf(state.index.step(state.index.find(s.step)));
            };
            state.report(rule, name(*span) + " begins on " + where + " while " + name(*last) + " runs");
        }
        if (!last || last->end < span->end) last = span;
    }
}

std::vector<const Span*> spansOf(const State& state, const std::vector<LaneId>& lanes) {
    std::vector<const Span*> spans;
    for (const LaneId lane : lanes) {
        const auto more = state.index.lane(lane);
        spans.insert(spans.end(), more.begin(), more.end());
    }
    std::stable_sort(spans.begin(), spans.end(), [](const Span* a, const Span* b) { return a->begin < b->begin; });
    return spans;
}

/// +1 at a time, -1 at another; ends come before begins at the same time.
struct Change {
    Instant when;
    std::int64_t by = 0;
};

std::int64_t highest(std::vector<Change>& changes, Instant& when) {
    std::sort(changes.begin(), changes.end(),
              [](const Change& a, const Change& b) { return std::pair(a.when, a.by) < std::pair(b.when, b.by); });
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (const Change& change : changes) {
        now += change.by;
        if (now <= most) continue;
        most = now;
        when = change.when;
    }
    return most;
}

void checkQueueDepth(State& state, LaneId lane) {
    const Lane& description = state.plan.machine->lane(lane);
    const Duration tolerance = state.tolerance(description.device, DeviceId{});
    std::vector<Change> changes;
    for (const Span* span : state.index.lane(lane)) {
        const Instant end = state.index.step(state.index.find(span->step)).end - tolerance;
        if (end <= span->submitted) continue;
        changes.push_back({span->submitted, 1});
        changes.push_back({end, -1});
    }
    Instant when;
    const std::int64_t most = highest(changes, when);
    if (most <= description.queueDepth) return;
    state.report(ContractRule::queueDepth, description.name + " has " + std::to_string(most) + " steps at " +
                                               timeText(when) + ", it takes " + std::to_string(description.queueDepth));
}

const Counter* findCounter(const Trace& trace, const std::string& name) {
    const auto found = std::find_if(trace.counters.begin(), trace.counters.end(),
                                    [&name](const Counter& counter) { return counter.name == name; });
    return found == trace.counters.end() ? nullptr : &*found;
}

void checkCounter(State& state, ContractRule rule, const std::string& name, double limit) {
    const Counter* counter = findCounter(state.trace, name);
    if (!counter) return state.report(rule, "there is no counter \"" + name + "\"");
    for (const CounterSample& sample : counter->samples) {
        if (sample.value <= limit) continue;
        return state.report(rule, "\"" + name + "\" is " + std::to_string(std::llround(sample.value)) + " at " +
                                      timeText(sample.when) + ", the limit is " + std::to_string(std::llround(limit)));
    }
}

}  // namespace

void checkLanes(State& state) {
    const Machine& machine = *state.plan.machine;
    for (std::size_t i = 0; i < machine.lanes.size(); ++i) {
        checkOverlap(state, spansOf(state, {LaneId(i)}), Duration(0), ContractRule::laneOverlap, machine.lanes[i].name);
        checkQueueDepth(state, LaneId(i));
    }
    for (const Device& device : machine.devices) {
        if (!device.synchronous) continue;
        checkOverlap(state, spansOf(state, device.lanes), Duration(0), ContractRule::deviceOverlap, device.name);
    }
    for (const CapacityGroup& group : machine.groups) {
        if (group.rule != GroupRule::exclusive) continue;
        std::vector<LaneId> lanes;
        Duration tolerance{0};
        for (const GroupMember& member : group.members) {
            lanes.push_back(member.lane);
            const DeviceId device = machine.lane(member.lane).device;
            tolerance = std::max(tolerance, state.tolerance(device, device));
        }
        checkOverlap(state, spansOf(state, lanes), tolerance, ContractRule::groupOverlap, group.name);
    }
}

/// An image is in flight from when its first step is ready until it ends.
void checkWindow(State& state) {
    const std::size_t images = state.plan.imageCount();
    std::vector<Instant> first(images, Instant::max());
    for (const StepRecord& step : state.index.steps()) {
        for (const ImageIndex image : state.index.images(step)) {
            if (image.index() < images) first[image.index()] = std::min(first[image.index()], step.ready);
        }
    }
    std::vector<Instant> last(images, state.trace.end);
    for (const ImageEnd& end : state.trace.imageEnds) {
        if (end.image.index() < images) last[end.image.index()] = end.when;
    }
    std::vector<Change> changes;
    for (std::size_t i = 0; i < images; ++i) {
        if (first[i] >= last[i]) continue;
        changes.push_back({first[i], 1});
        changes.push_back({last[i], -1});
    }
    const std::int32_t limit = state.plan.limits.imagesInFlight;
    Instant when;
    const std::int64_t most = highest(changes, when);
    if (most > limit) {
        state.report(ContractRule::imagesInFlight, std::to_string(most) + " images are in flight at " + timeText(when) +
                                                       ", the limit is " + std::to_string(limit));
    }
    if (images > 0) checkCounter(state, ContractRule::imagesInFlight, "images in flight", limit);
}

/// As counted; and at least what the steps imply: a buffer is there from the submission of the step that makes it until
/// the last step that reads it there has ended.
void checkLiveBytes(State& state) {
    const Plan& plan = state.plan;
    const BufferTable buffers(state);
    const std::vector<BufferTable::Life> lives = buffers.lives();
    for (std::size_t i = 0; i < plan.machine->memories.size() && i < plan.limits.memory.size(); ++i) {
        const std::string name = "live bytes " + plan.machine->memories[i].name;
        const auto limit = plan.limits.memory[i].value;
        std::vector<Change> changes;
        for (const BufferTable::Life& life : lives) {
            if (life.memory != MemoryId(i) || life.end <= life.begin) continue;
            changes.push_back({life.begin, static_cast<std::int64_t>(life.bytes.value)});
            changes.push_back({life.end, -static_cast<std::int64_t>(life.bytes.value)});
        }
        if (changes.empty()) continue;
        checkCounter(state, ContractRule::liveBytes, name, static_cast<double>(limit));
        Instant when;
        const std::int64_t most = highest(changes, when);
        if (static_cast<std::uint64_t>(most) <= limit) continue;
        state.report(ContractRule::liveBytes, "buffers in " + plan.machine->memories[i].name + " need " +
                                                  std::to_string(most) + " bytes at " + timeText(when) +
                                                  ", the limit is " + std::to_string(limit));
    }
}

}  // namespace lanewright::contract
