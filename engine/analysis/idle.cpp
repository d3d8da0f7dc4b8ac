// SPDX-License-Identifier: GPL-3.0-or-later
// Walks back from the step after each gap through what it waited for. A walk stays within its gap, so that all walks of a
// lane together look at no more steps than one chain through the makespan has.
#include "engine/analysis/idle.h"

#include <algorithm>
#include <numeric>

namespace lanewright {
namespace {

IdleReason reasonOf(SpanCategory category) {
    switch (category) {
    case SpanCategory::read: return IdleReason::waitingForFile;
    case SpanCategory::copy: return IdleReason::inputCopy;
    case SpanCategory::write: return IdleReason::write;
    case SpanCategory::stage:
    case SpanCategory::conversion:
    case SpanCategory::setup: break;
    }
    return IdleReason::dependency;
}

/// The gaps of one lane, made back to front.
class GapWalk {
public:
    GapWalk(const TraceIndex& index, LaneIdle& lane) : m_index(index), m_lane(lane) {}

    /// Explains [from, to) before `next` on this lane, whose part began at or after `to`.
    void explain(const StepRecord& next, Instant from, Instant to) {
        m_next = next.id;
        m_from = from;
        m_to = to;
        const StepRecord* step = &next;
        while (m_to > m_from) {
            explainWait(*step, step == &next);
            if (m_to <= m_from) break;
            if (step->blocker == noStep) {
                fill(m_from, IdleReason::scheduler, {});
                break;
            }
            const StepRecord& blocker = m_index.step(step->blocker);
            const IdleReason running = reasonOf(m_index.templateOf(blocker).category);
            if (step->windowed) {
                fill(blocker.begin, running == IdleReason::write ? running : IdleReason::outputSlotOrWindow,
                     blocker.id);
                fill(m_from, IdleReason::outputSlotOrWindow, blocker.id);
                break;
            }
            fill(blocker.begin, running, blocker.id);
            step = &blocker;
        }
        keep();
    }

    /// Adds one piece that needs no walk.
    void add(Instant from, Instant to, IdleReason reason, StepId next) {
        m_next = next;
        m_from = from;
        m_to = to;
        fill(from, reason, {});
        keep();
    }

private:
    /// The time between the end of what `step` needed and its begin: first in line behind others, then for the
    /// scheduler, then for the device. What is left of the gap ends at the blocker's end.
    void explainWait(const StepRecord& step, bool isNext) {
        const StepId on = isNext ? StepId{} : step.id;
        const Instant blocked = m_index.endOf(step.blocker);
        const Instant lane = std::max(blocked, std::min(m_index.endOf(step.lanePrevious), step.begin));
        const Instant unit = std::max(lane, std::min(m_index.endOf(step.unitPrevious), step.begin));
        fill(std::max(step.submitted, unit), IdleReason::device, on);
        fill(unit, IdleReason::scheduler, on);
        fill(lane, IdleReason::device, on);
        // In line for its lane. The next step's own lane is idle here, so it waited for another lane that it reserved.
        const IdleReason inLine = isNext ? IdleReason::reserved : reasonOf(m_index.templateOf(step).category);
        fill(blocked, inLine, on);
    }

    /// Gives what is left of the gap from `begin` on to a reason.
    void fill(Instant begin, IdleReason reason, StepId on) {
        begin = std::max(begin, m_from);
        if (begin >= m_to) return;
        if (!m_pieces.empty() && m_pieces.back().reason == reason) {
            m_pieces.back().begin = begin;
        } else {
            m_pieces.push_back({begin, m_to, m_next, on, reason});
        }
        m_lane.idle[static_cast<std::size_t>(reason)] += m_to - begin;
        m_to = begin;
    }

    void keep() {
        m_lane.gaps.insert(m_lane.gaps.end(), m_pieces.rbegin(), m_pieces.rend());
        m_pieces.clear();
    }

    const TraceIndex& m_index;
    LaneIdle& m_lane;
    std::vector<IdleGap> m_pieces;
    StepId m_next;
    Instant m_from;
    Instant m_to;
};

LaneIdle idleOfLane(const TraceIndex& index, LaneId id) {
    const Trace& trace = index.trace();
    LaneIdle lane;
    GapWalk walk(index, lane);
    const Instant finish = std::max(trace.start, trace.end);
    Instant now = trace.start;    // everything before is told
    Instant reservedUntil = now;  // end of the step whose part ran last here
    StepId reservedFor;
    for (const Span* span : index.lane(id)) {
        const StepRecord& step = index.step(index.find(span->step));
        const Instant begin = std::clamp(span->begin, now, finish);
        const Instant reservedBegin = std::clamp(step.begin, now, begin);
        const Instant released = std::clamp(reservedUntil, now, reservedBegin);
        walk.add(now, released, IdleReason::reserved, reservedFor);
        walk.explain(step, released, reservedBegin);
        walk.add(reservedBegin, begin, IdleReason::reserved, step.id);
        const Instant end = std::clamp(span->end, begin, finish);
        lane.busy += end - begin;
        now = end;
        reservedUntil = step.end;
        reservedFor = step.id;
    }
    const Instant released = std::clamp(reservedUntil, now, finish);
    walk.add(now, released, IdleReason::reserved, reservedFor);
    walk.add(released, finish, IdleReason::nothingLeft, {});
    return lane;
}

}  // namespace

std::string_view idleReasonName(IdleReason reason) {
    switch (reason) {
    case IdleReason::waitingForFile: return "waitingForFile";
    case IdleReason::inputCopy: return "inputCopy";
    case IdleReason::dependency: return "dependency";
    case IdleReason::outputSlotOrWindow: return "outputSlotOrWindow";
    case IdleReason::device: return "device";
    case IdleReason::write: return "write";
    case IdleReason::scheduler: return "scheduler";
    case IdleReason::reserved: return "reserved";
    case IdleReason::nothingLeft: return "nothingLeft";
    }
    return "";
}

Duration LaneIdle::total() const { return std::accumulate(idle.begin(), idle.end(), busy); }

std::vector<LaneIdle> idleOf(const TraceIndex& index) {
    std::vector<LaneIdle> lanes;
    for (std::size_t i = 0; i < index.laneCount(); ++i) lanes.push_back(idleOfLane(index, LaneId(i)));
    return lanes;
}

std::vector<LaneIdle> idleOf(const Trace& trace) { return idleOf(TraceIndex(trace)); }

}  // namespace lanewright
