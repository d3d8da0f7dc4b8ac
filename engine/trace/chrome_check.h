// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a Chrome trace against the strict subset that Perfetto, Tracy, chrome://tracing and speedscope all read. What we
// export passes; docs/chrome-trace.md lists the rules.
#pragma once

#include "engine/trace/file_problem.h"

#include <string_view>
#include <vector>

namespace lanewright {

inline constexpr std::size_t mostTraceProblems = 100;

/// In the order of the file; the first mostTraceProblems, and one that says how many more there are. Empty: it passes.
std::vector<FileProblem> checkChromeTrace(std::string_view text);

}  // namespace lanewright
