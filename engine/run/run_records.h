// SPDX-License-Identifier: GPL-3.0-or-later
// What a run says about its stages and images, made from the plan; of images also from a trace, where nothing was executed.
#pragma once

#include "engine/plan/plan.h"
#include "engine/run/run.h"

#include <string>
#include <vector>

namespace lanewright {

/// By StageIndex.
std::vector<StageRecord> stageRecords(const Plan& plan);

/// The worst of an image's stages decides.
ImageOutcome worseOutcome(ImageOutcome soFar, OutcomeKind stage);

/// By ImageIndex: the outcomes of a predicted or simulated trace; images that fail say why. No outputs.
std::vector<ImageRecord> simulatedRecords(const Plan& plan, const Trace& trace);

/// Of all source images that could be probed.
double inputMegapixels(const InputSet& input);

/// "2026-01-31T12:00:00Z".
std::string utcNow();

}  // namespace lanewright
