// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/exit_code.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lanewright::cli {
namespace {

/// Errors of requests that are well formed and cannot be met here. Ids that end in '.' stand for all that begin so.
constexpr std::array<std::string_view, 7> nothingCouldRun = {
    "plan.absentDevice", "cli.absentDevice", "input.empty",     "cli.inputEmpty",
    "input.synthetic",   "device.",          "file.unwritable",
};

}  // namespace

ExitCode exitCodeOf(const Message& error) {
    if (error.id == "run.cancelled") return ExitCode::interrupted;
    const std::string_view id = error.id;
    const bool impossible = std::any_of(nothingCouldRun.begin(), nothingCouldRun.end(), [id](std::string_view entry) {
        return entry.ends_with('.') ? id.starts_with(entry) : id == entry;
    });
    return impossible ? ExitCode::nothingRan : ExitCode::badUsage;
}

}  // namespace lanewright::cli
