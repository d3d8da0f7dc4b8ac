// SPDX-License-Identifier: GPL-3.0-or-later
// --place and --set: changes of a project that are written on the command line.
#pragma once

#include "engine/project/project.h"

#include <string_view>

namespace lanewright::cli {

/// STAGE=DEVICE[@SHARE][,DEVICE[@SHARE]]... Shares stand after '@', because names of devices hold ':'. Errors:
/// cli.placeSyntax, cli.share, cli.someShares, cli.deviceTwice, cli.noStage (names those there are).
Status applyPlacement(Project& project, std::string_view text);

/// STAGE.PARAMETER=VALUE. Relative paths start at the current folder. Errors: cli.setSyntax, cli.noStage,
/// pipeline.noParameter, pipeline.parameter*.
Status applyParameter(Project& project, std::string_view text);

}  // namespace lanewright::cli
