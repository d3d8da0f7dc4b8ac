// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of "gaussian_blur" and what they share.
#pragma once

#include "kernels/api/image_shape.h"
#include "kernels/api/parameters.h"
#include "kernels/common/borders.h"

namespace lanewright {
class CpuKernel;
class DeviceKernel;
}  // namespace lanewright

namespace lanewright::gaussian_blur {

struct Settings {
    double sigma = 1.5;  ///< in pixels of plane 0
    Border edges = Border::replicate;
};

const ParameterTable<Settings>& settingsTable();

/// What is done to one plane: subsampled planes are blurred by as much less as they are smaller.
struct PlaneBlur {
    double sigmaX = 1;
    double sigmaY = 1;
    Border edges = Border::replicate;

    friend bool operator==(const PlaneBlur&, const PlaneBlur&) = default;
};

PlaneBlur planeBlur(const Settings& settings, const PixelFormat& format, std::size_t plane);

const CpuKernel* cpuKernel();
const DeviceKernel* openClKernel();  ///< nullptr in a build without OpenCL

}  // namespace lanewright::gaussian_blur
