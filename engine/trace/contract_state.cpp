// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/trace/contract_state.h"

#include <algorithm>

namespace lanewright::contract {
namespace {

constexpr std::size_t mostOfOneRule = 20;

}  // namespace

State::State(const Plan& plan_, const Trace& trace_) : plan(plan_), trace(trace_), index(trace_) {
    m_lostAt.resize(plan.machine->devices.size());
    readSuperseded();
}

void State::readSuperseded() {
    for (const Superseded& record : trace.superseded) {
        const StepPosition position = index.find(record.step);
        const bool lost = record.reason.id == "attempt.deviceLost";
        // What was made and is gone was there until then.
        const bool gone = lost || record.reason.id == "attempt.neededAgain";
        const Instant until = gone ? record.when : Instant::min();
        const auto known = m_validUntil.try_emplace({record.step, record.image}, until).first;
        known->second = std::min(known->second, until);
        if (record.image.valid()) {
            m_troubled.insert(record.image);
        } else if (position == noStep) {
            m_allTroubled = true;
        } else {
            for (const ImageIndex image : index.images(index.step(position))) m_troubled.insert(image);
        }
        if (!lost || position == noStep) continue;
        const DeviceId device = deviceOf(index.step(position));
        if (device == plan.machine->hostDevice || device == plan.machine->storageDevice) continue;
        auto& when = m_lostAt[device.index()];
        when = std::min(when.value_or(record.when), record.when);
    }
}

void State::report(ContractRule rule, std::string text) {
    if (++m_reported[static_cast<std::size_t>(rule)] > mostOfOneRule) return;
    violations.push_back({rule, std::move(text)});
}

Instant State::validUntil(const StepRecord& step, ImageIndex image) const {
    Instant until = Instant::max();
    for (const ImageIndex key : {image, ImageIndex{}}) {
        const auto found = m_validUntil.find({step.id, key});
        if (found != m_validUntil.end()) until = std::min(until, found->second);
    }
    return until;
}

bool State::counts(const StepRecord& step, ImageIndex image) const { return validUntil(step, image) == Instant::max(); }

bool State::troubled(ImageIndex image) const { return m_allTroubled || m_troubled.contains(image); }

std::optional<Instant> State::lostAt(DeviceId device) const { return m_lostAt[device.index()]; }

Duration State::tolerance(DeviceId a, DeviceId b) const {
    if (trace.origin != TraceOrigin::measured) return Duration(0);
    Duration sum{0};
    for (const DeviceId device : {a, b}) {
        if (device.index() < trace.clockUncertainty.size()) sum += trace.clockUncertainty[device.index()];
    }
    return sum;
}

DeviceId State::deviceOf(const StepRecord& step) const { return plan.machine->lane(laneOf(step)).device; }

ImageIndex State::ownerOf(const StepTemplate& step, SlotIndex slot, ImageIndex image) const {
    return plan.formatClass(step.formatClass).slots[slot.index()].constant ? plan.constantsImage() : image;
}

std::string State::nameOf(const StepRecord& step) const {
    return index.templateOf(step).name + " of image " + std::to_string(step.image.value) + " (step " +
           std::to_string(step.id.value) + ")";
}

std::string timeText(Instant t) { return std::to_string(toNs(t)) + " ns"; }

}  // namespace lanewright::contract
