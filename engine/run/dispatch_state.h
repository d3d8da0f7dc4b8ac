// SPDX-License-Identifier: GPL-3.0-or-later
// What Dispatch remembers: images in flight with their buffers and stages, lanes, devices, steps. Internal to dispatch.
#pragma once

#include "engine/plan/plan.h"
#include "engine/run/step.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lanewright::dispatch {

/// A valid copy of a buffer, and since when.
struct Residence {
    MemoryId memory;
    Instant since;
    StepId madeBy;
};

/// A buffer that an unfinished step will make valid in `memory`.
struct Coming {
    MemoryId memory;
    StepId step;  ///< invalid: a copy that waits for its lane
};

struct SlotState {
    std::vector<Residence> valid;
    std::vector<Coming> coming;
    ByteCount actual;  ///< of a BytesShape, once written

    const Residence* in(MemoryId memory) const {
        for (const Residence& residence : valid) {
            if (residence.memory == memory) return &residence;
        }
        return nullptr;
    }
    const Coming* comingTo(MemoryId memory) const {
        for (const Coming& coming_ : coming) {
            if (coming_.memory == memory) return &coming_;
        }
        return nullptr;
    }
    bool available() const { return !valid.empty(); }
};

enum class StagePhase : std::uint8_t { waiting, queued, running, done, failed, skipped, cancelled };

constexpr bool isFinal(StagePhase phase) { return phase >= StagePhase::done; }

/// A finished step of a stage's chain.
struct ChainStep {
    TemplateId stepTemplate;
    StepId step;
    std::uint8_t attempt = 0;
};

struct StageState {
    StagePhase phase = StagePhase::waiting;
    DeviceId device;  ///< invalid: not bound yet
    std::uint8_t attempt = 0;
    std::uint64_t tried = 0;  ///< devices that refused or ran out of memory, as bits
    bool claimed = false;     ///< bound by free choice, its first step there not yet submitted
    bool freedOnce = false;   ///< memory was made free for it by dropping what is valid elsewhere
    std::vector<ChainStep> finished;
    Message message;  ///< why it failed or was skipped
};

struct ImageState {
    ImageIndex image;
    FormatClassId formatClass;
    ImageShapes shapes;
    std::vector<SlotState> slots;
    std::vector<StageState> stages;
    std::uint64_t onDevices = 0;  ///< devices that have taken it in, as bits
    std::uint32_t stepsInFlight = 0;
    ByteCount reserved;  ///< host bytes it was admitted with
    Instant openedAt;    ///< when the window let it in
    StepId openedBy;
    StepId lastStep;
};

/// Something that could be submitted: the next step of a stage, or a copy.
struct Ready {
    TemplateId stepTemplate;
    ImageIndex image;
    StageIndex stage;
    std::uint32_t depth = 0;
    std::uint8_t attempt = 0;
    bool assigned = true;
};

struct LaneState {
    std::uint32_t submitted = 0;  ///< unfinished steps on it
    Instant idleSince;            ///< while there are none
};

struct DeviceState {
    std::vector<Ready> queue;         ///< steps for its workers, compute or storage lanes
    std::vector<ImageIndex> waiting;  ///< images that it has not taken in yet, in order
    std::vector<Ready> outOfMemory;   ///< steps that wait for a release there
    std::vector<std::int32_t> batch;  ///< by StageIndex; halved when memory runs out
    std::uint32_t imagesIn = 0;
    std::uint32_t stepsInFlight = 0;
    std::uint32_t claims = 0;  ///< bound by free choice, still waiting for a copy
    bool lost = false;
    Message lostReason;
};

}  // namespace lanewright::dispatch
