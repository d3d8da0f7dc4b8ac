// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for every stage kind.
#include "kernels/api/stage_kind.h"

#include <algorithm>

namespace lanewright {

std::string_view deviceKindName(DeviceKind kind) {
    switch (kind) {
    case DeviceKind::cpu: return "cpu";
    case DeviceKind::cuda: return "cuda";
    case DeviceKind::openCl: return "opencl";
    case DeviceKind::storage: return "storage";
    case DeviceKind::fake: return "fake";
    }
    return "";
}

bool StageKind::runsOn(DeviceKind kind) const {
    const auto list = phases(kind);
    return std::all_of(list.begin(), list.end(), [kind](const Phase& phase) {
        // The scripted device of tests computes with the host's kernels.
        const bool host = phase.onHost || kind == DeviceKind::cpu || kind == DeviceKind::fake;
        return host ? phase.operation->cpuKernel() != nullptr : phase.operation->deviceKernel(kind) != nullptr;
    });
}

}  // namespace lanewright
