// SPDX-License-Identifier: GPL-3.0-or-later
// First attempts that ended well are what teaches; a decoder that gave up halfway says nothing about decoding.
#include "engine/cost/learner.h"

#include "engine/cost/subject.h"

#include <algorithm>

namespace lanewright {

Learner::Learner(const Plan& plan, const Trace& trace, CostMemory& memory)
    : m_plan(plan), m_trace(trace), m_memory(memory), m_load(*plan.machine, trace) {}

void Learner::learn() {
    rememberWhatDoesNotCount();
    ++m_memory.stamp;
    for (const Measured& step : measuredSteps()) learnStep(step);
    m_memory.durations.prune();
    m_memory.outputs.prune();
}

void Learner::rememberWhatDoesNotCount() {
    for (const Superseded& record : m_trace.superseded) m_superseded.insert(record.step);
    for (const Outcome& outcome : m_trace.outcomes) {
        if (outcome.kind != OutcomeKind::done) m_notDone.emplace(outcome.image, outcome.stage);
    }
    for (const Batch& batch : m_trace.batches) m_batches.emplace(batch.step, &batch);
}

std::vector<ImageIndex> Learner::imagesOf(const Span& span) const {
    const auto batch = m_batches.find(span.step);
    return batch == m_batches.end() ? std::vector{span.image} : batch->second->images;
}

std::vector<Learner::Measured> Learner::measuredSteps() const {
    std::vector<const Span*> spans;
    m_trace.forEach([&](const Span& span) {
        if (span.stepTemplate >= m_plan.templates.size() || span.lane >= m_plan.machine->lanes.size()) return;
        if (span.begin < m_trace.start || m_superseded.contains(span.step)) return;
        spans.push_back(&span);
    });
    // In the order of their ends, so that what is recent comes last; the parts of a step together.
    std::map<StepId, Instant> ends;
    for (const Span* span : spans) ends[span->step] = std::max(ends[span->step], span->end);
    std::stable_sort(spans.begin(), spans.end(), [&ends](const Span* a, const Span* b) {
        return std::pair(ends[a->step], a->step) < std::pair(ends[b->step], b->step);
    });
    std::vector<Measured> steps;
    for (const Span* span : spans) {
        if (steps.empty() || steps.back().first->step != span->step) steps.push_back({span, 0});
        steps.back().seconds += m_load.effectiveSeconds(LaneId(std::size_t{span->lane}), span->begin, span->end);
    }
    return steps;
}

void Learner::learnStep(const Measured& step) {
    const Span& span = *step.first;
    const StepTemplate& stepTemplate = m_plan.stepTemplate(TemplateId(std::size_t{span.stepTemplate}));
    const DeviceId device = m_plan.machine->lane(LaneId(std::size_t{span.lane})).device;
    const std::vector<ImageIndex> images = imagesOf(span);
    const ByteCount bytes(span.bytes.value / std::max<std::size_t>(1, images.size()));
    std::vector<CostSubject> subjects;
    double work = 0;
    for (const ImageIndex image : images) {
        if (m_notDone.contains({image, stepTemplate.stage}) || !m_plan.classOf(image).valid()) return;
        const StepQuery query = makeQuery(m_plan, stepTemplate, image, shapes(image), device, bytes, m_scratch);
        subjects.push_back(subjectOf(query));
        work += subjects.back().features.work;
        if (images.size() == 1) learnOutput(query, bytes);
    }
    if (work <= 0 || step.seconds <= 0) return;
    for (const CostSubject& subject : subjects) m_memory.durations.learn(subject, step.seconds / work, m_memory.stamp);
}

void Learner::learnOutput(const StepQuery& query, ByteCount bytes) {
    const auto outputs = query.call.outputs;
    const bool encodes = query.stepTemplate->operation && !outputs.empty() && bytes.value > 0 &&
                         std::holds_alternative<BytesShape>(outputs.front());
    if (!encodes) return;
    m_memory.outputs.learn(outputSubjectOf(query), static_cast<double>(bytes.value) / rawBytesOf(query),
                           m_memory.stamp);
}

const ImageShapes& Learner::shapes(ImageIndex image) {
    constexpr std::size_t most = 512;
    if (m_shapes.size() > most) m_shapes.clear();
    const auto found = m_shapes.find(image);
    if (found != m_shapes.end()) return found->second;
    const bool isConstant = image == m_plan.constantsImage();
    if (!m_plan.constantsClass.valid() || isConstant) {
        return m_shapes.emplace(image, shapesOf(m_plan, image, nullptr)).first->second;
    }
    const ImageShapes constants = shapes(m_plan.constantsImage());
    return m_shapes.emplace(image, shapesOf(m_plan, image, &constants)).first->second;
}

}  // namespace lanewright
