// SPDX-License-Identifier: GPL-3.0-or-later
// The way to the OpenCL runtime without OpenCL headers.
#pragma once

#include "kernels/api/device_kernel.h"

namespace lanewright {

/// nullptr in a build without OpenCL.
DeviceRuntimeFactory openClRuntimeFactory();

}  // namespace lanewright
