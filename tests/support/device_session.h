// SPDX-License-Identifier: GPL-3.0-or-later
// Runs device kernels in tests without the engine: one small session a kind of device.
#pragma once

#include "kernels/api/catalog.h"
#include "tests/support/image_samples.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace lanewright::test {

/// One image of a call: its blocks stand for what is copied to the device and back.
struct DeviceJob {
    std::vector<GuardedBlock*> inputs;
    std::vector<GuardedBlock*> outputs;
};

class DeviceSession {
public:
    virtual ~DeviceSession() = default;
    /// prepare() with the first job, then one enqueue() with all. Device blocks lie at an offset between guard bytes; a
    /// write outside them is an error (test.guard).
    virtual Status run(const DeviceKernel& kernel, const Parameters& parameters, std::span<const DeviceJob> jobs) = 0;
};

/// The same device with the kernels built as for CPUs and as for GPUs.
Result<std::unique_ptr<DeviceSession>> openOpenClCpuSession();
Result<std::unique_ptr<DeviceSession>> openOpenClGpuSession();

/// `open` fails with the reason where there is no such device here.
struct DeviceSessionKind {
    DeviceKind kind;
    std::string_view name;
    Result<std::unique_ptr<DeviceSession>> (*open)();
};
std::span<const DeviceSessionKind> deviceSessionKinds();

}  // namespace lanewright::test
