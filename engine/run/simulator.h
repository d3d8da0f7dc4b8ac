// SPDX-License-Identifier: GPL-3.0-or-later
// Drives Dispatch with virtual time: every plan has a predicted trace before anything runs.
#pragma once

#include "engine/cost/cost_model.h"
#include "engine/plan/plan.h"
#include "engine/plan/policy.h"
#include "engine/trace/trace.h"

#include <optional>
#include <stop_token>

namespace lanewright {

struct SimulationOptions {
    /// Set: durations are drawn from each cost's spread (origin `simulated`); none: point estimates (`predicted`).
    std::optional<std::uint64_t> seed;
    std::stop_token stop;
};

/// Errors: plan.stuck (names the stage and limit that stop it), run.cancelled.
Result<Trace> simulate(const Plan& plan, const CostModel& costs, const SimulationOptions& options = {});

/// The same with a policy of one's own.
Result<Trace> simulate(const Plan& plan, const CostModel& costs, Policy& policy, const SimulationOptions& options);

/// In planned order: simulates once and freezes the choices into plan.frozen.
Status freeze(Plan& plan, const CostModel& costs);

}  // namespace lanewright
