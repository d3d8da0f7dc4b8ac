// SPDX-License-Identifier: GPL-3.0-or-later
// What decode's files share.
#pragma once

#include "kernels/api/cpu_kernel.h"
#include "kernels/codecs/codec.h"

namespace lanewright::decode {

struct Settings {
    DamagePolicy damaged = DamagePolicy::fail;
};

const ParameterTable<Settings>& parameterTable();

const CpuKernel* cpuKernel();

}  // namespace lanewright::decode
