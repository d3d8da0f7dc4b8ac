// SPDX-License-Identifier: GPL-3.0-or-later
// Names of enumerators as files have them: lower case, words joined by underscores.
#pragma once

#include "engine/analysis/idle.h"
#include "engine/run/run.h"

#include <string>
#include <string_view>

namespace lanewright {

std::string_view originName(TraceOrigin origin);
std::string_view categoryName(SpanCategory category);
std::string_view outcomeName(ImageOutcome outcome);
std::string idleKey(IdleReason reason);  ///< "waiting_for_file"
/// Empty when the machine has no such memory.
std::string memoryName(const Machine& machine, MemoryId memory);

}  // namespace lanewright
