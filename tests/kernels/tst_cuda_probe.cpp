// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA part of the build works, on machines that have a CUDA device.
#include "kernels/common/cuda/probe.h"

#include <gtest/gtest.h>

namespace lanewright {
namespace {

TEST(CudaProbe, FillsMemoryOnTheFirstDevice) {
    std::string reason;
    if (!cudaFillSelfTest(reason)) {
        EXPECT_NE(reason, "");
        if (reason.starts_with("cudaGetDeviceCount") || reason == "no CUDA device") GTEST_SKIP() << reason;
        FAIL() << reason;
    }
}

}  // namespace
}  // namespace lanewright
