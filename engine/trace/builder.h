// SPDX-License-Identifier: GPL-3.0-or-later
// Builds a trace from spans as they come, for the simulator and the executor alike. One thread at a time.
#pragma once

#include "engine/plan/plan.h"
#include "engine/trace/trace.h"

namespace lanewright {

class TraceBuilder {
public:
    /// Templates, limits and lanes come from the plan.
    TraceBuilder(const Plan& plan, TraceOrigin origin);

    /// A further template that the plan does not have (set-up work); returns its id for Span::stepTemplate.
    std::uint16_t addTemplate(TraceTemplate description);
    void add(const Span& span);
    void addBatch(Batch batch);
    void addSuperseded(Superseded record);
    void addOutcome(const Outcome& outcome);
    void addImageEnd(const ImageEnd& end);
    /// Samples of one counter must come in time order; a sample equal to the last value is dropped.
    void addSample(std::string_view counter, Instant when, double value);
    void setClockUncertainty(DeviceId device, Duration uncertainty);
    void setStart(Instant start);
    void setSeed(std::uint64_t seed);

    /// The trace so far; full chunks are shared, the last one is copied.
    Trace snapshot(Instant now) const;
    /// The whole trace; the builder is empty afterwards.
    Trace finish(Instant end);

private:
    Trace m_trace;
    SpanChunk m_open;
};

}  // namespace lanewright
