// SPDX-License-Identifier: GPL-3.0-or-later
// lanewright-cli: plans, predicts, runs and reports without a display.
#include "app/cli/program.h"

int main(int argc, char** argv) { return lanewright::cli::runProgram(argc, argv); }
