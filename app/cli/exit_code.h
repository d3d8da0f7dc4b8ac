// SPDX-License-Identifier: GPL-3.0-or-later
// Exit codes of the program: part of its contract with scripts.
#pragma once

#include "kernels/api/result.h"

namespace lanewright::cli {

enum class ExitCode : int {
    ok = 0,
    imagesFailed = 1,  ///< the run took place, but images failed or a report could not be written
    badUsage = 2,      ///< arguments, project or file are wrong; nothing was started
    nothingRan = 3,    ///< all is well formed, but it cannot run here: device absent, no images
    interrupted = 130,
};

/// The code for an error that kept a command from doing its work.
ExitCode exitCodeOf(const Message& error);

}  // namespace lanewright::cli
