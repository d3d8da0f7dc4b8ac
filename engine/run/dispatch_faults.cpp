// SPDX-License-Identifier: GPL-3.0-or-later
// What goes wrong is in the rules: refused, failed, out of memory, device lost, cancelled, stuck.
#include "engine/run/dispatch_rules.h"

#include <algorithm>

namespace lanewright {

/// The image alone takes another device.
void Dispatch::Rules::refused(const Step& step, ImageState& image, const Message& reason) {
    dropOutputs(step, image);
    const StepTemplate& stepTemplate = m_plan.stepTemplate(step.stepTemplate);
    if (stepTemplate.kind == TemplateKind::copy) return failed(step, image, reason);
    supersede(step, "attempt.refused", image.image);
    StageState& state = image.stages[stepTemplate.stage.index()];
    ++state.attempt;
    rebind({step.stepTemplate, image.image, stepTemplate.stage, 0, state.attempt, true}, step.device, reason);
}

void Dispatch::Rules::failed(const Step& step, ImageState& image, const Message& reason) {
    dropOutputs(step, image);
    const StepTemplate& stepTemplate = m_plan.stepTemplate(step.stepTemplate);
    if (stepTemplate.kind != TemplateKind::copy) return failStage(image, stepTemplate.stage, reason);
    // A copy that failed: those who wait for it where it should have gone cannot go on.
    const MemoryId to = m_machine.link(stepTemplate.link).to;
    const auto& formatClass = m_plan.formatClass(image.formatClass);
    for (const StageIndex stage : formatClass.slots[stepTemplate.inputs.front().index()].consumers) {
        const StageState& state = image.stages[stage.index()];
        const bool there = state.device.valid() && m_machine.device(state.device).memory == to;
        if (there && !dispatch::isFinal(state.phase)) failStage(image, stage, reason);
    }
}

/// The step's outputs in its memory will not be: what counted on them is taken back.
void Dispatch::Rules::dropOutputs(const Step& step, ImageState& image) {
    if (!device(step.device).lost) doomDependents(step);
    const MemoryId memory = outputMemory(step);
    const StageIndex own = m_plan.stepTemplate(step.stepTemplate).stage;
    for (const SlotIndex output : m_plan.stepTemplate(step.stepTemplate).outputs) {
        if (!image.slots[output.index()].available()) dropQueuedCopies(image, output);
        for (const StageIndex stage : m_plan.formatClass(image.formatClass).slots[output.index()].consumers) {
            StageState& state = image.stages[stage.index()];
            if (stage == own || state.phase != StagePhase::queued) continue;
            unqueue(image.image, stage);
            state.phase = StagePhase::waiting;
            m_touched.push_back(image.image);
        }
        live[memory.index()] -= sizeOf(image.shapes.slots[output.index()]);
        out->push_back(ReleaseDecision{{image.image, output, memory}});
    }
}

/// Steps queued behind one that did not end well: whatever they do, it does not count.
void Dispatch::Rules::doomDependents(const Step& step) {
    for (const auto& [id, other] : steps) {
        if (std::find(other.after.begin(), other.after.end(), step.id) == other.after.end()) continue;
        if (!m_doomed.insert(id).second) continue;
        out->push_back(RevokeDecision{id});
        doomDependents(other);
    }
}

void Dispatch::Rules::backToWaiting(const Step& step, ImageState& image) {
    dropOutputs(step, image);
    m_touched.push_back(image.image);
    const StepTemplate& stepTemplate = m_plan.stepTemplate(step.stepTemplate);
    if (stepTemplate.kind == TemplateKind::copy) return;
    StageState& state = image.stages[stepTemplate.stage.index()];
    if (!dispatch::isFinal(state.phase)) state.phase = cancelled ? StagePhase::cancelled : StagePhase::waiting;
}

void Dispatch::Rules::revoked(Step step) {
    detach(step);
    m_doomed.erase(step.id);
    supersede(step, "attempt.revoked", {});
    for (const ImageIndex index : step.images) {
        ImageState& image = images.at(index);
        const StepTemplate& stepTemplate = m_plan.stepTemplate(step.stepTemplate);
        if (stepTemplate.kind != TemplateKind::copy) ++image.stages[stepTemplate.stage.index()].attempt;
        backToWaiting(step, image);
    }
}

/// Nothing of it ran: what queued behind it is taken back, it waits for memory itself.
void Dispatch::Rules::outOfMemory(Step step) {
    if (m_doomed.contains(step.id)) return revoked(std::move(step));
    detach(step);
    supersede(step, "attempt.outOfMemory", {});
    const StepTemplate& stepTemplate = m_plan.stepTemplate(step.stepTemplate);
    DeviceState& short_ = device(ownerOf(outputMemory(step)));
    for (const ImageIndex index : step.images) {
        ImageState& image = images.at(index);
        dropOutputs(step, image);
        Ready ready{step.stepTemplate,
                    index,
                    stepTemplate.stage,
                    depthOf(image.formatClass, stepTemplate.stage),
                    static_cast<std::uint8_t>(step.attempt + 1),
                    true};
        if (stepTemplate.kind == TemplateKind::copy) {
            image.slots[stepTemplate.outputs.front().index()].coming.push_back({outputMemory(step), {}});
        } else {
            StageState& state = image.stages[stepTemplate.stage.index()];
            state.phase = cancelled ? StagePhase::cancelled : StagePhase::queued;
            state.attempt = ready.attempt;
        }
        if (cancelled) {
            m_touched.push_back(index);
        } else {
            short_.outOfMemory.push_back(ready);
        }
    }
}

void Dispatch::Rules::retryOutOfMemory() {
    m_released = false;
    for (DeviceState& state : m_devices) {
        const auto waiting = std::move(state.outOfMemory);
        state.outOfMemory.clear();
        for (const Ready& ready : waiting) requeue(ready);
    }
}

void Dispatch::Rules::requeue(const Ready& ready) {
    const StepTemplate& stepTemplate = m_plan.stepTemplate(ready.stepTemplate);
    if (stepTemplate.kind == TemplateKind::copy) {
        m_copies[m_machine.link(stepTemplate.link).lane.index()].push_back(ready);
        return;
    }
    const StageState& state = images.at(ready.image).stages[ready.stage.index()];
    device(runsOn(stepTemplate, state)).queue.push_back(ready);
}

/// Nothing is in flight there, so no release will come by itself: smaller batches, then dropping what is valid elsewhere,
/// then another device.
bool Dispatch::Rules::resolveOutOfMemory(DeviceId id) {
    DeviceState& state = device(id);
    if (state.outOfMemory.empty() || state.stepsInFlight > 0) return false;
    const auto waiting = std::move(state.outOfMemory);
    state.outOfMemory.clear();
    const Ready first = waiting.front();
    StageState& stage = images.at(first.image).stages[first.stage.index()];
    const bool copy = m_plan.stepTemplate(first.stepTemplate).kind == TemplateKind::copy;
    std::int32_t& batch = state.batch[first.stage.index()];
    if (!copy && batch > 1) {
        batch /= 2;
    } else if (!stage.freedOnce && freeDuplicates(id, first)) {
        stage.freedOnce = true;
        for (const Ready& ready : waiting) reconsider(ready);
        return true;
    } else {
        rebind(first, id, {"device.outOfMemory", {{"device", m_machine.device(id).name}}});
        for (std::size_t i = 1; i < waiting.size(); ++i) requeue(waiting[i]);
        return true;
    }
    for (const Ready& ready : waiting) requeue(ready);
    return true;
}

/// The stage leaves `id` for the next device that it may use, or fails with `reason`.
void Dispatch::Rules::rebind(const Ready& ready, DeviceId id, const Message& reason) {
    ImageState& image = images.at(ready.image);
    const StepTemplate& stepTemplate = m_plan.stepTemplate(ready.stepTemplate);
    const bool copy = stepTemplate.kind == TemplateKind::copy;
    if (copy) {
        auto& coming = image.slots[stepTemplate.outputs.front().index()].coming;
        std::erase_if(coming, [](const auto& entry) { return !entry.step.valid(); });
    }
    std::vector<StageIndex> leaving{ready.stage};
    if (copy) {
        leaving = m_plan.formatClass(image.formatClass).slots[stepTemplate.inputs.front().index()].consumers;
    }
    for (const StageIndex stage : leaving) {
        StageState& state = image.stages[stage.index()];
        if (dispatch::isFinal(state.phase) || (state.device.valid() && state.device != id)) continue;
        state.tried |= std::uint64_t{1} << id.index();
        // Queued behind the copy: it is on its way back and will find another device then.
        if (copy && state.phase == StagePhase::running) continue;
        unqueue(image.image, stage);
        unclaim(state);
        const auto next = alternative(stage, state);
        if (!next) {
            failStage(image, stage, reason);
            continue;
        }
        state.device = *next;
        state.phase = StagePhase::waiting;
    }
    m_touched.push_back(image.image);
}

/// Gives back buffers of the device's memory that are valid elsewhere, but for those that `first` reads; steps that counted
/// on them ask again.
bool Dispatch::Rules::freeDuplicates(DeviceId id, const Ready& first) {
    const MemoryId memory = m_machine.device(id).memory;
    const auto& read = m_plan.stepTemplate(first.stepTemplate).inputs;
    bool any = false;
    for (auto& [index, image] : images) {
        for (std::size_t i = 0; i < image.slots.size(); ++i) {
            const SlotState& buffer = image.slots[i];
            if (!buffer.in(memory) || buffer.valid.size() < 2 || !buffer.coming.empty()) continue;
            if (index == first.image && std::find(read.begin(), read.end(), SlotIndex(i)) != read.end()) continue;
            release(image, SlotIndex(i), memory);
            any = true;
        }
    }
    if (any) emptyQueues(id);
    return any;
}

/// Stages that stood in the device's queue find their way again.
void Dispatch::Rules::emptyQueues(DeviceId id) {
    const auto queue = std::move(device(id).queue);
    device(id).queue.clear();
    for (const Ready& ready : queue) reconsider(ready);
}

/// What stood in a queue and counted on inputs that may be gone looks for its way again.
void Dispatch::Rules::reconsider(const Ready& ready) {
    if (m_plan.stepTemplate(ready.stepTemplate).kind == TemplateKind::copy) return requeue(ready);
    unqueue(ready.image, ready.stage);
    const auto found = images.find(ready.image);
    if (found == images.end()) return;
    StageState& state = found->second.stages[ready.stage.index()];
    if (state.phase == StagePhase::queued) state.phase = StagePhase::waiting;
    m_touched.push_back(ready.image);
}

void Dispatch::Rules::deviceLost(DeviceId id, const Message& reason) {
    DeviceState& state = device(id);
    if (state.lost) return;
    state.lost = true;
    state.lostReason = reason;
    std::vector<StepId> lost;
    for (const auto& [stepId, step] : steps) {
        if (step.device == id) lost.push_back(stepId);
    }
    std::sort(lost.begin(), lost.end());
    for (const StepId stepId : lost) loseStep(steps.extract(stepId).mapped());
    auto waiting = std::move(state.outOfMemory);
    state.outOfMemory.clear();
    for (const Ready& ready : waiting) {
        StageState& stage = images.at(ready.image).stages[ready.stage.index()];
        if (stage.phase == StagePhase::queued) stage.phase = StagePhase::waiting;
    }
    emptyQueues(id);
    for (auto& [index, image] : images) loseMemory(image, id);
    state.waiting.clear();
    state.imagesIn = 0;
    advanceAll();
}

void Dispatch::Rules::loseStep(const Step& step) {
    detach(step);
    supersede(step, "attempt.deviceLost", {});
    for (const ImageIndex index : step.images) {
        ImageState& image = images.at(index);
        const StepTemplate& stepTemplate = m_plan.stepTemplate(step.stepTemplate);
        if (stepTemplate.kind != TemplateKind::copy) ++image.stages[stepTemplate.stage.index()].attempt;
        backToWaiting(step, image);
    }
}

/// What only the device held is gone; copies over its links will not come.
void Dispatch::Rules::loseMemory(ImageState& image, DeviceId id) {
    const MemoryId memory = m_machine.device(id).memory;
    for (const LaneId lane : m_machine.device(id).lanes) {
        for (const Ready& ready : m_copies[lane.index()]) {
            if (ready.image != image.image) continue;
            const StepTemplate& copy = m_plan.stepTemplate(ready.stepTemplate);
            const MemoryId to = m_machine.link(copy.link).to;
            std::erase_if(image.slots[copy.inputs.front().index()].coming,
                          [to](const auto& coming) { return coming.memory == to && !coming.step.valid(); });
        }
        std::erase_if(m_copies[lane.index()], [&](const Ready& ready) { return ready.image == image.image; });
    }
    for (std::size_t i = 0; i < image.slots.size(); ++i) {
        std::erase_if(image.slots[i].coming, [memory](const auto& coming) { return coming.memory == memory; });
        if (image.slots[i].in(memory)) release(image, SlotIndex(i), memory);
    }
    for (StageState& state : image.stages) {
        if (state.device != id || dispatch::isFinal(state.phase)) continue;
        unclaim(state);
        state.device = {};
        if (state.phase == StagePhase::queued) state.phase = StagePhase::waiting;
    }
    image.onDevices &= ~(std::uint64_t{1} << id.index());
    m_touched.push_back(image.image);
}

void Dispatch::Rules::cancel() {
    cancelled = true;
    for (auto& queue : m_copies) queue.clear();
    for (DeviceState& state : m_devices) {
        state.queue.clear();
        state.outOfMemory.clear();
        state.waiting.clear();
    }
    for (auto& [index, image] : images) {
        for (SlotState& buffer : image.slots) {
            std::erase_if(buffer.coming, [](const auto& coming) { return !coming.step.valid(); });
        }
        for (const StageIndex stage : m_plan.formatClass(image.formatClass).order) {
            StageState& state = image.stages[stage.index()];
            if (state.phase == StagePhase::waiting || state.phase == StagePhase::queued)
                state.phase = StagePhase::cancelled;
        }
        m_touched.push_back(index);
    }
    for (const auto& [id, step] : steps) out->push_back(RevokeDecision{id});
}

/// Nothing can start and nothing is in flight: better an end with a reason than none.
void Dispatch::Rules::failStuck() {
    std::vector<ImageIndex> stuck;
    for (const auto& [index, image] : images) stuck.push_back(index);
    for (const ImageIndex index : stuck) {
        ImageState& image = images.at(index);
        for (const StageIndex stage : m_plan.formatClass(image.formatClass).order) {
            const StagePhase phase = image.stages[stage.index()].phase;
            if (phase != StagePhase::waiting && phase != StagePhase::queued) continue;
            failStage(image, stage, {"plan.stuck", {{"stage", m_plan.pipeline->stage(stage).id}}});
        }
        m_touched.push_back(index);
    }
}

}  // namespace lanewright
