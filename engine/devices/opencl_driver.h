// SPDX-License-Identifier: GPL-3.0-or-later
// The driver of one OpenCL device.
#pragma once

#include "engine/devices/driver.h"

#include <memory>

namespace lanewright {

/// `clDevice` is the cl_device_id of `device`. `oneQueue`: see OpenClQueue.
std::unique_ptr<DeviceDriver> makeOpenClDriver(const Machine& machine, DeviceId device, void* clDevice, bool oneQueue,
                                               DeviceRuntimeFactory factory);

}  // namespace lanewright
