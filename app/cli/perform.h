// SPDX-License-Identifier: GPL-3.0-or-later
// From a project to an exit code: what `run`, `predict` and `convert` do once their arguments are read.
#pragma once

#include "app/cli/command.h"
#include "app/cli/exports.h"
#include "app/cli/job_options.h"
#include "engine/project/project.h"

#include <cstdint>
#include <string>

namespace lanewright::cli {

enum class JobKind : std::uint8_t { run, predict };

struct JobTask {
    Project project;   ///< with the options in it
    std::string name;  ///< of the run
    const JobOptions& options;
    const ExportOptions& exports;
    JobKind kind = JobKind::run;
};

/// Shows progress on stderr, prints the summary, names what failed, writes the exports.
Result<ExitCode> perform(JobTask task, const Context& context);

}  // namespace lanewright::cli
