// SPDX-License-Identifier: GPL-3.0-or-later
// A trace in the order that analysis needs: spans by lane, steps put together from their parts, who made each buffer, and
// what each step waited for. Set-up work is left out.
#pragma once

#include "engine/trace/trace.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lanewright {

/// A position in TraceIndex::steps().
using StepPosition = std::uint32_t;
inline constexpr StepPosition noStep = 0xffffffffU;

/// A step put together from its spans: begin of the first part, end of the last. `blocker`, `lanePrevious` and
/// `unitPrevious` always lie before it in (begin, id), so that walks over them end.
struct StepRecord {
    StepId id;
    ImageIndex image;  ///< the first
    StepId cause;
    std::uint16_t stepTemplate = 0;
    bool superseded = false;  ///< for all its images
    bool windowed = false;    ///< a read that waited for `blocker` to end another image
    Instant ready;
    Instant submitted;
    Instant begin;
    Instant end;
    ByteCount bytes;
    std::uint32_t firstPart = 0;
    std::uint32_t partCount = 0;
    StepPosition blocker = noStep;       ///< of its cause and the makers of its inputs, the one that ended last
    StepPosition lanePrevious = noStep;  ///< what ran last before it on its lanes
    StepPosition unitPrevious = noStep;  ///< on the other lanes of a synchronous device or exclusive group

    Duration duration() const { return end - begin; }
};

class TraceIndex {
public:
    /// `trace` must outlive the index. Spans that name a lane or template that is not there are left out.
    explicit TraceIndex(const Trace& trace);

    const Trace& trace() const { return m_trace; }
    std::size_t laneCount() const { return m_laneOffsets.size() - 1; }
    /// Sorted by begin, then end.
    std::span<const Span* const> lane(LaneId lane) const;
    /// Sorted by id.
    std::span<const StepRecord> steps() const { return m_steps; }
    const StepRecord& step(StepPosition position) const { return m_steps[position]; }
    /// noStep: no span has that id.
    StepPosition find(StepId step) const;
    std::span<const Span* const> parts(const StepRecord& step) const;
    std::span<const ImageIndex> images(const StepRecord& step) const;
    const TraceTemplate& templateOf(const StepRecord& step) const { return m_trace.templates[step.stepTemplate]; }
    /// Where the step's inputs and outputs lie (a copy: where from and where to).
    MemoryId inputMemory(const StepRecord& step) const;
    MemoryId outputMemory(const StepRecord& step) const;
    /// Calls f(StepPosition) with the last step before `step` that made each of its inputs where it ran.
    template <class F>
    void forEachMaker(const StepRecord& step, F&& f) const {
        const MemoryId memory = inputMemory(step);
        for (const std::uint16_t slot : templateOf(step).inputs) {
            for (const ImageIndex image : images(step)) {
                const StepPosition maker = lastMaker(image, slot, memory, step.begin);
                if (maker != noStep) f(maker);
            }
        }
    }
    /// When a step that it waited for on its own lanes ended; the start of the run when there was none.
    Instant endOf(StepPosition position) const;

private:
    /// A buffer that a step made. Of one buffer sorted by `end`.
    struct Made {
        std::uint64_t buffer;
        Instant end;
        StepPosition step;
    };

    enum class OwnerCount : std::uint8_t { none, one, several };

    void sortLanes();
    void gatherSteps();
    void gatherMade();
    void noteOwner(std::uint16_t slot, ImageIndex image);
    ImageIndex ownerOf(std::uint16_t slot, ImageIndex image) const;
    StepPosition lastMaker(ImageIndex image, std::uint16_t slot, MemoryId memory, Instant by) const;
    void markSuperseded();
    void findLanePredecessors();
    void findUnitPredecessors();
    void findPredecessorsIn(std::span<const std::uint8_t> laneInUnit);
    void findBlocker(StepPosition position);
    MemoryId memoryOf(const Span& span) const;
    bool before(StepPosition a, StepPosition b) const;
    void keepLatest(StepPosition& kept, StepPosition candidate, StepPosition of) const;

    const Trace& m_trace;
    std::vector<const Span*> m_byLane;
    std::vector<std::size_t> m_laneOffsets;
    std::vector<const Span*> m_byStep;
    std::vector<StepRecord> m_steps;
    std::vector<StepPosition> m_positions;  ///< by StepId; empty: ids are sparse
    std::vector<Made> m_made;
    std::vector<std::pair<OwnerCount, ImageIndex>> m_slotOwner;  ///< by slot: the images that made it
    std::vector<std::uint32_t> m_batchOrder;                     ///< Trace::batches by step
};

}  // namespace lanewright
