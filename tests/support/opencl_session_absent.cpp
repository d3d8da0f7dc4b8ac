// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for the OpenCL session in a build without OpenCL.
#include "tests/support/device_session.h"

namespace lanewright::test {

Result<std::unique_ptr<DeviceSession>> openOpenClCpuSession() {
    return Message{"test.noDevice", {{"reason", "built without OpenCL"}}};
}

Result<std::unique_ptr<DeviceSession>> openOpenClGpuSession() { return openOpenClCpuSession(); }

}  // namespace lanewright::test
