// SPDX-License-Identifier: GPL-3.0-or-later
// The makers of all commands, each in command_<name>.cpp, and their list.
#pragma once

#include "app/cli/command.h"

#include <memory>
#include <span>

namespace lanewright::cli {

using CommandFactory = std::unique_ptr<Command> (*)();

std::unique_ptr<Command> makeDevicesCommand();
std::unique_ptr<Command> makeRunCommand();
std::unique_ptr<Command> makePredictCommand();
std::unique_ptr<Command> makeShowCommand();
std::unique_ptr<Command> makeConvertCommand();
std::unique_ptr<Command> makeCheckCommand();

/// In the order of --help.
std::span<const CommandFactory> commandList();

}  // namespace lanewright::cli
