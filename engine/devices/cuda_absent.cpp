// SPDX-License-Identifier: GPL-3.0-or-later
// Why cuda:0 is not here: there is no CUDA driver in this version.
#include "engine/devices/backends.h"

#include "build_features.h"

namespace lanewright {
namespace {

Message reason() {
    if (!builtWithCuda) return {"device.notBuilt", {{"reason", cudaMissingReason}}};
    return {"device.cudaNotYet", {}};
}

void discover(Machine& machine, const Catalog&, const DiscoveryOptions&) {
    addAbsentDevice(machine, "cuda:0", DeviceKind::cuda, reason());
}

Result<std::unique_ptr<DeviceDriver>> makeDriver(const Machine&, DeviceId, const Catalog&) { return reason(); }

}  // namespace

DeviceBackend cudaBackend() { return {DeviceKind::cuda, &discover, &makeDriver}; }

}  // namespace lanewright
