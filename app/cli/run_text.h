// SPDX-License-Identifier: GPL-3.0-or-later
// What is printed about a run, alike after it and by `show`.
#pragma once

#include "app/cli/exit_code.h"
#include "engine/run/run.h"

#include <string>

namespace lanewright::cli {

/// Makespan and rates predicted and measured, lanes, copies, repeats and outcomes, in aligned lines.
std::string summaryText(const Run& run);

/// Names each image that failed, was skipped or has a warning, and what went wrong with the run as a whole, on stderr.
void tellOutcomes(const Run& run);

/// interrupted, imagesFailed or ok.
ExitCode exitCodeOf(const Run& run);

}  // namespace lanewright::cli
