// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of a pipeline as functions from value to value, so that undo is keeping the old value. A new stage is always the
// last one and removing one closes the gap, which is all that a Placement has to follow.
#pragma once

#include "engine/pipeline/pipeline.h"

#include <string>
#include <string_view>

namespace lanewright {

/// `wanted`, or with the first of _2, _3, ... that no stage has; characters that ids cannot have become '_'.
std::string freshStageId(const Pipeline& pipeline, std::string_view wanted);

/// Appends a stage with default parameters and no edges. Its id is `id`, or a fresh one made of the kind's name when
/// empty. Errors: pipeline.stageId, pipeline.duplicateId.
Result<Pipeline> addStage(const Pipeline& pipeline, const StageKind& kind, std::string_view id = {});

/// Removes a stage; what it read on its first input now feeds what read its outputs. Errors: pipeline.noStage.
Result<Pipeline> removeStage(const Pipeline& pipeline, StageIndex stage);

/// Errors: pipeline.noStage, pipeline.noPort, pipeline.inputTaken (names the stage that feeds it), pipeline.cycle.
Result<Pipeline> connect(const Pipeline& pipeline, const Edge& edge);

/// Errors: pipeline.noEdge.
Result<Pipeline> disconnect(const Pipeline& pipeline, const Edge& edge);

/// Appends a stage of `kind` (see addStage) and puts it into an edge, on its first input and output. Errors:
/// pipeline.noEdge, pipeline.notBetween (the kind has no input or no output).
Result<Pipeline> insertBetween(const Pipeline& pipeline, const Edge& edge, const StageKind& kind);

/// Appends a stage with the same kind and parameters, a fresh id, and the same inputs as the original. Errors:
/// pipeline.noStage.
Result<Pipeline> duplicateStage(const Pipeline& pipeline, StageIndex stage);

/// Errors: pipeline.noStage, pipeline.stageId, pipeline.duplicateId.
Result<Pipeline> renameStage(const Pipeline& pipeline, StageIndex stage, std::string_view id);

/// Errors: pipeline.noStage, pipeline.noParameter (names those there are), pipeline.parameterType, .parameterRange,
/// .parameterChoice.
Result<Pipeline> setParameter(const Pipeline& pipeline, StageIndex stage, std::string_view parameter,
                              const ParameterValue& value);

/// The same for text as typed on a command line.
Result<Pipeline> setParameterText(const Pipeline& pipeline, StageIndex stage, std::string_view parameter,
                                  std::string_view text);

}  // namespace lanewright
