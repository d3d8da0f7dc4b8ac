// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with a pipeline, for the editor, the planner and the command line alike.
#pragma once

#include "engine/pipeline/pipeline.h"

#include <cstdint>
#include <vector>

namespace lanewright {

/// A pipeline with an error cannot be planned; one with warnings can.
enum class Severity : std::uint8_t { warning, error };

struct Problem {
    Message message;
    StageIndex stage;  ///< where; invalid: the pipeline as a whole
    Severity severity = Severity::error;
};

/// Everything that is wrong, those of the whole pipeline first, then stage by stage. Never fails, whatever the pipeline.
std::vector<Problem> check(const Pipeline& pipeline);

/// An id names a stage in files, on the command line and in names of outputs: 1 to 64 ASCII letters, digits, '_' and '-',
/// not beginning with '-'.
bool isStageId(std::string_view id);

/// `error` of checkedParameter() or parsedParameter(), saying also whose parameter it is: pipeline.parameterType,
/// pipeline.parameterRange, pipeline.parameterChoice.
Message parameterError(const Stage& stage, Message error);

}  // namespace lanewright
