// SPDX-License-Identifier: GPL-3.0-or-later
// Decoding on the CPU: libjpeg-turbo and libspng, row by row.
#include "kernels/codecs/decoding_kernel.h"
#include "kernels/decode/kernels.h"

namespace lanewright::decode {

const CpuKernel* cpuKernel() {
    static const DecodingKernel kernel(
        [](const Parameters& parameters) { return parameterTable().bind(parameters).damaged; });
    return &kernel;
}

}  // namespace lanewright::decode
