// SPDX-License-Identifier: GPL-3.0-or-later
// A trace: what each lane did and when, as predicted, simulated or measured. Immutable chunks of 64-byte spans, so that a
// live run can publish snapshots without copying.
#pragma once

#include "engine/machine/machine.h"
#include "kernels/api/ids.h"
#include "kernels/api/result.h"
#include "kernels/api/units.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lanewright {

enum class TraceOrigin : std::uint8_t { predicted, measured, simulated };

/// A step as it happened or is predicted, on one lane. A step over several lanes has one span on each (part spans: equal
/// step id, each with the begin and end of its own part). ready: inputs valid and window open; submitted: handed to the
/// lane; returned: that call came back; begin..end: ran. ready <= submitted <= begin <= end; a step that was queued behind
/// an unfinished one of its device (its cause) is ready only when that ends, after it was submitted.
struct Span {
    Instant ready;
    Instant submitted;
    Instant returned;
    Instant begin;
    Instant end;
    ByteCount bytes;  ///< moved, read, written (a copy, read, write) or produced (an encoder)
    StepId step;
    ImageIndex image;                ///< the first; all of them in Trace::batches when there are several
    StepId cause;                    ///< the step whose end made this one ready; invalid: the start of the run
    std::uint16_t stepTemplate = 0;  ///< TemplateId into Trace::templates
    std::uint16_t lane = 0;          ///< LaneId
};
static_assert(sizeof(Span) == 64);

/// What a template id means to a reader of the trace, without the plan.
enum class SpanCategory : std::uint8_t { stage, conversion, copy, read, write, setup };

struct TraceTemplate {
    SpanCategory category = SpanCategory::stage;
    std::string name;     ///< "resize", "read decode", "copy resize.image opencl:0>host", "set-up: compile resize"
    StageIndex stage;     ///< invalid for set-up
    std::string stageId;  ///< the stage's id in the pipeline
    std::string letter;   ///< on spans
    CopyKind copyKind = CopyKind::pageable;
    MemoryId from;  ///< of a copy
    MemoryId to;
    std::vector<std::uint16_t> inputs;   ///< slots read: equal numbers of one image connect producer and consumer
    std::vector<std::uint16_t> outputs;  ///< slots made
};

/// The images of a step over more than one.
struct Batch {
    StepId step;
    std::vector<ImageIndex> images;
};

/// An attempt that does not count: appended when it is found out, also for steps that had finished.
struct Superseded {
    StepId step;
    std::uint8_t attempt = 0;
    Message reason;  ///< attempt.refused, attempt.outOfMemory, attempt.deviceLost, attempt.failed, attempt.revoked
    Instant when;
    ImageIndex image;  ///< invalid: all images of the step
};

enum class OutcomeKind : std::uint8_t { done, failed, skipped, cancelled };

/// The final outcome of (image, stage). Written when the image ends.
struct Outcome {
    ImageIndex image;
    StageIndex stage;
    OutcomeKind kind = OutcomeKind::done;
};

struct ImageEnd {
    ImageIndex image;
    Instant when;
    StepId lastStep;
};

/// A value over time: "live bytes host", "images in flight".
struct CounterSample {
    Instant when;
    double value = 0;
};
struct Counter {
    std::string name;
    std::vector<CounterSample> samples;
};

struct TraceLimits {
    std::int32_t imagesInFlight = 0;
    std::vector<ByteCount> memory;  ///< by MemoryId
};

using SpanChunk = std::vector<Span>;

/// Spans of one chunk are sorted by end time of arrival, not by begin; analysis sorts per lane. Set-up spans (compile,
/// allocation, first touch) come before `start`; the makespan is from `start` to `end`.
struct Trace {
    TraceOrigin origin = TraceOrigin::measured;
    std::shared_ptr<const Machine> machine;
    std::vector<TraceTemplate> templates;
    std::vector<std::shared_ptr<const SpanChunk>> chunks;
    std::vector<Batch> batches;
    std::vector<Superseded> superseded;
    std::vector<Outcome> outcomes;
    std::vector<ImageEnd> imageEnds;
    std::vector<Counter> counters;
    std::vector<Duration> clockUncertainty;  ///< by DeviceId; 0: the run's own clock
    TraceLimits limits;
    std::uint64_t seed = 0;  ///< of a simulated run
    Instant start;
    Instant end;

    Duration makespan() const { return end - start; }
    std::size_t spanCount() const;
    /// Calls f(const Span&) for every span.
    template <class F>
    void forEach(F&& f) const {
        for (const auto& chunk : chunks) {
            for (const Span& span : *chunk) f(span);
        }
    }
};

}  // namespace lanewright
