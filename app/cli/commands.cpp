// SPDX-License-Identifier: GPL-3.0-or-later
// The list of commands: one line each.
#include "app/cli/commands.h"

#include <array>

namespace lanewright::cli {

std::span<const CommandFactory> commandList() {
    static constexpr std::array<CommandFactory, 6> list = {
        makeDevicesCommand, makeRunCommand, makePredictCommand, makeShowCommand, makeConvertCommand, makeCheckCommand,
    };
    return list;
}

}  // namespace lanewright::cli
