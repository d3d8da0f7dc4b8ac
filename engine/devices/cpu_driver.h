// SPDX-License-Identifier: GPL-3.0-or-later
// Runs CPU kernels on one plain thread a lane, the rows of one image on several of them when Dispatch says so.
#pragma once

#include "engine/devices/driver.h"
#include "engine/devices/host_lanes.h"

#include <memory>

namespace lanewright {

std::unique_ptr<DeviceDriver> makeCpuDriver(const Machine& machine, DeviceId device);

/// A step of CPU kernels on HostLanes; the fake device runs its operations with it too. Kernel exceptions end here as
/// device.exception.
LaneJobPtr makeCpuJob(WorkOrderPtr order, DriverEvents& events);

/// Names of a device's lanes, for its threads.
std::vector<std::string> laneNames(const Machine& machine, DeviceId device);

}  // namespace lanewright
