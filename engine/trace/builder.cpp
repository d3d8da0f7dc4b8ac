// SPDX-License-Identifier: GPL-3.0-or-later
// Templates from the plan, spans in chunks, snapshots that share full chunks.
#include "engine/trace/builder.h"

#include <algorithm>
#include <utility>

namespace lanewright {
namespace {

constexpr std::size_t chunkSpans = 4096;

SpanCategory categoryOf(TemplateKind kind) {
    switch (kind) {
    case TemplateKind::read: return SpanCategory::read;
    case TemplateKind::operation: return SpanCategory::stage;
    case TemplateKind::conversion: return SpanCategory::conversion;
    case TemplateKind::copy: return SpanCategory::copy;
    case TemplateKind::write: return SpanCategory::write;
    }
    return SpanCategory::stage;
}

/// Gives each class's slots numbers of their own. A constant's slot has its number in the constants' class, so that the
/// one step that makes it and its consumers in every class meet.
class SlotNumbers {
public:
    explicit SlotNumbers(const Plan& plan) : m_plan(plan) {
        std::size_t next = 0;
        for (const FormatClass& formatClass : plan.classes) {
            m_offsets.push_back(next);
            next += formatClass.slots.size();
        }
    }

    std::vector<std::uint16_t> of(FormatClassId formatClass, const std::vector<SlotIndex>& slots) const {
        std::vector<std::uint16_t> numbers;
        for (const SlotIndex slot : slots) {
            const bool constant = m_plan.formatClass(formatClass).slots[slot.index()].constant;
            const FormatClassId owner = constant && m_plan.constantsClass.valid() ? m_plan.constantsClass : formatClass;
            numbers.push_back(static_cast<std::uint16_t>(m_offsets[owner.index()] + slot.index()));
        }
        return numbers;
    }

private:
    const Plan& m_plan;
    std::vector<std::size_t> m_offsets;
};

TraceTemplate describe(const Plan& plan, const StepTemplate& step, const SlotNumbers& numbers) {
    TraceTemplate description;
    description.category = categoryOf(step.kind);
    description.name = step.name;
    description.stage = step.stage;
    description.copyKind = plan.settings.copyKind;
    if (step.stage.valid()) {
        const Stage& stage = plan.pipeline->stage(step.stage);
        description.stageId = stage.id;
        description.letter = std::string(stage.kind->description().letter);
    }
    if (step.kind == TemplateKind::copy && step.link.valid()) {
        const Link& link = plan.machine->link(step.link);
        description.from = link.from;
        description.to = link.to;
        if (plan.machine->lane(link.lane).role == LaneRole::peer) description.copyKind = CopyKind::peer;
    }
    description.inputs = numbers.of(step.formatClass, step.inputs);
    description.outputs = numbers.of(step.formatClass, step.outputs);
    return description;
}

}  // namespace

TraceBuilder::TraceBuilder(const Plan& plan, TraceOrigin origin) {
    m_trace.origin = origin;
    m_trace.machine = plan.machine;
    m_trace.limits = {plan.limits.imagesInFlight, plan.limits.memory};
    m_trace.clockUncertainty.assign(plan.machine->devices.size(), Duration(0));
    const SlotNumbers numbers(plan);
    m_trace.templates.reserve(plan.templates.size());
    for (const StepTemplate& step : plan.templates) m_trace.templates.push_back(describe(plan, step, numbers));
}

std::uint16_t TraceBuilder::addTemplate(TraceTemplate description) {
    m_trace.templates.push_back(std::move(description));
    return static_cast<std::uint16_t>(m_trace.templates.size() - 1);
}

void TraceBuilder::add(const Span& span) {
    if (m_open.capacity() == 0) m_open.reserve(chunkSpans);
    m_open.push_back(span);
    if (m_open.size() < chunkSpans) return;
    m_trace.chunks.push_back(std::make_shared<const SpanChunk>(std::move(m_open)));
    m_open = {};
}

void TraceBuilder::addBatch(Batch batch) { m_trace.batches.push_back(std::move(batch)); }

void TraceBuilder::addSuperseded(Superseded record) { m_trace.superseded.push_back(std::move(record)); }

void TraceBuilder::addOutcome(const Outcome& outcome) { m_trace.outcomes.push_back(outcome); }

void TraceBuilder::addImageEnd(const ImageEnd& end) { m_trace.imageEnds.push_back(end); }

void TraceBuilder::addSample(std::string_view counter, Instant when, double value) {
    auto found = std::find_if(m_trace.counters.begin(), m_trace.counters.end(),
                              [counter](const Counter& known) { return known.name == counter; });
    if (found == m_trace.counters.end()) {
        m_trace.counters.push_back({std::string(counter), {}});
        found = std::prev(m_trace.counters.end());
    }
    if (!found->samples.empty() && found->samples.back().value == value) return;
    found->samples.push_back({when, value});
}

void TraceBuilder::setClockUncertainty(DeviceId device, Duration uncertainty) {
    m_trace.clockUncertainty[device.index()] = uncertainty;
}

void TraceBuilder::setStart(Instant start) { m_trace.start = start; }

void TraceBuilder::setSeed(std::uint64_t seed) { m_trace.seed = seed; }

Trace TraceBuilder::snapshot(Instant now) const {
    Trace copy = m_trace;
    if (!m_open.empty()) copy.chunks.push_back(std::make_shared<const SpanChunk>(m_open));
    copy.end = now;
    return copy;
}

Trace TraceBuilder::finish(Instant end) {
    if (!m_open.empty()) {
        m_open.shrink_to_fit();
        m_trace.chunks.push_back(std::make_shared<const SpanChunk>(std::move(m_open)));
        m_open = {};
    }
    m_trace.end = end;
    return std::move(m_trace);
}

}  // namespace lanewright
