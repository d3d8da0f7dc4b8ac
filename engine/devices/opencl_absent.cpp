// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for opencl.cpp in a build without OpenCL and says why.
#include "engine/devices/backends.h"

#include "build_features.h"

namespace lanewright {
namespace {

Message reason() { return {"device.notBuilt", {{"reason", openClMissingReason}}}; }

void discover(Machine& machine, const Catalog&, const DiscoveryOptions&) {
    addAbsentDevice(machine, "opencl:0", DeviceKind::openCl, reason());
}

Result<std::unique_ptr<DeviceDriver>> makeDriver(const Machine&, DeviceId, const Catalog&) { return reason(); }

}  // namespace

DeviceBackend openClBackend() { return {DeviceKind::openCl, &discover, &makeDriver}; }

}  // namespace lanewright
