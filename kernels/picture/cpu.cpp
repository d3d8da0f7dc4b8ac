// SPDX-License-Identifier: GPL-3.0-or-later
// Decoding on the CPU, as the stage decode does it; a damaged picture fails.
#include "kernels/codecs/decoding_kernel.h"
#include "kernels/picture/kernels.h"

namespace lanewright::picture {

const CpuKernel* cpuKernel() {
    static const DecodingKernel kernel([](const Parameters&) { return DamagePolicy::fail; });
    return &kernel;
}

}  // namespace lanewright::picture
