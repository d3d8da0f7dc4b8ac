// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of "resize".
#pragma once

namespace lanewright {
class CpuKernel;
class DeviceKernel;
}  // namespace lanewright

namespace lanewright::resize {

const CpuKernel* cpuKernel();
const DeviceKernel* openClKernel();  ///< nullptr in a build without OpenCL

}  // namespace lanewright::resize
