// SPDX-License-Identifier: GPL-3.0-or-later
// Sorting, and the search for what each step waited for. All of it n log n in the number of spans.
#include "engine/analysis/trace_index.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace lanewright {
namespace {

std::uint64_t bufferKey(ImageIndex image, std::uint16_t slot, MemoryId memory) {
    return static_cast<std::uint64_t>(image.value) << 32 | static_cast<std::uint64_t>(slot) << 16 |
           (memory.value & 0xffffU);
}

}  // namespace

TraceIndex::TraceIndex(const Trace& trace) : m_trace(trace) {
    sortLanes();
    gatherSteps();
    m_batchOrder.resize(trace.batches.size());
    std::iota(m_batchOrder.begin(), m_batchOrder.end(), 0U);
    std::sort(m_batchOrder.begin(), m_batchOrder.end(),
              [&trace](auto a, auto b) { return trace.batches[a].step < trace.batches[b].step; });
    gatherMade();
    markSuperseded();
    findLanePredecessors();
    findUnitPredecessors();
    for (std::size_t i = 0; i < m_steps.size(); ++i) findBlocker(static_cast<StepPosition>(i));
}

void TraceIndex::sortLanes() {
    const std::size_t lanes = m_trace.machine ? m_trace.machine->lanes.size() : 0;
    const auto wanted = [&](const Span& span) {
        return span.lane < lanes && span.stepTemplate < m_trace.templates.size() &&
               m_trace.templates[span.stepTemplate].category != SpanCategory::setup;
    };
    m_laneOffsets.assign(lanes + 1, 0);
    m_trace.forEach([&](const Span& span) {
        if (wanted(span)) ++m_laneOffsets[span.lane + 1U];
    });
    std::partial_sum(m_laneOffsets.begin(), m_laneOffsets.end(), m_laneOffsets.begin());
    m_byLane.resize(m_laneOffsets.back());
    std::vector<std::size_t> next(m_laneOffsets.begin(), m_laneOffsets.end() - 1);
    m_trace.forEach([&](const Span& span) {
        if (wanted(span)) m_byLane[next[span.lane]++] = &span;
    });
    for (std::size_t i = 0; i < lanes; ++i) {
        const auto at = [this](std::size_t offset) { return m_byLane.begin() + static_cast<std::ptrdiff_t>(offset); };
        std::sort(at(m_laneOffsets[i]), at(m_laneOffsets[i + 1]), [](const Span* a, const Span* b) {
            return std::tie(a->begin, a->end, a->step) < std::tie(b->begin, b->end, b->step);
        });
    }
}

void TraceIndex::gatherSteps() {
    m_byStep = m_byLane;
    std::sort(m_byStep.begin(), m_byStep.end(), [](const Span* a, const Span* b) {
        return std::tie(a->step, a->begin, a->lane) < std::tie(b->step, b->begin, b->lane);
    });
    for (std::size_t i = 0; i < m_byStep.size(); ++i) {
        const Span& span = *m_byStep[i];
        if (m_steps.empty() || m_steps.back().id != span.step) {
            StepRecord step;
            step.id = span.step;
            step.image = span.image;
            step.cause = span.cause;
            step.stepTemplate = span.stepTemplate;
            step.ready = span.ready;
            step.submitted = span.submitted;
            step.begin = span.begin;
            step.end = span.end;
            step.firstPart = static_cast<std::uint32_t>(i);
            m_steps.push_back(step);
        }
        StepRecord& step = m_steps.back();
        ++step.partCount;
        step.bytes = std::max(step.bytes, span.bytes);  // each part says what the step moves
        step.end = std::max(step.end, span.end);
    }
    // Ids count up from 0 in traces that we made: look them up in a table then.
    const std::size_t most = m_steps.empty() ? 0 : m_steps.back().id.index();
    if (m_steps.empty() || most > 4 * m_steps.size() + 1024) return;
    m_positions.assign(most + 1, noStep);
    for (std::size_t i = 0; i < m_steps.size(); ++i) m_positions[m_steps[i].id.index()] = static_cast<StepPosition>(i);
}

void TraceIndex::gatherMade() {
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        const StepRecord& step = m_steps[i];
        const MemoryId memory = outputMemory(step);
        for (const std::uint16_t slot : templateOf(step).outputs) {
            for (const ImageIndex image : images(step)) {
                m_made.push_back({bufferKey(image, slot, memory), step.end, static_cast<StepPosition>(i)});
                noteOwner(slot, image);
            }
        }
    }
    std::sort(m_made.begin(), m_made.end(), [](const Made& a, const Made& b) {
        return std::tie(a.buffer, a.end, a.step) < std::tie(b.buffer, b.end, b.step);
    });
}

void TraceIndex::noteOwner(std::uint16_t slot, ImageIndex image) {
    if (m_slotOwner.size() <= slot) m_slotOwner.resize(slot + 1U, {OwnerCount::none, {}});
    auto& [count, owner] = m_slotOwner[slot];
    if (count == OwnerCount::none) {
        count = OwnerCount::one;
        owner = image;
    } else if (owner != image) {
        count = OwnerCount::several;
    }
}

/// The image whose buffer `image` reads in `slot`: another one's when that alone has the slot (constants).
ImageIndex TraceIndex::ownerOf(std::uint16_t slot, ImageIndex image) const {
    if (slot >= m_slotOwner.size() || m_slotOwner[slot].first != OwnerCount::one) return image;
    return m_slotOwner[slot].second;
}

void TraceIndex::markSuperseded() {
    for (const Superseded& record : m_trace.superseded) {
        const StepPosition position = find(record.step);
        if (position == noStep) continue;
        StepRecord& step = m_steps[position];
        if (!record.image.valid() || images(step).size() == 1) step.superseded = true;
    }
}

void TraceIndex::findLanePredecessors() {
    for (std::size_t i = 0; i < laneCount(); ++i) {
        StepPosition last = noStep;
        for (const Span* span : lane(LaneId(i))) {
            const StepPosition position = find(span->step);
            keepLatest(m_steps[position].lanePrevious, last, position);
            if (last == noStep || m_steps[last].end <= m_steps[position].end) last = position;
        }
    }
}

void TraceIndex::findUnitPredecessors() {
    if (!m_trace.machine) return;
    const Machine& machine = *m_trace.machine;
    for (const Device& device : machine.devices) {
        if (!device.synchronous) continue;
        std::vector<std::uint8_t> inUnit(laneCount(), 0);
        for (const LaneId id : device.lanes) inUnit[id.index()] = 1;
        findPredecessorsIn(inUnit);
    }
    for (const CapacityGroup& group : machine.groups) {
        if (group.rule != GroupRule::exclusive) continue;
        std::vector<std::uint8_t> inUnit(laneCount(), 0);
        for (const GroupMember& member : group.members) inUnit[member.lane.index()] = 1;
        findPredecessorsIn(inUnit);
    }
}

void TraceIndex::findPredecessorsIn(std::span<const std::uint8_t> laneInUnit) {
    std::vector<StepPosition> order;
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        if (laneInUnit[m_byStep[m_steps[i].firstPart]->lane]) order.push_back(static_cast<StepPosition>(i));
    }
    std::sort(order.begin(), order.end(), [this](StepPosition a, StepPosition b) { return before(a, b); });
    StepPosition last = noStep;
    for (const StepPosition position : order) {
        keepLatest(m_steps[position].unitPrevious, last, position);
        if (last == noStep || m_steps[last].end <= m_steps[position].end) last = position;
    }
}

StepPosition TraceIndex::lastMaker(ImageIndex image, std::uint16_t slot, MemoryId memory, Instant by) const {
    const std::uint64_t buffer = bufferKey(ownerOf(slot, image), slot, memory);
    const auto found =
        std::upper_bound(m_made.begin(), m_made.end(), std::tie(buffer, by),
                         [](const auto& wanted, const Made& made) { return wanted < std::tie(made.buffer, made.end); });
    return found != m_made.begin() && std::prev(found)->buffer == buffer ? std::prev(found)->step : noStep;
}

void TraceIndex::findBlocker(StepPosition position) {
    StepRecord& step = m_steps[position];
    forEachMaker(step, [&](StepPosition maker) { keepLatest(step.blocker, maker, position); });
    if (step.cause.valid()) keepLatest(step.blocker, find(step.cause), position);
    if (step.blocker == noStep || templateOf(step).category != SpanCategory::read) return;
    step.windowed = m_steps[step.blocker].image != step.image;
}

bool TraceIndex::before(StepPosition a, StepPosition b) const {
    return std::tie(m_steps[a].begin, m_steps[a].id) < std::tie(m_steps[b].begin, m_steps[b].id);
}

/// Of two predecessors of `of` the one that ended last; candidates that do not come before `of` are refused.
void TraceIndex::keepLatest(StepPosition& kept, StepPosition candidate, StepPosition of) const {
    if (candidate == noStep || candidate == of || !before(candidate, of)) return;
    if (kept == noStep || m_steps[kept].end <= m_steps[candidate].end) kept = candidate;
}

std::span<const Span* const> TraceIndex::lane(LaneId lane) const {
    const std::size_t begin = m_laneOffsets[lane.index()];
    return {m_byLane.data() + begin, m_laneOffsets[lane.index() + 1] - begin};
}

StepPosition TraceIndex::find(StepId step) const {
    if (!m_positions.empty()) return step.index() < m_positions.size() ? m_positions[step.index()] : noStep;
    const auto found = std::lower_bound(m_steps.begin(), m_steps.end(), step,
                                        [](const StepRecord& record, StepId id) { return record.id < id; });
    if (found == m_steps.end() || found->id != step) return noStep;
    return static_cast<StepPosition>(found - m_steps.begin());
}

std::span<const Span* const> TraceIndex::parts(const StepRecord& step) const {
    return {m_byStep.data() + step.firstPart, step.partCount};
}

std::span<const ImageIndex> TraceIndex::images(const StepRecord& step) const {
    const auto found =
        std::lower_bound(m_batchOrder.begin(), m_batchOrder.end(), step.id,
                         [this](std::uint32_t batch, StepId id) { return m_trace.batches[batch].step < id; });
    if (found != m_batchOrder.end() && m_trace.batches[*found].step == step.id) return m_trace.batches[*found].images;
    return {&step.image, 1};
}

MemoryId TraceIndex::memoryOf(const Span& span) const {
    const Machine& machine = *m_trace.machine;
    const DeviceId device = machine.lane(LaneId(std::size_t{span.lane})).device;
    return device == machine.storageDevice ? machine.hostMemory : machine.device(device).memory;
}

MemoryId TraceIndex::inputMemory(const StepRecord& step) const {
    const TraceTemplate& description = templateOf(step);
    return description.category == SpanCategory::copy ? description.from : memoryOf(*m_byStep[step.firstPart]);
}

MemoryId TraceIndex::outputMemory(const StepRecord& step) const {
    const TraceTemplate& description = templateOf(step);
    return description.category == SpanCategory::copy ? description.to : memoryOf(*m_byStep[step.firstPart]);
}

Instant TraceIndex::endOf(StepPosition position) const {
    return position == noStep ? m_trace.start : m_steps[position].end;
}

}  // namespace lanewright
