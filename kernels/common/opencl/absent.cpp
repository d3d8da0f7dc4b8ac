// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for the OpenCL runtime in a build without OpenCL.
#include "kernels/common/opencl/factory.h"

namespace lanewright {

DeviceRuntimeFactory openClRuntimeFactory() { return nullptr; }

}  // namespace lanewright
