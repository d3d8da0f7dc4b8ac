// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of the contract's check share. Internal to contract*.cpp.
#pragma once

#include "engine/analysis/idle.h"
#include "engine/analysis/trace_index.h"
#include "engine/trace/contract.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lanewright::contract {

inline constexpr std::size_t ruleCount = static_cast<std::size_t>(ContractRule::idleSum) + 1;

/// Plan and trace with what all checks ask: which attempts count, how far clocks may differ, names for texts.
class State {
public:
    State(const Plan& plan, const Trace& trace);

    const Plan& plan;
    const Trace& trace;
    TraceIndex index;
    std::vector<ContractViolation> violations;

    void report(ContractRule rule, std::string text);

    /// False when the attempt was superseded for this image.
    bool counts(const StepRecord& step, ImageIndex image) const;
    /// Until when what the step made for the image could be used: for ever when it counts, until its device was lost, or
    /// never.
    Instant validUntil(const StepRecord& step, ImageIndex image) const;
    /// Something went wrong with the image, or with steps of which the trace does not say whose they were.
    bool troubled(ImageIndex image) const;
    /// When the device was lost, as far as superseded steps tell; the host and storage never are.
    std::optional<Instant> lostAt(DeviceId device) const;
    /// What measured times on two devices may differ by; 0 in traces that were not measured.
    Duration tolerance(DeviceId a, DeviceId b) const;

    const StepTemplate& templateOf(const StepRecord& step) const { return plan.templates[step.stepTemplate]; }
    DeviceId deviceOf(const StepRecord& step) const;
    LaneId laneOf(const StepRecord& step) const { return LaneId(std::size_t{index.parts(step).front()->lane}); }
    /// The image that has the slot: for constants the pseudo-image.
    ImageIndex ownerOf(const StepTemplate& step, SlotIndex slot, ImageIndex image) const;

    /// "resize of image 3 (step 17)".
    std::string nameOf(const StepRecord& step) const;
    std::string stageName(StageIndex stage) const { return plan.pipeline->stage(stage).id; }

private:
    void readSuperseded();

    std::array<std::size_t, ruleCount> m_reported{};
    std::map<std::pair<StepId, ImageIndex>, Instant>
        m_validUntil;  ///< of superseded attempts; image invalid: all of them
    std::vector<std::optional<Instant>> m_lostAt;
    std::set<ImageIndex> m_troubled;
    bool m_allTroubled = false;
};

std::string timeText(Instant t);

/// False when spans refer to what is not there: nothing else can be checked then.
bool checkReferences(const Plan& plan, const Trace& trace, std::vector<ContractViolation>& violations);
void checkTimes(State& state);
void checkPlaces(State& state);
void checkParts(State& state);
void checkLanes(State& state);
void checkOutcomes(State& state);
void checkChains(State& state);
void checkWindow(State& state);
void checkSuperseded(State& state);
void checkBuffers(State& state);
void checkLiveBytes(State& state);
void checkIdle(State& state);

}  // namespace lanewright::contract
