// SPDX-License-Identifier: GPL-3.0-or-later
// What this process may use of the host: processors (affinity mask, cgroup quota) and memory (free, cgroup limit).
#pragma once

#include "kernels/api/units.h"

#include <filesystem>
#include <string>

namespace lanewright {

struct HostLimits {
    int processors = 1;       ///< threads that can run at the same time; a quota of 1.5 counts as 2
    double capacity = 1;      ///< processors' worth of time, a quota may be fractional
    ByteCount memory;         ///< that can be had now: free and reclaimable, within the cgroup's limit
    std::string model;        ///< of the processor
    double megahertz = 2000;  ///< as /proc/cpuinfo says
};

/// Reads affinity from the system, everything else from files below `root` (tests give a folder of their own).
HostLimits readHostLimits(const std::filesystem::path& root = "/");

}  // namespace lanewright
