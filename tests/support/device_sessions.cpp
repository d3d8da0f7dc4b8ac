// SPDX-License-Identifier: GPL-3.0-or-later
// The list of device sessions: one line per kind of device.
#include "tests/support/device_session.h"

namespace lanewright::test {

std::span<const DeviceSessionKind> deviceSessionKinds() {
    static constexpr DeviceSessionKind kinds[] = {
        {DeviceKind::openCl, "opencl, shape for CPUs", openOpenClCpuSession},
        {DeviceKind::openCl, "opencl, shape for GPUs", openOpenClGpuSession},
    };
    return kinds;
}

}  // namespace lanewright::test
