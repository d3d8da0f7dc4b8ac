// SPDX-License-Identifier: GPL-3.0-or-later
// What drivers report becomes spans, records and events of Dispatch, on the thread that reports.
#include "engine/run/executor_impl.h"

#include <algorithm>
#include <utility>

namespace lanewright {

void Executor::Impl::finished(WorkReport report) {
    const std::lock_guard lock(m_mutex);
    const auto found = m_active.find(report.step);
    if (found == m_active.end()) return;
    const Active active = found->second;
    const Step& step = m_dispatch->step(report.step);
    Instant end = active.submitted;
    for (const PartTime& part : report.parts) end = std::max(end, part.end);
    tick(end);
    addSpans(step, active, report);
    noteEnd(step.id, end);
    if (active.stale) {
        m_events.emplace_back(Revoked{step.id});
        settle();
        return;
    }
    std::vector<ImageIndex> notDone;
    for (std::size_t i = 0; i < report.results.size(); ++i) {
        if (!std::holds_alternative<StepDone>(report.results[i])) notDone.push_back(step.images[i]);
    }
    keepRecords(step, report);
    m_active.erase(found);
    m_dispatch->finished(report.step, m_eventTime, report.results, m_decisions);
    if (!notDone.empty()) markStale(report.step, notDone);
    settle();
}

void Executor::Impl::outOfMemory(StepId step) {
    const std::lock_guard lock(m_mutex);
    const auto found = m_active.find(step);
    if (found == m_active.end()) return;
    tick(now());
    if (found->second.stale) {
        m_events.emplace_back(Revoked{step});
    } else {
        m_events.emplace_back(NoMemory{step});
        markStale(step, m_dispatch->step(step).images);
    }
    settle();
}

void Executor::Impl::lost(DeviceId device, Message reason) {
    const std::lock_guard lock(m_mutex);
    auto& known = m_lost[device.index()];
    if (known) return;
    known = std::move(reason);
    if (!m_dispatch) return;  // between repeats: the next one begins with it
    tick(now());
    m_events.emplace_back(Lost{device});
    settle();
}

/// One span for each lane that had a part of the step.
void Executor::Impl::addSpans(const Step& step, const Active& active, const WorkReport& report) {
    Instant begin = Instant::max();
    for (const PartTime& part : report.parts) begin = std::min(begin, part.begin);
    Span span;
    // Behind another step of the device it becomes ready only after it was submitted.
    span.ready = active.ready > active.submitted ? std::min(active.ready, begin) : active.ready;
    span.submitted = active.submitted;
    span.returned = report.returned == Instant{} ? active.returned : report.returned;
    span.bytes = bytesOf(step, report);
    span.step = step.id;
    span.image = step.images.front();
    span.cause = active.cause;
    span.stepTemplate = static_cast<std::uint16_t>(step.stepTemplate.value);
    for (const PartTime& part : report.parts) {
        span.begin = part.begin;
        span.end = part.end;
        span.lane = static_cast<std::uint16_t>(part.lane.value);
        m_builder->add(span);
    }
    if (step.images.size() > 1) m_builder->addBatch({step.id, step.images});
}

/// Moved, read, written, or encoded.
ByteCount Executor::Impl::bytesOf(const Step& step, const WorkReport& report) const {
    const StepTemplate& stepTemplate = m_plan->stepTemplate(step.stepTemplate);
    const bool operation =
        stepTemplate.kind == TemplateKind::operation || stepTemplate.kind == TemplateKind::conversion;
    ByteCount bytes;
    for (std::size_t i = 0; i < step.images.size() && i < report.results.size(); ++i) {
        const auto* done = std::get_if<StepDone>(&report.results[i]);
        if (!done) continue;
        const auto& slots = m_dispatch->shapes(step.images[i]).slots;
        const bool encoded =
            operation && std::holds_alternative<BytesShape>(slots[stepTemplate.outputs.front().index()]);
        if (!operation || encoded) bytes += done->actualBytes;
    }
    return bytes;
}

void Executor::Impl::keepRecords(const Step& step, WorkReport& report) {
    const StepTemplate& stepTemplate = m_plan->stepTemplate(step.stepTemplate);
    for (std::size_t i = 0; i < step.images.size(); ++i) {
        const ImageIndex image = step.images[i];
        if (i < report.warnings.size()) m_records->addWarnings(image, std::move(report.warnings[i]));
        if (stepTemplate.kind != TemplateKind::write) continue;
        const auto* done = std::get_if<StepDone>(&report.results[i]);
        if (!done) continue;
        OutputFile file{m_options.outputName(image, stepTemplate.stage).string(), stepTemplate.stage, done->actualBytes,
                        0};
        if (i < report.checksums.size()) file.checksum = report.checksums[i];
        m_records->addOutput(image, std::move(file));
    }
}

/// Steps that waited for this one on their device are ready now.
void Executor::Impl::noteEnd(StepId step, Instant end) {
    for (auto& [id, active] : m_active) {
        if (end < active.ready || !contains(m_dispatch->step(id).after, step)) continue;
        active.ready = end;
        active.cause = step;
    }
}

}  // namespace lanewright
