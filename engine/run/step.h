// SPDX-License-Identifier: GPL-3.0-or-later
// A step of a run, and the events and decisions that pass between Dispatch and its drivers.
#pragma once

#include "engine/plan/plan.h"
#include "engine/trace/trace.h"
#include "kernels/api/ids.h"
#include "kernels/api/result.h"
#include "kernels/api/units.h"

#include <span>
#include <variant>
#include <vector>

namespace lanewright {

/// One buffer: a slot of an image in one memory.
struct BufferRef {
    ImageIndex image;
    SlotIndex slot;
    MemoryId memory;
    friend bool operator==(const BufferRef&, const BufferRef&) = default;
};

/// What a lane, or several reserved together, run. Inputs of image i lie in `memory` (a copy: in its link's `from`);
/// outputs are to be made in `memory` (a copy: in its link's `to`).
struct Step {
    StepId id;
    TemplateId stepTemplate;
    std::vector<ImageIndex> images;
    DeviceId device;
    MemoryId memory;
    std::vector<LaneId> lanes;
    std::vector<StepId> after;  ///< unfinished steps of the same device that must end first
    std::uint8_t attempt = 0;
    Instant ready;  ///< when the last input became valid (so far known) and the window was open
    StepId cause;
};

/// How one image of a step ended. done: `actualBytes` of its first bytes output (or moved).
struct StepDone {
    ByteCount actualBytes;
};
struct StepRefused {
    Message reason;  ///< the device cannot do this image; another may
};
struct StepFailed {
    Message reason;
};
using ImageResult = std::variant<StepDone, StepRefused, StepFailed>;

/// Start this step: create its outputs, queue it on its lanes behind `after`.
struct SubmitDecision {
    StepId step;
};
/// Take it back if it has not begun; answer with Dispatch::revoked().
struct RevokeDecision {
    StepId step;
};
/// Nobody needs this buffer any more.
struct ReleaseDecision {
    BufferRef buffer;
};
/// (image, stage) has its final outcome; `message` says why it failed or was skipped.
struct EndDecision {
    ImageIndex image;
    StageIndex stage;
    OutcomeKind outcome = OutcomeKind::done;
    Message message;
};
/// All stages of the image have ended: `EndDecision`s came just before.
struct ImageEndDecision {
    ImageIndex image;
    StepId lastStep;
};
/// This attempt does not count (appended to the trace).
struct SupersedeDecision {
    StepId step;
    std::uint8_t attempt = 0;
    Message reason;
    ImageIndex image;  ///< invalid: all images of the step
};

using Decision =
    std::variant<SubmitDecision, RevokeDecision, ReleaseDecision, EndDecision, ImageEndDecision, SupersedeDecision>;
using Decisions = std::vector<Decision>;

}  // namespace lanewright
