// SPDX-License-Identifier: GPL-3.0-or-later
// `lanewright-cli predict`: what a run would take, without running it.
#include "app/cli/commands.h"
#include "app/cli/project_command.h"

namespace lanewright::cli {

std::unique_ptr<Command> makePredictCommand() {
    return std::make_unique<ProjectCommand>("predict", "Predicts what running a project would take; writes no images.",
                                            JobKind::predict);
}

}  // namespace lanewright::cli
