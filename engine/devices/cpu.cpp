// SPDX-License-Identifier: GPL-3.0-or-later
// The host's processors as a device: a lane for each worker, the host's memory, the capacity group "cores".
#include "engine/devices/backends.h"
#include "engine/devices/cpu_driver.h"
#include "engine/devices/host_limits.h"

#include <algorithm>
#include <string>

namespace lanewright {
namespace {

/// Guesses for operations that were never measured, of one worker: eight operations a cycle (vector code), and what one
/// core streams from memory.
constexpr double operationsPerCycle = 8;
constexpr double bytesPerSecondOfWorker = 6e9;

void discover(Machine& machine, const Catalog&, const DiscoveryOptions& options) {
    const HostLimits limits = readHostLimits();
    const int workers = options.workers > 0 ? options.workers : limits.processors;

    Device device;
    device.name = "cpu";
    device.label = limits.model;
    device.kind = DeviceKind::cpu;
    device.physicalId = "host";
    device.operationsPerSecond = limits.megahertz * 1e6 * operationsPerCycle;
    device.bytesPerSecond = bytesPerSecondOfWorker;
    device.memory = addMemory(machine, "host", ByteCount(limits.memory.value / 4 * 3));
    machine.hostMemory = device.memory;
    machine.hostDevice = addDevice(machine, std::move(device));
    machine.fingerprint += limits.model + " x" + std::to_string(limits.processors);

    CapacityGroup cores{"cores", GroupRule::shared, limits.capacity, {}};
    for (int worker = 1; worker <= workers; ++worker) {
        const std::string name = "worker " + std::to_string(worker);
        cores.members.push_back({addLane(machine, machine.hostDevice, name, LaneRole::worker, 1), 1});
    }
    machine.groups.push_back(std::move(cores));
}

Result<std::unique_ptr<DeviceDriver>> makeDriver(const Machine& machine, DeviceId device, const Catalog&) {
    return makeCpuDriver(machine, device);
}

}  // namespace

DeviceBackend cpuBackend() { return {DeviceKind::cpu, &discover, &makeDriver}; }

}  // namespace lanewright
