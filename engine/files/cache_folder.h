// SPDX-License-Identifier: GPL-3.0-or-later
// Where Lanewright keeps what it can make again: learned costs, synthetic images, compiled programs.
#pragma once

#include <filesystem>

namespace lanewright {

/// $XDG_CACHE_HOME/lanewright or ~/.cache/lanewright; without a home, a folder of this user among the temporary files.
/// Absolute; it may not exist yet.
std::filesystem::path cacheFolder();

}  // namespace lanewright
