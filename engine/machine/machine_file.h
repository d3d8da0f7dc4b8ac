// SPDX-License-Identifier: GPL-3.0-or-later
// Machine files (*.machine.json): hardware that is not here, to predict for. docs/machine-format.md describes the format.
#pragma once

#include "engine/machine/machine.h"
#include "engine/pipeline/checks.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

/// The machine has present = false; without a fingerprint in the file it gets one of its contents. Errors name file and
/// place: machine.syntax (line, column), machine.value (JSON pointer), machine.version, file.*. Of several the first.
Result<Machine> readMachine(const std::filesystem::path& file);
Result<Machine> parseMachine(std::string_view text, const std::filesystem::path& file);

/// Everything that is wrong with the text of a machine file; keys that are not known as warnings (machine.unknownKey).
std::vector<Problem> machineProblems(std::string_view text, const std::filesystem::path& file);

/// Devices that are absent are left out with their memories. Errors: file.unwritable.
Status writeMachine(const Machine& machine, const std::filesystem::path& file);
std::string machineText(const Machine& machine);

}  // namespace lanewright
