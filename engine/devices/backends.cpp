// SPDX-License-Identifier: GPL-3.0-or-later
// The device list, and discovery by walking it.
#include "engine/devices/backends.h"

#include <array>
#include <utility>

namespace lanewright {

std::span<const DeviceBackend> deviceBackends() {
    // The host comes first: others add themselves to its memory, lanes and groups.
    static const std::array backends = {cpuBackend(), storageBackend(), openClBackend(), cudaBackend()};
    return backends;
}

Machine discoverMachine(const Catalog& catalog, const DiscoveryOptions& options) {
    Machine machine;
    machine.name = "this machine";
    for (const DeviceBackend& backend : deviceBackends()) backend.discover(machine, catalog, options);
    return machine;
}

DeviceId addDevice(Machine& machine, Device device) {
    machine.devices.push_back(std::move(device));
    return DeviceId(machine.devices.size() - 1);
}

MemoryId addMemory(Machine& machine, std::string name, ByteCount budget) {
    machine.memories.push_back({std::move(name), budget});
    return MemoryId(machine.memories.size() - 1);
}

LaneId addLane(Machine& machine, DeviceId device, std::string name, LaneRole role, int queueDepth) {
    machine.lanes.push_back({std::move(name), device, role, queueDepth});
    const LaneId lane(machine.lanes.size() - 1);
    machine.devices[device.index()].lanes.push_back(lane);
    return lane;
}

void addAbsentDevice(Machine& machine, std::string name, DeviceKind kind, Message reason) {
    Device device;
    device.name = name;
    device.label = name;
    device.kind = kind;
    device.absent = std::move(reason);
    device.memory = addMemory(machine, std::move(name), ByteCount(0));
    addDevice(machine, std::move(device));
}

void addToCores(Machine& machine, LaneId lane, double demand) {
    for (CapacityGroup& group : machine.groups) {
        if (group.name == "cores") group.members.push_back({lane, demand});
    }
}

}  // namespace lanewright
