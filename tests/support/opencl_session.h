// SPDX-License-Identifier: GPL-3.0-or-later
// The OpenCL device that tests use.
#pragma once

#include "tests/support/device_session.h"

#include <CL/cl.h>

namespace lanewright::test {

struct OpenClTestDevice {
    cl_device_id device = nullptr;
};

/// Errors: test.noDevice with the reason.
Result<OpenClTestDevice> openClTestDevice();

}  // namespace lanewright::test
