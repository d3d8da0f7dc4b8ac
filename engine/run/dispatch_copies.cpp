// SPDX-License-Identifier: GPL-3.0-or-later
// Which memories hold what, which copies follow from that, and when a buffer is free again.
#include "engine/run/dispatch_rules.h"

#include <algorithm>

namespace lanewright {

/// The image whose buffers these are: constants belong to the pseudo-image.
Dispatch::Rules::ImageState& Dispatch::Rules::holder(ImageState& image, SlotIndex index) {
    const FormatClass& formatClass = m_plan.formatClass(image.formatClass);
    if (!formatClass.slots[index.index()].constant) return image;
    return images.at(m_plan.constantsImage());
}

Dispatch::Rules::SlotState& Dispatch::Rules::slot(ImageState& image, SlotIndex index) {
    return holder(image, index).slots[index.index()];
}

const Dispatch::Rules::SlotState& Dispatch::Rules::slot(const ImageState& image, SlotIndex index) const {
    const bool constant = m_plan.formatClass(image.formatClass).slots[index.index()].constant;
    return (constant ? images.at(m_plan.constantsImage()) : image).slots[index.index()];
}

DeviceId Dispatch::Rules::runsOn(const StepTemplate& step, const StageState& state) const {
    if (step.place == TemplatePlace::storage) return m_machine.storageDevice;
    return step.place == TemplatePlace::host ? m_machine.hostDevice : state.device;
}

DeviceId Dispatch::Rules::ownerOf(MemoryId memory) const {
    if (memory == m_machine.hostMemory) return m_machine.hostDevice;
    for (std::size_t d = 0; d < m_machine.devices.size(); ++d) {
        if (m_machine.devices[d].memory == memory) return DeviceId(d);
    }
    return m_machine.hostDevice;
}

/// A step may queue behind an unfinished step of the same device, unless that is the host's.
bool Dispatch::Rules::behind(DeviceId id, StepId stepId) const {
    if (!stepId.valid() || m_machine.device(id).memory == m_machine.hostMemory) return false;
    const auto found = steps.find(stepId);
    return found != steps.end() && found->second.device == id;
}

/// True when every input is in the device's memory, or will be by a step that this one may queue behind. Asks for the
/// copies that are missing.
bool Dispatch::Rules::inputsThere(ImageState& image, const StepTemplate& step, DeviceId id) {
    const MemoryId memory = m_machine.device(id).memory;
    bool there = true;
    for (const SlotIndex input : step.inputs) {
        const SlotState& buffer = slot(image, input);
        if (buffer.in(memory)) continue;
        const dispatch::Coming* coming = buffer.comingTo(memory);
        if (coming && behind(id, coming->step)) continue;
        there = false;
        if (!coming) requestCopy(image, step.stage, input, memory);
    }
    return there;
}

/// False while a step that no longer counts still writes where this one would.
bool Dispatch::Rules::outputsClear(const ImageState& image, const StepTemplate& step, DeviceId id) const {
    const MemoryId memory = m_machine.device(id).memory;
    return std::none_of(step.outputs.begin(), step.outputs.end(), [&](SlotIndex output) {
        const SlotState& buffer = image.slots[output.index()];
        return buffer.comingTo(memory) || buffer.in(memory);
    });
}

/// Queues the first hop from the nearest memory that holds the buffer, or will by an unfinished step of its device.
void Dispatch::Rules::requestCopy(ImageState& image, StageIndex consumer, SlotIndex index, MemoryId to) {
    ImageState& owner = holder(image, index);
    SlotState& buffer = owner.slots[index.index()];
    std::vector<LinkId> best;
    const auto consider = [&](MemoryId from) {
        auto route = m_machine.route(from, to);
        if (!route.empty() && (best.empty() || route.size() < best.size())) best = std::move(route);
    };
    for (const auto& residence : buffer.valid) consider(residence.memory);
    if (best.empty()) {
        for (const auto& coming : buffer.coming) {
            if (behind(ownerOf(coming.memory), coming.step)) consider(coming.memory);
        }
    }
    if (best.empty()) return;
    const Link& hop = m_machine.link(best.front());
    if (buffer.in(hop.to) || buffer.comingTo(hop.to)) return;
    const DeviceId mover = m_machine.lane(hop.lane).device;
    if (device(mover).lost) return;
    buffer.coming.push_back({hop.to, {}});
    const TemplateId id = m_plan.formatClass(owner.formatClass).copyTemplate(index, best.front());
    m_copies[hop.lane.index()].push_back({id, owner.image, consumer, depthOf(image.formatClass, consumer), 0, true});
}

/// A device takes in a limited number of images ahead, so that its memory is not filled with what it cannot start.
bool Dispatch::Rules::enter(ImageState& image, DeviceId id) {
    const std::uint64_t bit = std::uint64_t{1} << id.index();
    const std::int32_t most = m_plan.limits.imagesOnDevice.empty() ? 0 : m_plan.limits.imagesOnDevice[id.index()];
    if (most == 0 || (image.onDevices & bit) != 0 || image.image == m_plan.constantsImage()) return true;
    DeviceState& state = device(id);
    if (state.imagesIn >= static_cast<std::uint32_t>(most)) {
        if (std::find(state.waiting.begin(), state.waiting.end(), image.image) == state.waiting.end()) {
            state.waiting.push_back(image.image);
        }
        return false;
    }
    image.onDevices |= bit;
    ++state.imagesIn;
    return true;
}

void Dispatch::Rules::leave(ImageState& image) {
    for (std::size_t d = 0; image.onDevices >> d != 0; ++d) {
        if ((image.onDevices >> d & 1U) == 0) continue;
        const MemoryId memory = m_machine.devices[d].memory;
        const bool holds = std::any_of(image.slots.begin(), image.slots.end(), [memory](const SlotState& buffer) {
            return buffer.in(memory) || buffer.comingTo(memory);
        });
        const bool works = std::any_of(image.stages.begin(), image.stages.end(), [d](const StageState& stage) {
            return stage.device == DeviceId(d) && !dispatch::isFinal(stage.phase);
        });
        if (holds || works) continue;
        image.onDevices &= ~(std::uint64_t{1} << d);
        --m_devices[d].imagesIn;
        letIn(DeviceId(d), false);
    }
}

/// Lets waiting images in, the first in input order first; `force`: one more than the limit, so that the run goes on.
void Dispatch::Rules::letIn(DeviceId id, bool force) {
    DeviceState& state = device(id);
    const auto most = static_cast<std::uint32_t>(m_plan.limits.imagesOnDevice[id.index()]);
    while (!state.waiting.empty() && (force || state.imagesIn < most)) {
        const auto first = std::min_element(state.waiting.begin(), state.waiting.end());
        const auto found = images.find(*first);
        state.waiting.erase(first);
        if (found == images.end()) continue;
        ImageState& image = found->second;
        image.onDevices |= std::uint64_t{1} << id.index();
        ++state.imagesIn;
        advance(image);
        leave(image);
        force = false;
    }
}

void Dispatch::Rules::releaseUnneeded(ImageState& image) {
    for (std::size_t i = 0; i < image.slots.size(); ++i) {
        const SlotIndex index(i);
        SlotState& buffer = image.slots[i];
        const bool moving =
            std::any_of(buffer.coming.begin(), buffer.coming.end(), [](const auto& c) { return c.step.valid(); });
        if (moving || buffer.valid.empty()) continue;
        const bool keep = needed(image, index);
        if (!keep) dropQueuedCopies(image, index);
        std::vector<MemoryId> drop;
        for (const auto& residence : buffer.valid) {
            if (!keep || !neededIn(image, index, residence.memory)) drop.push_back(residence.memory);
        }
        for (const MemoryId memory : drop) release(image, index, memory);
    }
    leave(image);
}

bool Dispatch::Rules::needed(const ImageState& image, SlotIndex index) const {
    if (image.image == m_plan.constantsImage()) return !m_constantsEnded;
    const Slot& description = m_plan.formatClass(image.formatClass).slots[index.index()];
    if (description.keptUntilImageEnds) return true;
    return std::any_of(description.consumers.begin(), description.consumers.end(),
                       [&](StageIndex stage) { return !dispatch::isFinal(image.stages[stage.index()].phase); });
}

/// A buffer in device memory is given back as soon as all who still read it have it elsewhere. The host's copy stays: it is
/// what survives a lost device.
bool Dispatch::Rules::neededIn(const ImageState& image, SlotIndex index, MemoryId memory) const {
    const SlotState& buffer = image.slots[index.index()];
    if (memory == m_machine.hostMemory || image.image == m_plan.constantsImage() || !buffer.in(m_machine.hostMemory))
        return true;
    const Slot& description = m_plan.formatClass(image.formatClass).slots[index.index()];
    return std::any_of(description.consumers.begin(), description.consumers.end(), [&](StageIndex stage) {
        const StageState& state = image.stages[stage.index()];
        if (dispatch::isFinal(state.phase)) return false;
        return !state.device.valid() || m_machine.device(state.device).memory == memory;
    });
}

void Dispatch::Rules::release(ImageState& image, SlotIndex index, MemoryId memory) {
    SlotState& buffer = image.slots[index.index()];
    std::erase_if(buffer.valid, [memory](const auto& residence) { return residence.memory == memory; });
    live[memory.index()] -= sizeOf(image.shapes.slots[index.index()]);
    m_released = true;
    out->push_back(ReleaseDecision{{image.image, index, memory}});
}

/// Copies that wait for their lane and that nobody wants any more.
void Dispatch::Rules::dropQueuedCopies(ImageState& image, SlotIndex index) {
    std::erase_if(image.slots[index.index()].coming, [](const auto& coming) { return !coming.step.valid(); });
    const auto mine = [&](const Ready& ready) {
        const StepTemplate& step = m_plan.stepTemplate(ready.stepTemplate);
        return ready.image == image.image && step.kind == TemplateKind::copy && step.inputs.front() == index;
    };
    for (auto& queue : m_copies) std::erase_if(queue, mine);
    for (DeviceState& state : m_devices) std::erase_if(state.outOfMemory, mine);
}

}  // namespace lanewright
