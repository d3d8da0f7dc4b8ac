// SPDX-License-Identifier: GPL-3.0-or-later
// The device list: one backend for each kind of device. A new kind is one line here and one in backends.cpp.
#pragma once

#include "engine/devices/driver.h"

namespace lanewright {

DeviceBackend cpuBackend();
DeviceBackend storageBackend();
DeviceBackend openClBackend();  ///< in a build without OpenCL it says why
DeviceBackend cudaBackend();

/// Adds to a machine that is being discovered. A device's lanes are listed in it.
DeviceId addDevice(Machine& machine, Device device);
MemoryId addMemory(Machine& machine, std::string name, ByteCount budget);
LaneId addLane(Machine& machine, DeviceId device, std::string name, LaneRole role, int queueDepth);
/// A device that users may name but that is not here.
void addAbsentDevice(Machine& machine, std::string name, DeviceKind kind, Message reason);
/// Makes the lane a member of the shared group "cores", which the CPU's backend made.
void addToCores(Machine& machine, LaneId lane, double demand);

}  // namespace lanewright
