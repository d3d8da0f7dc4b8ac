// SPDX-License-Identifier: GPL-3.0-or-later
// A scripted device for tests: a memory of its own, compute, upload and download lanes, operations run with their CPU
// kernels; it can be slow, run out of memory, refuse, fail, be lost, or write wrong data.
#pragma once

#include "engine/devices/driver.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace lanewright {

/// Steps and allocations are counted from 0 over all lanes, in the order they begin.
struct FakeScript {
    Duration sleepPerStep{0};
    double slowness = 1;  ///< a step takes this many times as long as its kernel
    ByteCount memory{};   ///< what is really there; 0: what the machine says
    std::set<std::size_t> failedAllocations{};
    std::set<std::size_t> outOfMemorySteps{};  ///< but downloads, whose output is the host's
    std::set<std::size_t> failedSteps{};       ///< each image fails with fake.failed
    std::set<std::size_t> corruptSteps{};      ///< the outputs' bytes are inverted
    std::set<ImageIndex> refusedImages{};      ///< its operations (not copies) are refused with device.refused
    std::optional<std::size_t> lostAtStep{};
    std::optional<std::size_t> lostAfterStep{};       ///< finishes and reports it first
    std::function<void(const WorkOrder&)> onBegin{};  ///< on the lane's thread, after started()
};

/// What a fake device did, readable at any time.
struct FakeRecord {
    std::atomic<std::size_t> steps{0};
    std::atomic<std::size_t> allocations{0};
    std::atomic<std::size_t> uploads{0};
    std::atomic<std::size_t> downloads{0};
    std::atomic<std::uint64_t> liveBytes{0};
    std::atomic<std::uint64_t> peakBytes{0};
};

struct FakeShape {
    std::string name = "fake:0";
    ByteCount memory{std::uint64_t{256} << 20};
    int queueDepth = 2;
    bool synchronous = false;
    double operationsPerSecond = 1e9;
    double copyBytesPerSecond = 5e9;
};
/// Adds device, memory, lanes and the links to and from the host.
DeviceId addFakeDevice(Machine& machine, const FakeShape& shape = {});

std::unique_ptr<DeviceDriver> makeFakeDriver(const Machine& machine, DeviceId device, FakeScript script = {},
                                             std::shared_ptr<FakeRecord> record = nullptr);

}  // namespace lanewright
