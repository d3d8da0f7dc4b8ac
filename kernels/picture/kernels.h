// SPDX-License-Identifier: GPL-3.0-or-later
// What picture's files share.
#pragma once

#include "kernels/api/cpu_kernel.h"

namespace lanewright::picture {

const CpuKernel* cpuKernel();

}  // namespace lanewright::picture
