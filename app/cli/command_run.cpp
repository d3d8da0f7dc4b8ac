// SPDX-License-Identifier: GPL-3.0-or-later
// `lanewright-cli run`: predicts a project, runs it and reports; on a machine file: simulates it.
#include "app/cli/commands.h"
#include "app/cli/project_command.h"

namespace lanewright::cli {

std::unique_ptr<Command> makeRunCommand() {
    return std::make_unique<ProjectCommand>("run", "Runs a project and reports what was predicted and measured.",
                                            JobKind::run);
}

}  // namespace lanewright::cli
