// SPDX-License-Identifier: GPL-3.0-or-later
// What follows when steps, stages and images end.
#include "engine/run/dispatch_rules.h"

#include <algorithm>

namespace lanewright {
namespace {

OutcomeKind outcomeOf(dispatch::StagePhase phase) {
    switch (phase) {
    case dispatch::StagePhase::done: return OutcomeKind::done;
    case dispatch::StagePhase::failed: return OutcomeKind::failed;
    case dispatch::StagePhase::skipped: return OutcomeKind::skipped;
    default: return OutcomeKind::cancelled;
    }
}

}  // namespace

void Dispatch::Rules::finished(Step step, std::span<const ImageResult> results) {
    if (m_doomed.contains(step.id)) return revoked(std::move(step));
    detach(step);
    for (std::size_t i = 0; i < step.images.size() && i < results.size(); ++i) {
        ImageState& image = images.at(step.images[i]);
        image.lastStep = step.id;
        if (const auto* done = std::get_if<StepDone>(&results[i])) {
            imageDone(step, image, done->actualBytes);
        } else if (const auto* refusal = std::get_if<StepRefused>(&results[i])) {
            refused(step, image, refusal->reason);
        } else {
            failed(step, image, std::get<StepFailed>(results[i]).reason);
        }
        m_touched.push_back(image.image);
    }
    for (const ImageIndex index : step.images) {
        if (index == m_plan.constantsImage()) {
            advanceAll();
        } else {
            advance(images.at(index));
        }
    }
    m_released = true;
}

void Dispatch::Rules::imageDone(const Step& step, ImageState& image, ByteCount actual) {
    const StepTemplate& stepTemplate = m_plan.stepTemplate(step.stepTemplate);
    const MemoryId memory = outputMemory(step);
    for (const SlotIndex output : stepTemplate.outputs) {
        SlotState& buffer = image.slots[output.index()];
        buffer.valid.push_back({memory, now, step.id});
        const bool bytes = std::holds_alternative<BytesShape>(image.shapes.slots[output.index()]);
        if (bytes && stepTemplate.kind != TemplateKind::copy) buffer.actual = actual;
    }
    if (stepTemplate.kind != TemplateKind::copy) stageStepDone(step, image);
}

void Dispatch::Rules::stageStepDone(const Step& step, ImageState& image) {
    const StageIndex stage = m_plan.stepTemplate(step.stepTemplate).stage;
    StageState& state = image.stages[stage.index()];
    if (dispatch::isFinal(state.phase)) return;
    state.finished.push_back({step.stepTemplate, step.id, step.attempt});
    const auto& variants = m_plan.formatClass(image.formatClass).stages[stage.index()].variants;
    const bool last = std::any_of(variants.begin(), variants.end(),
                                  [&](const Variant& variant) { return variant.chain.back() == step.stepTemplate; });
    state.phase = last ? StagePhase::done : cancelled ? StagePhase::cancelled : StagePhase::waiting;
}

/// Images in which a stage has ended: frees what nobody reads any more, ends the image with its last stage.
bool Dispatch::Rules::sweep() {
    bool any = false;
    while (!m_touched.empty()) {
        const ImageIndex index = m_touched.back();
        m_touched.pop_back();
        const auto found = images.find(index);
        if (found == images.end()) continue;
        any = true;
        advance(found->second);
        if (index == m_plan.constantsImage()) advanceAll();
        releaseUnneeded(found->second);
        endImageIfFinal(index);
    }
    return any;
}

void Dispatch::Rules::endImageIfFinal(ImageIndex index) {
    ImageState& image = images.at(index);
    if (index == m_plan.constantsImage() || image.stepsInFlight > 0) return;
    const auto& order = m_plan.formatClass(image.formatClass).order;
    const bool ended = std::all_of(order.begin(), order.end(), [&](StageIndex stage) {
        return dispatch::isFinal(image.stages[stage.index()].phase);
    });
    if (ended) endImage(image);
}

void Dispatch::Rules::endImage(ImageState& image) {
    const ImageIndex index = image.image;
    for (const StageIndex stage : m_plan.formatClass(image.formatClass).order) {
        StageState& state = image.stages[stage.index()];
        out->push_back(EndDecision{index, stage, outcomeOf(state.phase), std::move(state.message)});
    }
    for (std::size_t i = 0; i < image.slots.size(); ++i) {
        dropQueuedCopies(image, SlotIndex(i));
        while (!image.slots[i].valid.empty()) release(image, SlotIndex(i), image.slots[i].valid.back().memory);
    }
    for (std::size_t d = 0; d < m_devices.size(); ++d) std::erase(m_devices[d].waiting, index);
    leave(image);
    out->push_back(ImageEndDecision{index, image.lastStep});
    if (index == m_plan.constantsImage()) {
        images.erase(index);
        return;
    }
    m_openedBy = image.lastStep;
    m_reserved -= image.reserved;
    --imagesInFlight;
    images.erase(index);
    m_policy.ended(index);
}

/// The constants outlive all images. A stage of theirs that never had to work counts as skipped.
void Dispatch::Rules::endConstants() {
    if (m_constantsEnded) return;
    m_constantsEnded = true;
    ImageState& constants = images.at(m_plan.constantsImage());
    for (StageState& state : constants.stages) {
        if (!dispatch::isFinal(state.phase)) state.phase = cancelled ? StagePhase::cancelled : StagePhase::skipped;
    }
    endImage(constants);
}

void Dispatch::Rules::supersede(const Step& step, std::string_view reason, ImageIndex image) {
    out->push_back(SupersedeDecision{step.id, step.attempt, {std::string(reason), {}}, image});
}

bool Dispatch::Rules::complete() const {
    return m_nextImage == m_plan.imageCount() && images.empty() && steps.empty() && m_constantsEnded;
}

}  // namespace lanewright
