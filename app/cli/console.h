// SPDX-License-Identifier: GPL-3.0-or-later
// What the program says: results on standard output, everything else on standard error.
#pragma once

#include "kernels/api/result.h"

#include <string_view>

namespace lanewright::cli {

/// "lanewright-cli: <sentence>" on stderr.
void tellError(const Message& message);
void tellError(std::string_view sentence);
/// A line on stderr.
void tell(std::string_view line);
/// Over the current line of the terminal that stderr is; the next such line replaces it.
void tellInPlace(std::string_view line);
/// On stdout, as it is.
void print(std::string_view text);
/// Errors: cli.stdout when something printed did not arrive (full disk).
Status flushOutput();

bool stdoutIsTerminal();
bool stderrIsTerminal();
/// Columns of the terminal that stderr is, or 80.
int terminalWidth();

}  // namespace lanewright::cli
