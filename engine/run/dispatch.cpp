// SPDX-License-Identifier: GPL-3.0-or-later
// The public face of the rules: events in, decisions out.
#include "engine/run/dispatch.h"

#include "engine/run/dispatch_rules.h"

namespace lanewright {

Dispatch::Dispatch(const Plan& plan, Policy& policy) : m_rules(std::make_unique<Rules>(plan, policy)) {}

Dispatch::~Dispatch() = default;

void Dispatch::start(Instant now, Decisions& decisions) {
    m_rules->now = now;
    m_rules->out = &decisions;
    m_rules->start();
    m_rules->settle();
}

void Dispatch::started(StepId, Instant) {}

void Dispatch::finished(StepId step, Instant now, std::span<const ImageResult> results, Decisions& decisions) {
    auto node = m_rules->steps.extract(step);
    if (node.empty()) return;
    m_rules->now = now;
    m_rules->out = &decisions;
    m_rules->finished(std::move(node.mapped()), results);
    m_rules->settle();
}

void Dispatch::outOfMemory(StepId step, Instant now, Decisions& decisions) {
    auto node = m_rules->steps.extract(step);
    if (node.empty()) return;
    m_rules->now = now;
    m_rules->out = &decisions;
    m_rules->outOfMemory(std::move(node.mapped()));
    m_rules->settle();
}

void Dispatch::revoked(StepId step, Instant now, Decisions& decisions) {
    auto node = m_rules->steps.extract(step);
    if (node.empty()) return;
    m_rules->now = now;
    m_rules->out = &decisions;
    m_rules->revoked(std::move(node.mapped()));
    m_rules->settle();
}

void Dispatch::deviceLost(DeviceId device, Instant now, const Message& reason, Decisions& decisions) {
    m_rules->now = now;
    m_rules->out = &decisions;
    m_rules->deviceLost(device, reason);
    m_rules->settle();
}

void Dispatch::cancel(Instant now, Decisions& decisions) {
    m_rules->now = now;
    m_rules->out = &decisions;
    m_rules->cancel();
    m_rules->settle();
}

bool Dispatch::complete() const { return m_rules->complete(); }

const Step& Dispatch::step(StepId id) const { return m_rules->steps.at(id); }

const ImageShapes& Dispatch::shapes(ImageIndex image) const { return m_rules->images.at(image).shapes; }

ByteCount Dispatch::actualBytes(ImageIndex image, SlotIndex slot) const {
    return m_rules->images.at(image).slots[slot.index()].actual;
}

ByteCount Dispatch::liveBytes(MemoryId memory) const { return m_rules->live[memory.index()]; }

std::uint32_t Dispatch::imagesInFlight() const { return m_rules->imagesInFlight; }

}  // namespace lanewright
