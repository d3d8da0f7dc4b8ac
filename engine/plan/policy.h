// SPDX-License-Identifier: GPL-3.0-or-later
// A scheduling policy decides which of the steps that may run on a lane is next. What may run at all is Dispatch's rule.
#pragma once

#include "engine/cost/cost_model.h"
#include "engine/plan/plan.h"

#include <optional>
#include <span>
#include <string_view>

namespace lanewright {

/// A step that could be submitted to the asking lane now.
struct Candidate {
    TemplateId stepTemplate;
    ImageIndex image;  ///< the first of a batch
    StageIndex stage;
    std::uint8_t attempt = 0;
    std::uint32_t depth = 0;      ///< position of the stage in topological order
    std::uint32_t available = 1;  ///< images of the same template ready with it
    bool assigned = true;         ///< false: choosing it binds the stage to this device for the image
    Instant ready;
};

/// Which candidate. On these lanes (empty: Dispatch's rule) and with at most `batch` images (0: Dispatch's rule).
struct Choice {
    std::size_t candidate = 0;
    std::span<const LaneId> lanes;
    std::uint32_t batch = 0;
};

/// What a policy may look at.
struct DispatchState {
    std::uint32_t imagesInFlight = 0;
    std::uint32_t stepsInFlight = 0;
    std::uint32_t idleLanes = 0;  ///< of the asking lane's device and role
    bool mustChoose = false;      ///< nothing is in flight: "none yet" would stop the run
};

class Policy {
public:
    virtual ~Policy() = default;
    virtual std::string_view name() const = 0;
    virtual std::string_view description() const = 0;  ///< one English sentence, with its source
    /// "none" = none yet.
    virtual std::optional<Choice> choose(LaneId lane, std::span<const Candidate> candidates,
                                         const DispatchState& state) = 0;
    /// A candidate was submitted: on all `lanes`, with `images`.
    virtual void submitted(TemplateId, std::span<const ImageIndex>, std::span<const LaneId>) {}
    /// An image has ended (steps frozen for it will not come).
    virtual void ended(ImageIndex) {}
};

/// The user's placement: the deepest stage first, then input order, so that images finish and buffers are few.
std::unique_ptr<Policy> makeManualPolicy();
/// Plays back plan.frozen lane by lane; retries and fallbacks go as in the manual policy.
std::unique_ptr<Policy> makeFrozenPolicy(const Plan& plan);
/// Frozen where the plan has frozen choices, else manual.
std::unique_ptr<Policy> policyFor(const Plan& plan);

}  // namespace lanewright
