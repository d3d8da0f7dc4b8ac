// SPDX-License-Identifier: GPL-3.0-or-later
// Lowers pipeline, input, placement and machine to a plan.
#pragma once

#include "engine/plan/plan.h"

#include <filesystem>

namespace lanewright {

struct PlanRequest {
    std::shared_ptr<const Pipeline> pipeline;
    std::shared_ptr<const InputSet> input;
    std::shared_ptr<const Machine> machine;
    Placement placement;
    RunSettings settings;
    const Catalog* catalog = nullptr;
    std::filesystem::path baseFolder;  ///< relative path parameters (a constant's file) start here
};

/// Errors: plan.noKernel (stage, device), plan.unknownDevice, plan.absentDevice (device, reason), plan.limitTooSmall (what
/// would deadlock and by how much), plan.format (edge), input.* of a constant's file, checks of the pipeline.
/// An absent device is refused only when the machine is the one that is here.
Result<Plan> makePlan(const PlanRequest& request);

}  // namespace lanewright
