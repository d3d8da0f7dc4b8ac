// SPDX-License-Identifier: GPL-3.0-or-later
// Answers whether CUDA works on this machine: one trivial kernel, from launch to result.
#pragma once

#include <string>

namespace lanewright {

/// Fills a few thousand bytes on the first CUDA device and compares them on the host.
/// False with the reason (no driver, no device, a wrong result) in `reason`.
bool cudaFillSelfTest(std::string& reason);

}  // namespace lanewright
