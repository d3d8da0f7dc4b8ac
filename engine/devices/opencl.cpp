// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the devices of every OpenCL platform: opencl:0, opencl:1, ... in the loader's order.
#include "engine/devices/backends.h"
#include "engine/devices/opencl_driver.h"

#include <CL/cl.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace lanewright {
namespace {

/// Guesses for what was never measured, per compute unit and cycle.
constexpr double operationsOfCpuUnit = 8;
constexpr double operationsOfGpuUnit = 128;
constexpr double cpuBytesPerSecond = 10e9;
constexpr double gpuBytesPerSecond = 200e9;
constexpr double cpuCopyRate = 5e9;
constexpr double gpuCopyRate = 6e9;
constexpr Duration copyLatency = std::chrono::microseconds(20);

template <class T>
T infoOf(cl_device_id device, cl_device_info what) {
    T value{};
    clGetDeviceInfo(device, what, sizeof value, &value, nullptr);
    return value;
}

std::string textOf(cl_device_id device, cl_device_info what) {
    std::size_t size = 0;
    if (clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
    std::string text(size, '\0');
    if (clGetDeviceInfo(device, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
    text.resize(size - 1);
    return text;
}

bool isCpu(cl_device_id device) { return (infoOf<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0; }

/// Devices that can compile and run programs.
std::vector<cl_device_id> findDevices() {
    cl_uint count = 0;
    if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
    std::vector<cl_platform_id> platforms(count);
    clGetPlatformIDs(count, platforms.data(), nullptr);
    std::vector<cl_device_id> devices;
    for (cl_platform_id platform : platforms) {
        cl_uint here = 0;
        if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &here) != CL_SUCCESS || here == 0) continue;
        std::vector<cl_device_id> list(here);
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, here, list.data(), nullptr);
        for (cl_device_id device : list) {
            const bool usable =
                infoOf<cl_bool>(device, CL_DEVICE_AVAILABLE) && infoOf<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE);
            if (usable) devices.push_back(device);
        }
    }
    return devices;
}

/// One card reached by two drivers has one bus address.
std::string physicalIdOf(cl_device_id device, const std::string& name) {
    if (isCpu(device)) return "host";
    constexpr cl_device_info pciBusInfoKhr = 0x410F;
    struct {
        cl_uint domain, bus, device, function;
    } pci{};
    if (clGetDeviceInfo(device, pciBusInfoKhr, sizeof pci, &pci, nullptr) == CL_SUCCESS) {
        return "pci " + std::to_string(pci.domain) + ":" + std::to_string(pci.bus) + ":" + std::to_string(pci.device);
    }
    constexpr cl_device_info pciBusNv = 0x4008;
    constexpr cl_device_info pciSlotNv = 0x4009;
    cl_uint bus = 0;
    cl_uint slot = 0;
    if (clGetDeviceInfo(device, pciBusNv, sizeof bus, &bus, nullptr) == CL_SUCCESS &&
        clGetDeviceInfo(device, pciSlotNv, sizeof slot, &slot, nullptr) == CL_SUCCESS) {
        return "pci 0:" + std::to_string(bus) + ":" + std::to_string(slot >> 3U);
    }
    return name;
}

ByteCount budgetOf(const Machine& machine, cl_device_id device) {
    const auto all = infoOf<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    std::uint64_t budget = all / 5 * 4;
    // It is the host's memory, and the host wants some for itself.
    if (isCpu(device)) budget = std::min<std::uint64_t>(budget, machine.memory(machine.hostMemory).budget.value / 2);
    return ByteCount(budget);
}

void addLinks(Machine& machine, MemoryId memory, LaneId upload, LaneId download, bool cpu) {
    const double rate = cpu ? cpuCopyRate : gpuCopyRate;
    // Host buffers of this version are pageable; for a device in the host's memory that is no difference.
    const std::array<double, copyKindCount> rates{rate, cpu ? rate : 0, 0, 0};
    machine.links.push_back({machine.hostMemory, memory, upload, rates, copyLatency});
    machine.links.push_back({memory, machine.hostMemory, download, rates, copyLatency});
}

void addOpenClDevice(Machine& machine, cl_device_id clDevice, const std::string& name) {
    const bool cpu = isCpu(clDevice);
    const auto units = static_cast<double>(infoOf<cl_uint>(clDevice, CL_DEVICE_MAX_COMPUTE_UNITS));
    const double hertz = 1e6 * static_cast<double>(infoOf<cl_uint>(clDevice, CL_DEVICE_MAX_CLOCK_FREQUENCY));
    Device device;
    device.name = name;
    device.label = textOf(clDevice, CL_DEVICE_NAME);
    device.kind = DeviceKind::openCl;
    device.driverVersion = textOf(clDevice, CL_DRIVER_VERSION);
    device.physicalId = physicalIdOf(clDevice, name);
    device.operationsPerSecond = units * hertz * (cpu ? operationsOfCpuUnit : operationsOfGpuUnit);
    device.bytesPerSecond = cpu ? cpuBytesPerSecond : gpuBytesPerSecond;
    device.memory = addMemory(machine, name, budgetOf(machine, clDevice));
    machine.fingerprint += "; " + name + " " + device.label + " " + device.driverVersion;
    const MemoryId memory = device.memory;
    const DeviceId id = addDevice(machine, std::move(device));
    const LaneId compute = addLane(machine, id, "compute", LaneRole::compute, 2);
    const LaneId upload = addLane(machine, id, "upload", LaneRole::upload, 2);
    const LaneId download = addLane(machine, id, "download", LaneRole::download, 2);
    addLinks(machine, memory, upload, download, cpu);
    if (!cpu) return;
    addToCores(machine, compute, units);
    addToCores(machine, upload, 1);
    addToCores(machine, download, 1);
    machine.groups.push_back({name + " queue", GroupRule::exclusive, 1, {{compute, 1}, {upload, 1}, {download, 1}}});
}

void discover(Machine& machine, const Catalog&, const DiscoveryOptions&) {
    const auto devices = findDevices();
    for (std::size_t i = 0; i < devices.size(); ++i)
        addOpenClDevice(machine, devices[i], "opencl:" + std::to_string(i));
    if (devices.empty()) addAbsentDevice(machine, "opencl:0", DeviceKind::openCl, {"device.noOpenCl", {}});
}

Result<std::unique_ptr<DeviceDriver>> makeDriver(const Machine& machine, DeviceId id, const Catalog& catalog) {
    const std::string& name = machine.device(id).name;
    const auto devices = findDevices();
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (name != "opencl:" + std::to_string(i)) continue;
        return makeOpenClDriver(machine, id, static_cast<void*>(devices[i]), isCpu(devices[i]),
                                catalog.runtimeFactory(DeviceKind::openCl));
    }
    return Message{"device.gone", {{"device", name}}};
}

}  // namespace

DeviceBackend openClBackend() { return {DeviceKind::openCl, &discover, &makeDriver}; }

}  // namespace lanewright
