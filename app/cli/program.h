// SPDX-License-Identifier: GPL-3.0-or-later
// The program around the commands: arguments, signals, errors, exit code.
#pragma once

namespace lanewright::cli {

int runProgram(int argc, char** argv);

}  // namespace lanewright::cli
