// SPDX-License-Identifier: GPL-3.0-or-later
// Decisions carried out: buffers bound and made, steps submitted and taken back, ends recorded.
#include "engine/run/executor_impl.h"

#include "engine/text/text.h"

#include <algorithm>
#include <utility>

namespace lanewright {

void Executor::Impl::settle() {
    for (;;) {
        for (const Decision& decision : m_decisions) {
            std::visit([this](const auto& d) { carryOut(d); }, decision);
        }
        m_decisions.clear();
        if (m_events.empty()) break;
        const Event event = std::move(m_events.front());
        m_events.pop_front();
        std::visit([this](const auto& e) { take(e); }, event);
    }
    sampleCounters();
    if (m_dispatch->complete()) m_ended.notify_all();
}

void Executor::Impl::take(const Revoked& event) {
    if (m_active.erase(event.step) > 0) m_dispatch->revoked(event.step, m_eventTime, m_decisions);
}

void Executor::Impl::take(const NoMemory& event) {
    if (m_active.erase(event.step) > 0) m_dispatch->outOfMemory(event.step, m_eventTime, m_decisions);
}

void Executor::Impl::take(const Impossible& event) {
    if (m_active.erase(event.step) == 0) return;
    const std::vector<ImageResult> results(m_dispatch->step(event.step).images.size(), StepFailed{event.reason});
    m_dispatch->finished(event.step, m_eventTime, results, m_decisions);
}

void Executor::Impl::take(const Lost& event) {
    const Device& device = m_machine.device(event.device);
    const Message& reason = *m_lost[event.device.index()];
    std::erase_if(m_active, [&](const auto& entry) { return m_dispatch->step(entry.first).device == event.device; });
    m_dispatch->deviceLost(event.device, m_eventTime, reason, m_decisions);
    if (device.memory != m_machine.hostMemory) m_buffers.dropMemory(device.memory);
    m_records->addMessage({"device.lost", {{"device", device.name}, {"reason", nested(reason)}}});
}

void Executor::Impl::carryOut(const SubmitDecision& decision) {
    const Step& step = m_dispatch->step(decision.step);
    Active& active = m_active[step.id] = Active{step.ready, step.cause, {}, {}};
    if (m_lost[step.device.index()]) return;  // the event that tells Dispatch is on its way
    if (m_interrupted) {
        m_events.emplace_back(Revoked{step.id});
        return;
    }
    const StepTemplate& stepTemplate = m_plan->stepTemplate(step.stepTemplate);
    auto order = std::make_shared<WorkOrder>();
    order->step = step.id;
    order->kind = stepTemplate.kind;
    order->operation = stepTemplate.operation;
    order->parameters = &stepTemplate.parameters;
    order->lanes = step.lanes;
    order->after = step.after;
    order->stageId = m_plan->pipeline->stage(stepTemplate.stage).id;
    order->upload =
        stepTemplate.kind == TemplateKind::copy && m_machine.link(stepTemplate.link).from == m_machine.hostMemory;
    order->images.resize(step.images.size());
    if (!bindInputs(step, *order)) {
        if (behindUnsubmitted(step)) {
            m_events.emplace_back(Revoked{step.id});
        } else {  // a fault of ours: better a failed image than a run that goes round in circles
            const Message reason{"device.exception",
                                 {{"stage", order->stageId}, {"what", "an input buffer is missing"}}};
            m_events.emplace_back(Impossible{step.id, reason});
        }
        return;
    }
    if (!makeOutputs(step, *order)) {
        m_events.emplace_back(NoMemory{step.id});
        return;
    }
    nameFiles(step, *order);
    active.submitted = now();
    m_drivers[step.device.index()]->submit(std::move(order));
    active.returned = now();
    active.queued = true;
}

/// False: a buffer is not there.
bool Executor::Impl::bindInputs(const Step& step, WorkOrder& order) {
    const StepTemplate& stepTemplate = m_plan->stepTemplate(step.stepTemplate);
    for (std::size_t i = 0; i < step.images.size(); ++i) {
        const ImageIndex image = step.images[i];
        WorkImage& work = order.images[i];
        work.image = image;
        if (stepTemplate.operation) work.probed = m_plan->probedOf(image, stepTemplate.stage);
        for (const SlotIndex slot : stepTemplate.inputs) {
            const ImageIndex owner = ownerOf(stepTemplate, slot, image);
            BufferPtr block = m_buffers.find({owner, slot, step.memory});
            if (!block) return false;
            const PortShape& shape = m_dispatch->shapes(owner).slots[slot.index()];
            const auto actual = static_cast<std::size_t>(m_dispatch->actualBytes(owner, slot).value);
            work.inputs.push_back({std::move(block), shape, actual});
        }
    }
    return true;
}

/// False: out of memory; nothing was kept.
bool Executor::Impl::makeOutputs(const Step& step, WorkOrder& order) {
    const StepTemplate& stepTemplate = m_plan->stepTemplate(step.stepTemplate);
    const bool copy = stepTemplate.kind == TemplateKind::copy;
    const MemoryId memory = copy ? m_machine.link(stepTemplate.link).to : step.memory;
    DeviceDriver& allocator = allocatorOf(memory);
    for (std::size_t i = 0; i < step.images.size(); ++i) {
        for (const SlotIndex slot : stepTemplate.outputs) {
            const PortShape& shape = m_dispatch->shapes(step.images[i]).slots[slot.index()];
            BufferPtr block = allocator.allocate(sizeOf(shape));
            if (!block) return false;
            order.images[i].outputs.push_back({std::move(block), shape, 0});
        }
    }
    for (std::size_t i = 0; i < step.images.size(); ++i) {
        for (std::size_t k = 0; k < stepTemplate.outputs.size(); ++k) {
            m_buffers.set({step.images[i], stepTemplate.outputs[k], memory}, order.images[i].outputs[k].buffer);
        }
    }
    return true;
}

void Executor::Impl::nameFiles(const Step& step, WorkOrder& order) const {
    const StepTemplate& stepTemplate = m_plan->stepTemplate(step.stepTemplate);
    for (WorkImage& work : order.images) {
        if (stepTemplate.kind == TemplateKind::read) work.file = m_plan->fileOf(work.image, stepTemplate.stage).path;
        if (stepTemplate.kind != TemplateKind::write) continue;
        work.file = m_options.outputFolder / m_options.outputName(work.image, stepTemplate.stage);
    }
}

/// Its inputs were to be made by a step to queue behind, and that could not be submitted either.
bool Executor::Impl::behindUnsubmitted(const Step& step) const {
    return std::any_of(step.after.begin(), step.after.end(), [this](StepId earlier) {
        const auto found = m_active.find(earlier);
        return found != m_active.end() && !found->second.queued;
    });
}

ImageIndex Executor::Impl::ownerOf(const StepTemplate& stepTemplate, SlotIndex slot, ImageIndex image) const {
    const bool constant = m_plan->formatClass(stepTemplate.formatClass).slots[slot.index()].constant;
    return constant ? m_plan->constantsImage() : image;
}

DeviceDriver& Executor::Impl::allocatorOf(MemoryId memory) {
    if (memory == m_machine.hostMemory) return *m_drivers[m_machine.hostDevice.index()];
    for (std::size_t d = 0; d < m_drivers.size(); ++d) {
        if (m_drivers[d] && m_machine.devices[d].memory == memory) return *m_drivers[d];
    }
    return *m_drivers[m_machine.hostDevice.index()];
}

void Executor::Impl::carryOut(const RevokeDecision& decision) {
    const auto found = m_active.find(decision.step);
    if (found == m_active.end()) return;
    const DeviceId device = m_dispatch->step(decision.step).device;
    if (found->second.queued && !m_drivers[device.index()]->revoke(decision.step)) return;  // it will report
    m_events.emplace_back(Revoked{decision.step});
}

void Executor::Impl::carryOut(const ReleaseDecision& decision) { m_buffers.release(decision.buffer); }

void Executor::Impl::carryOut(const EndDecision& decision) {
    m_builder->addOutcome({decision.image, decision.stage, decision.outcome});
    m_records->addOutcome(decision);
}

void Executor::Impl::carryOut(const ImageEndDecision& decision) {
    m_builder->addImageEnd({decision.image, m_eventTime, decision.lastStep});
    m_records->addEnd(decision.image);
}

void Executor::Impl::carryOut(const SupersedeDecision& decision) {
    m_builder->addSuperseded({decision.step, decision.attempt, decision.reason, m_eventTime, decision.image});
}

/// Steps that queued behind `step` to read what it should have made for `images` must run again, and those behind them.
void Executor::Impl::markStale(StepId step, const std::vector<ImageIndex>& images) {
    for (auto& [id, active] : m_active) {
        const Step& other = m_dispatch->step(id);
        if (active.stale || !contains(other.after, step)) continue;
        const bool shared =
            std::any_of(images.begin(), images.end(), [&](ImageIndex i) { return contains(other.images, i); });
        if (!shared) continue;
        active.stale = true;
        if (!active.queued || m_drivers[other.device.index()]->revoke(id)) m_events.emplace_back(Revoked{id});
        markStale(id, other.images);
    }
}

/// On change, but only so often (a run of tiny images would have more samples than spans) and with every new peak.
void Executor::Impl::sampleCounters() {
    constexpr Duration interval = std::chrono::milliseconds(5);
    const bool due = m_eventTime >= m_sampled + interval || m_dispatch->complete();
    if (due) m_sampled = m_eventTime;
    const auto sample = [&](std::size_t counter, std::string_view name, double value) {
        if (!due && value <= m_peaks[counter]) return;
        m_peaks[counter] = std::max(m_peaks[counter], value);
        m_builder->addSample(name, m_eventTime, value);
    };
    for (std::size_t i = 0; i < m_counterNames.size(); ++i) {
        sample(i, m_counterNames[i], static_cast<double>(m_dispatch->liveBytes(MemoryId(i)).value));
    }
    sample(m_counterNames.size(), "images in flight", m_dispatch->imagesInFlight());
}

}  // namespace lanewright
