// SPDX-License-Identifier: GPL-3.0-or-later
// Images through the window, stages onward: which step of which stage comes next, and on which device.
#include "engine/run/dispatch_rules.h"

#include <algorithm>

namespace lanewright {
namespace {

/// Device (position in the list) of each image so that every prefix of the input is split as evenly as shares allow.
std::vector<std::uint8_t> shareSequence(const std::vector<double>& shares, std::size_t images) {
    double total = 0;
    for (const double share : shares) total += share;
    std::vector<double> given(shares.size(), 0);
    std::vector<std::uint8_t> sequence(images);
    for (std::size_t i = 0; i < images; ++i) {
        std::size_t best = 0;
        double most = -1;
        for (std::size_t d = 0; d < shares.size(); ++d) {
            const double owed = shares[d] / total * static_cast<double>(i + 1) - given[d];
            if (owed > most + 1e-9) {
                most = owed;
                best = d;
            }
        }
        given[best] += 1;
        sequence[i] = static_cast<std::uint8_t>(best);
    }
    return sequence;
}

}  // namespace

Dispatch::Rules::Rules(const Plan& plan, Policy& policy) : m_plan(plan), m_machine(*plan.machine), m_policy(policy) {
    m_lanes.resize(m_machine.lanes.size());
    m_copies.resize(m_machine.lanes.size());
    m_devices.resize(m_machine.devices.size());
    live.resize(m_machine.memories.size());
    for (std::size_t d = 0; d < m_devices.size(); ++d) {
        for (const PlannedStage& stage : plan.stages) {
            m_devices[d].batch.push_back(d < stage.batch.size() ? std::max(1, stage.batch[d]) : 1);
        }
    }
    for (const PlannedStage& stage : plan.stages) {
        m_share.push_back(stage.shares.empty() ? std::vector<std::uint8_t>{}
                                               : shareSequence(stage.shares, plan.imageCount() + 1));
    }
    for (const FormatClass& formatClass : plan.classes) {
        auto& depths = m_depth.emplace_back(plan.stages.size(), 0);
        for (std::size_t i = 0; i < formatClass.order.size(); ++i) {
            depths[formatClass.order[i].index()] = static_cast<std::uint32_t>(i);
        }
    }
}

void Dispatch::Rules::start() {
    if (m_plan.constantsClass.valid()) {
        ImageState constants;
        constants.image = m_plan.constantsImage();
        constants.formatClass = m_plan.constantsClass;
        constants.shapes = shapesOf(m_plan, constants.image, nullptr);
        open(std::move(constants));
    } else {
        m_constantsEnded = true;
    }
}

void Dispatch::Rules::admitImages() {
    while (m_nextImage < m_plan.imageCount()) {
        const ImageIndex index{std::size_t{m_nextImage}};
        if (cancelled || m_plan.input->image(index).error) {
            endUnreadable(index);
        } else if (!openWindow(index)) {
            return;
        }
        ++m_nextImage;
    }
}

bool Dispatch::Rules::openWindow(ImageIndex index) {
    if (imagesInFlight >= static_cast<std::uint32_t>(m_plan.limits.imagesInFlight)) return false;
    ImageState image;
    image.image = index;
    image.formatClass = m_plan.classOf(index);
    const auto constants = images.find(m_plan.constantsImage());
    image.shapes = shapesOf(m_plan, index, constants == images.end() ? nullptr : &constants->second.shapes);
    for (const PortShape& shape : image.shapes.slots) image.reserved += sizeOf(shape);
    const ByteCount budget = m_plan.limits.memory[m_machine.hostMemory.index()];
    if (imagesInFlight > 0 && m_reserved + image.reserved > budget) return false;
    m_reserved += image.reserved;
    image.openedBy = m_openedBy;
    ++imagesInFlight;
    open(std::move(image));
    return true;
}

void Dispatch::Rules::open(ImageState state) {
    state.openedAt = now;
    state.slots.resize(m_plan.formatClass(state.formatClass).slots.size());
    state.stages.resize(m_plan.stages.size());
    const ImageIndex index = state.image;
    ImageState& image = images.emplace(index, std::move(state)).first->second;
    advance(image);
}

void Dispatch::Rules::endUnreadable(ImageIndex index) {
    const auto& error = m_plan.input->image(index).error;
    for (const StageIndex stage : m_plan.pipeline->topologicalOrder()) {
        const StageRole role = m_plan.pipeline->stage(stage).kind->description().role;
        const bool constant =
            m_plan.constantsClass.valid() && m_plan.formatClass(m_plan.constantsClass).stages[stage.index()].present;
        if (constant) continue;
        OutcomeKind outcome = role == StageRole::source ? OutcomeKind::failed : OutcomeKind::skipped;
        if (cancelled) outcome = OutcomeKind::cancelled;
        Message reason = role == StageRole::source && error && !cancelled ? *error : Message{};
        out->push_back(EndDecision{index, stage, outcome, std::move(reason)});
    }
    out->push_back(ImageEndDecision{index, {}});
}

void Dispatch::Rules::advance(ImageState& image) {
    for (const StageIndex stage : m_plan.formatClass(image.formatClass).order) {
        if (image.stages[stage.index()].phase == StagePhase::waiting) tryQueue(image, stage);
    }
}

void Dispatch::Rules::advanceAll() {
    for (auto& [index, image] : images) advance(image);
}

void Dispatch::Rules::tryQueue(ImageState& image, StageIndex stage) {
    StageState& state = image.stages[stage.index()];
    if (cancelled) {
        state.phase = StagePhase::cancelled;
        m_touched.push_back(image.image);
        return;
    }
    if (!inputsPossible(image, stage) || !bind(image, stage)) return;
    if (!state.device.valid()) {
        queueFree(image, stage);
        return;
    }
    const ClassStage& classStage = m_plan.formatClass(image.formatClass).stages[stage.index()];
    const Variant* variant = classStage.variantFor(m_machine.device(state.device).kind);
    TemplateId id;
    const StepTemplate* next = nextTemplate(image, *variant, id);
    if (!next) return;
    const DeviceId runs = runsOn(*next, state);
    if (!enter(image, runs) || !inputsThere(image, *next, runs) || !outputsClear(image, *next, runs)) return;
    push(image, stage, id, runs, true);
    state.phase = StagePhase::queued;
}

/// False when the stage has ended because something before it has, or its shapes are impossible.
bool Dispatch::Rules::inputsPossible(ImageState& image, StageIndex stage) {
    const FormatClass& formatClass = m_plan.formatClass(image.formatClass);
    const ClassStage& classStage = formatClass.stages[stage.index()];
    for (const SlotIndex input : classStage.inputs) {
        const Slot& description = formatClass.slots[input.index()];
        if (description.stage == stage) continue;
        ImageState& owner = holder(image, input);
        const StagePhase producer = owner.stages[description.stage.index()].phase;
        if (producer <= StagePhase::done) continue;
        StageState& state = image.stages[stage.index()];
        state.phase = producer == StagePhase::cancelled ? StagePhase::cancelled : StagePhase::skipped;
        state.message = {"stage.skipped", {{"stage", m_plan.pipeline->stage(description.stage).id}}};
        m_touched.push_back(image.image);
        return false;
    }
    if (image.shapes.errors.empty()) return true;
    for (const SlotIndex output : classStage.outputs) {
        if (const auto& error = image.shapes.errors[output.index()]) {
            failStage(image, stage, *error);
            return false;
        }
    }
    return true;
}

bool Dispatch::Rules::bind(ImageState& image, StageIndex stage) {
    StageState& state = image.stages[stage.index()];
    if (state.device.valid() && usable(state, state.device)) return true;
    bool free = false;
    const auto chosen = deviceFor(image, stage, free);
    state.device = chosen.value_or(DeviceId{});
    if (chosen || free) return true;
    const PlannedStage& planned = m_plan.stages[stage.index()];
    const DeviceState& first = device(planned.devices.front());
    failStage(image, stage,
              first.lost ? first.lostReason : Message{"stage.noDevice", {{"stage", m_plan.pipeline->stage(stage).id}}});
    return false;
}

std::optional<DeviceId> Dispatch::Rules::deviceFor(const ImageState& image, StageIndex stage, bool& free) const {
    const PlannedStage& planned = m_plan.stages[stage.index()];
    const StageState& state = image.stages[stage.index()];
    if (!planned.shares.empty()) {
        const DeviceId share = planned.devices[m_share[stage.index()][image.image.index()]];
        if (usable(state, share)) return share;
    } else if (planned.devices.size() > 1) {
        for (std::size_t i = 0; i < image.stages.size(); ++i) {
            const DeviceId bound = image.stages[i].device;
            if (bound.valid() && m_plan.stages[i].affinity == planned.affinity && usable(state, bound)) return bound;
        }
        const auto left = std::count_if(planned.devices.begin(), planned.devices.end(),
                                        [&](DeviceId id) { return usable(state, id); });
        free = left > 1;
        if (free) return std::nullopt;
    }
    return alternative(stage, state);
}

std::optional<DeviceId> Dispatch::Rules::alternative(StageIndex stage, const StageState& state) const {
    const PlannedStage& planned = m_plan.stages[stage.index()];
    for (const auto* list : {&planned.devices, &planned.fallbacks}) {
        for (const DeviceId id : *list) {
            if (usable(state, id)) return id;
        }
    }
    return std::nullopt;
}

bool Dispatch::Rules::usable(const StageState& state, DeviceId id) const {
    return !device(id).lost && (state.tried >> id.index() & 1U) == 0;
}

/// Whichever device is free takes it: it stands in every queue until one lane chooses it.
void Dispatch::Rules::queueFree(ImageState& image, StageIndex stage) {
    StageState& state = image.stages[stage.index()];
    const ClassStage& classStage = m_plan.formatClass(image.formatClass).stages[stage.index()];
    for (const DeviceId id : m_plan.stages[stage.index()].devices) {
        if (!usable(state, id)) continue;
        TemplateId next;
        const StepTemplate* step = nextTemplate(image, *classStage.variantFor(m_machine.device(id).kind), next);
        if (!step) continue;
        if (step->place == TemplatePlace::storage) {
            if (inputsThere(image, *step, m_machine.storageDevice)) {
                push(image, stage, next, m_machine.storageDevice, true);
                state.phase = StagePhase::queued;
            }
            return;
        }
        const bool there = std::all_of(step->inputs.begin(), step->inputs.end(),
                                       [&](SlotIndex input) { return slot(image, input).available(); });
        if (!there) return;
        push(image, stage, next, id, false);
        state.phase = StagePhase::queued;
    }
}

/// The step of the chain that must run next: the last one whose inputs are there or on their way; none while another stage
/// must work first.
const StepTemplate* Dispatch::Rules::nextTemplate(ImageState& image, const Variant& variant, TemplateId& id) {
    const FormatClass& formatClass = m_plan.formatClass(image.formatClass);
    id = variant.chain.back();
    for (std::size_t guard = 0; guard <= variant.chain.size(); ++guard) {
        const StepTemplate& step = m_plan.stepTemplate(id);
        TemplateId maker;
        for (const SlotIndex input : step.inputs) {
            const SlotState& buffer = slot(image, input);
            if (buffer.available() || !buffer.coming.empty()) continue;
            const auto own = std::find_if(variant.chain.begin(), variant.chain.end(), [&](TemplateId other) {
                const auto& made = m_plan.stepTemplate(other).outputs;
                return std::find(made.begin(), made.end(), input) != made.end();
            });
            if (own == variant.chain.end()) {
                redo(holder(image, input), formatClass.slots[input.index()].stage);
                return nullptr;
            }
            maker = *own;
            break;
        }
        if (!maker.valid()) return &step;
        id = maker;
    }
    return nullptr;
}

/// A stage that was done has lost its output before it was used: it works again.
void Dispatch::Rules::redo(ImageState& image, StageIndex stage) {
    StageState& state = image.stages[stage.index()];
    if (state.phase != StagePhase::done) return;
    std::erase_if(state.finished, [&](const dispatch::ChainStep& done) {
        const auto& made = m_plan.stepTemplate(done.stepTemplate).outputs;
        const bool there = !made.empty() && std::all_of(made.begin(), made.end(),
                                                        [&](SlotIndex s) { return slot(image, s).available(); });
        if (!there)
            out->push_back(SupersedeDecision{done.step, done.attempt, {"attempt.neededAgain", {}}, image.image});
        return !there;
    });
    ++state.attempt;
    state.phase = StagePhase::waiting;
    tryQueue(image, stage);
}

void Dispatch::Rules::failStage(ImageState& image, StageIndex stage, Message reason) {
    unqueue(image.image, stage);
    StageState& state = image.stages[stage.index()];
    unclaim(state);
    state.phase = StagePhase::failed;
    state.message = std::move(reason);
    m_touched.push_back(image.image);
}

void Dispatch::Rules::push(ImageState& image, StageIndex stage, TemplateId id, DeviceId deviceId, bool assigned) {
    const StageState& state = image.stages[stage.index()];
    device(deviceId).queue.push_back(
        {id, image.image, stage, depthOf(image.formatClass, stage), state.attempt, assigned});
}

void Dispatch::Rules::unqueue(ImageIndex image, StageIndex stage) {
    const auto mine = [&](const Ready& ready) { return ready.image == image && ready.stage == stage; };
    for (DeviceState& state : m_devices) {
        std::erase_if(state.queue, mine);
        std::erase_if(state.outOfMemory, [&](const Ready& ready) {
            return mine(ready) && m_plan.stepTemplate(ready.stepTemplate).kind != TemplateKind::copy;
        });
    }
}

}  // namespace lanewright
