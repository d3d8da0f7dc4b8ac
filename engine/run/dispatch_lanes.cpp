// SPDX-License-Identifier: GPL-3.0-or-later
// Fills lanes: which queued steps fit a lane, how many images and lanes a step takes, and submitting it.
#include "engine/run/dispatch_rules.h"

#include <algorithm>

namespace lanewright {
namespace {

bool rowParallel(const StepTemplate& step) {
    const bool work = step.kind == TemplateKind::operation || step.kind == TemplateKind::conversion;
    return work && step.operation->cpuKernel() && !step.operation->cpuKernel()->inOrder();
}

}  // namespace

void Dispatch::Rules::settle() {
    for (bool progress = true; progress;) {
        admitImages();
        if (m_released) retryOutOfMemory();
        progress = fill(false);
        progress = sweep() || progress;
        for (std::size_t d = 0; d < m_devices.size() && !progress; ++d) progress = resolveOutOfMemory(DeviceId(d));
        if (!progress && steps.empty()) progress = makeWay();
    }
    if (imagesInFlight == 0 && steps.empty() && m_nextImage == m_plan.imageCount()) endConstants();
}

/// Nothing is in flight: whatever holds the run up must give way.
bool Dispatch::Rules::makeWay() {
    if (fill(true)) return true;
    for (std::size_t d = 0; d < m_devices.size(); ++d) {
        if (m_devices[d].waiting.empty()) continue;
        letIn(DeviceId(d), true);
        return true;
    }
    if (imagesInFlight == 0) return false;
    failStuck();
    return true;
}

bool Dispatch::Rules::fill(bool mustChoose) {
    bool any = false;
    for (bool progress = true; progress;) {
        progress = false;
        for (const LaneId lane : lanesByNeed()) {
            if (!fillLane(lane, mustChoose)) continue;
            progress = any = true;
            mustChoose = false;
        }
    }
    return any;
}

/// Whoever is free takes a step: idle lanes first, the longest idle before all.
const std::vector<LaneId>& Dispatch::Rules::lanesByNeed() {
    m_order.resize(m_lanes.size());
    for (std::size_t i = 0; i < m_order.size(); ++i) m_order[i] = LaneId(i);
    std::stable_sort(m_order.begin(), m_order.end(), [this](LaneId a, LaneId b) {
        const LaneState& first = m_lanes[a.index()];
        const LaneState& second = m_lanes[b.index()];
        return std::pair(first.submitted, first.idleSince) < std::pair(second.submitted, second.idleSince);
    });
    return m_order;
}

std::vector<dispatch::Ready>& Dispatch::Rules::queueOf(LaneId lane) {
    const LaneRole role = m_machine.lane(lane).role;
    const bool copies = role == LaneRole::upload || role == LaneRole::download || role == LaneRole::peer;
    return copies ? m_copies[lane.index()] : device(m_machine.lane(lane).device).queue;
}

/// One step onto the lane, or a stage bound to its device. False: nothing for it now.
bool Dispatch::Rules::fillLane(LaneId lane, bool mustChoose) {
    const Lane& description = m_machine.lane(lane);
    DeviceState& owner = device(description.device);
    if (m_lanes[lane.index()].submitted >= static_cast<std::uint32_t>(description.queueDepth) || owner.lost ||
        cancelled)
        return false;
    if (m_machine.device(description.device).synchronous && owner.stepsInFlight > 0) return false;
    if (queueOf(lane).empty()) return false;
    std::vector<Candidate> candidates;
    std::vector<std::size_t> places;
    collect(lane, candidates, places);
    if (candidates.empty()) return false;
    DispatchState state;
    state.imagesInFlight = imagesInFlight;
    state.stepsInFlight = static_cast<std::uint32_t>(steps.size());
    state.mustChoose = mustChoose;
    for (const LaneId other : m_machine.lanesOf(description.device, description.role)) {
        if (m_lanes[other.index()].submitted == 0) ++state.idleLanes;
    }
    const auto choice = m_policy.choose(lane, candidates, state);
    if (!choice) return false;
    const std::size_t place = places[choice->candidate];
    if (!candidates[choice->candidate].assigned) {
        bindChosen(queueOf(lane)[place], description.device);
        return true;
    }
    return submit(lane, place, *choice);
}

void Dispatch::Rules::collect(LaneId lane, std::vector<Candidate>& candidates, std::vector<std::size_t>& places) {
    const auto& queue = queueOf(lane);
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const Ready& ready = queue[i];
        if (!fits(lane, ready)) continue;
        const std::uint32_t available = ready.assigned ? availableFor(ready, m_machine.lane(lane).device) : 1;
        if (available == 0) continue;
        candidates.push_back(
            {ready.stepTemplate, ready.image, ready.stage, ready.attempt, ready.depth, available, ready.assigned, now});
        places.push_back(i);
    }
}

bool Dispatch::Rules::fits(LaneId lane, const Ready& ready) const {
    const StepTemplate& step = m_plan.stepTemplate(ready.stepTemplate);
    const LaneRole role = m_machine.lane(lane).role;
    if (step.kind == TemplateKind::copy) return true;
    if (step.kind == TemplateKind::read) return role == LaneRole::read;
    if (step.kind == TemplateKind::write) return role == LaneRole::write;
    if (role != LaneRole::worker && role != LaneRole::compute) return false;
    if (ready.assigned) return true;
    // Free choice: no more than the device has room for, and not more copies ahead than it has lanes to use them.
    const DeviceId id = m_machine.lane(lane).device;
    const ImageState& image = images.at(ready.image);
    const std::int32_t most = m_plan.limits.imagesOnDevice[id.index()];
    const bool in = most == 0 || (image.onDevices >> id.index() & 1U) != 0;
    if (!in && device(id).imagesIn >= static_cast<std::uint32_t>(most)) return false;
    return device(id).claims < m_machine.lanesOf(id, role).size() + (role == LaneRole::compute ? 1U : 0U);
}

std::uint32_t Dispatch::Rules::batchOf(const Ready& ready, DeviceId id) const {
    const StepTemplate& step = m_plan.stepTemplate(ready.stepTemplate);
    if (step.place != TemplatePlace::placed) return 1;
    return static_cast<std::uint32_t>(device(id).batch[ready.stage.index()]);
}

/// Images that a step for `ready` could take now; 0 while its batch is still open.
std::uint32_t Dispatch::Rules::availableFor(const Ready& ready, DeviceId id) {
    const std::uint32_t most = batchOf(ready, id);
    if (most <= 1) return 1;
    const auto& queue = device(id).queue;
    const auto together = static_cast<std::uint32_t>(std::count_if(queue.begin(), queue.end(), [&](const Ready& other) {
        return other.assigned && other.stepTemplate == ready.stepTemplate;
    }));
    const bool closes =
        together >= most || device(id).stepsInFlight == 0 || !canJoin(ready.stepTemplate, ready.stage, id);
    return closes ? std::min(together, most) : 0;
}

/// Can an image that is in the window still come to this step on this device?
bool Dispatch::Rules::canJoin(TemplateId id, StageIndex stage, DeviceId deviceId) const {
    const FormatClassId formatClass = m_plan.stepTemplate(id).formatClass;
    return std::any_of(images.begin(), images.end(), [&](const auto& entry) {
        const ImageState& image = entry.second;
        const StageState& state = image.stages[stage.index()];
        if (image.formatClass != formatClass || state.phase != StagePhase::waiting) return false;
        const auto& devices = m_plan.stages[stage.index()].devices;
        const bool listed = std::find(devices.begin(), devices.end(), deviceId) != devices.end();
        return state.device.valid() ? state.device == deviceId : listed;
    });
}

void Dispatch::Rules::bindChosen(const Ready& ready, DeviceId id) {
    const Ready chosen = ready;
    ImageState& image = images.at(chosen.image);
    StageState& state = image.stages[chosen.stage.index()];
    unqueue(chosen.image, chosen.stage);
    state.device = id;
    state.phase = StagePhase::waiting;
    state.claimed = true;
    ++device(id).claims;
    tryQueue(image, chosen.stage);
}

bool Dispatch::Rules::submit(LaneId lane, std::size_t place, const Choice& choice) {
    auto& queue = queueOf(lane);
    const Ready first = queue[place];
    const StepTemplate& stepTemplate = m_plan.stepTemplate(first.stepTemplate);
    const DeviceId id = m_machine.lane(lane).device;
    const std::uint32_t most = choice.batch > 0 ? choice.batch : batchOf(first, id);
    Step step;
    step.stepTemplate = first.stepTemplate;
    step.device = id;
    step.memory =
        stepTemplate.kind == TemplateKind::copy ? m_machine.link(stepTemplate.link).from : m_machine.device(id).memory;
    step.lanes = choice.lanes.empty() ? lanesFor(lane, first) : idleOnly(choice.lanes);
    step.attempt = first.attempt;
    if (step.lanes.empty()) return false;
    std::vector<Ready> parts;
    step.images = takeBatch(queue, place, std::max(1U, most));
    for (const ImageIndex image : step.images) {
        Ready part = first;
        part.image = image;
        parts.push_back(part);
    }
    if (!reserve(step, parts)) return true;
    step.id = StepId(std::size_t{m_nextStep++});
    step.ready = Instant{};
    for (const ImageIndex image : step.images) describeInputs(step, images.at(image), stepTemplate);
    markSubmitted(step);
    m_policy.submitted(step.stepTemplate, step.images, step.lanes);
    out->push_back(SubmitDecision{step.id});
    const Step& kept = steps.emplace(step.id, std::move(step)).first->second;
    if (m_machine.device(id).memory != m_machine.hostMemory) {
        // What comes next on this device may queue behind it.
        const std::vector<ImageIndex> members = kept.images;
        for (const ImageIndex image : members) advance(images.at(image));
    }
    return true;
}

/// `lanes`, or none while one of them that would share the step is at work.
std::vector<LaneId> Dispatch::Rules::idleOnly(std::span<const LaneId> lanes) const {
    const bool busy =
        std::any_of(lanes.begin(), lanes.end(), [&](LaneId lane) { return m_lanes[lane.index()].submitted > 0; });
    if (lanes.size() > 1 && busy) return {};
    return {lanes.begin(), lanes.end()};
}

/// Rows of one image go to several workers when there are fewer images than workers.
std::vector<LaneId> Dispatch::Rules::lanesFor(LaneId lane, const Ready& ready) const {
    const Lane& description = m_machine.lane(lane);
    std::vector<LaneId> idle{lane};
    const auto workers = m_machine.lanesOf(description.device, LaneRole::worker);
    const bool few = imagesInFlight < workers.size();
    if (description.role != LaneRole::worker || !few || !rowParallel(m_plan.stepTemplate(ready.stepTemplate)))
        return idle;
    for (const LaneId other : workers) {
        if (other != lane && m_lanes[other.index()].submitted == 0) idle.push_back(other);
    }
    const auto& queue = device(description.device).queue;
    idle.resize(std::max<std::size_t>(1, idle.size() / std::max<std::size_t>(1, queue.size())));
    return idle;
}

std::vector<ImageIndex> Dispatch::Rules::takeBatch(std::vector<Ready>& queue, std::size_t place, std::uint32_t most) {
    const Ready first = queue[place];
    std::vector<ImageIndex> members{first.image};
    queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(place));
    for (std::size_t i = 0; i < queue.size() && members.size() < most;) {
        const Ready& other = queue[i];
        if (!other.assigned || other.stepTemplate != first.stepTemplate || other.attempt != first.attempt) {
            ++i;
            continue;
        }
        members.push_back(other.image);
        queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::sort(members.begin(), members.end());
    return members;
}

/// Takes the outputs' bytes from the budget; without room the parts wait for a release.
bool Dispatch::Rules::reserve(const Step& step, const std::vector<Ready>& parts) {
    const MemoryId memory = outputMemory(step);
    ByteCount need;
    for (const ImageIndex image : step.images) {
        for (const SlotIndex output : m_plan.stepTemplate(step.stepTemplate).outputs) {
            need += sizeOf(images.at(image).shapes.slots[output.index()]);
        }
    }
    if (memory != m_machine.hostMemory && live[memory.index()] + need > m_plan.limits.memory[memory.index()]) {
        auto& waiting = device(ownerOf(memory)).outOfMemory;
        waiting.insert(waiting.end(), parts.begin(), parts.end());
        return false;
    }
    live[memory.index()] += need;
    return true;
}

MemoryId Dispatch::Rules::outputMemory(const Step& step) const {
    const StepTemplate& stepTemplate = m_plan.stepTemplate(step.stepTemplate);
    return stepTemplate.kind == TemplateKind::copy ? m_machine.link(stepTemplate.link).to : step.memory;
}

/// Since when the inputs are there and by which step; which unfinished steps must end first.
void Dispatch::Rules::describeInputs(Step& step, ImageState& image, const StepTemplate& stepTemplate) {
    const auto later = [&](Instant since, StepId cause) {
        if (since < step.ready || (since == step.ready && step.cause.valid())) return;
        step.ready = since;
        step.cause = cause;
    };
    later(image.openedAt, image.openedBy);
    for (const SlotIndex input : stepTemplate.inputs) {
        const SlotState& buffer = slot(image, input);
        if (const auto* residence = buffer.in(step.memory)) {
            later(residence->since, residence->madeBy);
        } else if (const auto* coming = buffer.comingTo(step.memory)) {
            if (std::find(step.after.begin(), step.after.end(), coming->step) == step.after.end())
                step.after.push_back(coming->step);
        }
    }
    if (!step.after.empty()) {
        step.ready = now;
        step.cause = step.after.back();
    }
}

void Dispatch::Rules::markSubmitted(const Step& step) {
    const StepTemplate& stepTemplate = m_plan.stepTemplate(step.stepTemplate);
    const MemoryId memory = outputMemory(step);
    for (const LaneId lane : step.lanes) ++m_lanes[lane.index()].submitted;
    ++device(step.device).stepsInFlight;
    for (const ImageIndex index : step.images) {
        ImageState& image = images.at(index);
        ++image.stepsInFlight;
        for (const SlotIndex output : stepTemplate.outputs) {
            auto& coming = image.slots[output.index()].coming;
            std::erase_if(coming, [memory](const auto& entry) { return entry.memory == memory; });
            coming.push_back({memory, step.id});
        }
        if (stepTemplate.kind == TemplateKind::copy) continue;
        StageState& state = image.stages[stepTemplate.stage.index()];
        state.phase = StagePhase::running;
        unclaim(state);
    }
}

void Dispatch::Rules::unclaim(StageState& state) {
    if (!state.claimed) return;
    state.claimed = false;
    --device(state.device).claims;
}

/// Undoes markSubmitted() but for the buffers.
void Dispatch::Rules::detach(const Step& step) {
    for (const LaneId lane : step.lanes) {
        --m_lanes[lane.index()].submitted;
        m_lanes[lane.index()].idleSince = now;
    }
    --device(step.device).stepsInFlight;
    for (const ImageIndex index : step.images) {
        ImageState& image = images.at(index);
        --image.stepsInFlight;
        for (const SlotIndex output : m_plan.stepTemplate(step.stepTemplate).outputs) {
            std::erase_if(image.slots[output.index()].coming, [&](const auto& entry) { return entry.step == step.id; });
        }
    }
}

}  // namespace lanewright
