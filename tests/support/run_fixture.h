// SPDX-License-Identifier: GPL-3.0-or-later
// Runs as reports see them, made without planner or devices: photos through two CPU workers, an OpenCL device with
// compute, upload and download lanes, and storage. A function of its options only.
#pragma once

#include "engine/run/run.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace lanewright::test {

struct RunFixtureOptions {
    std::size_t images = 40;
    std::uint64_t seed = 1;
    int repeats = 3;
    bool failures = true;  ///< one failed image, one with a warning, one attempt that does not count
    bool predicted = true;
    bool measured = true;
    double megapixels = 12;  ///< of each image
};

/// decode and encode on the CPU; resize and blur on opencl:0 for two images of three, else on the CPU.
Run makeRun(const RunFixtureOptions& options = {});

/// The machine of makeRun().
std::shared_ptr<const Machine> makeFixtureMachine();

/// `spans` spans over `workers` CPU workers and the lanes of an OpenCL device, back to back with some gaps; no images
/// fail. For size and speed.
Run makeLargeRun(std::size_t spans, int workers, std::uint64_t seed = 1);

}  // namespace lanewright::test
