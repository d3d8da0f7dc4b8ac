// SPDX-License-Identifier: GPL-3.0-or-later
// A machine: devices, memories, lanes, links, and the capacity groups that lanes share. Discovered, or read from a
// machine file for hardware that is absent. A value: nothing here talks to hardware.
#pragma once

#include "kernels/api/device_kernel.h"
#include "kernels/api/ids.h"
#include "kernels/api/result.h"
#include "kernels/api/units.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

enum class LaneRole : std::uint8_t { worker, compute, upload, download, decodeEngine, read, write, peer };
std::string_view laneRoleName(LaneRole role);

/// One queue of a device on which work is in order. At most `queueDepth` steps are submitted and unfinished on it.
struct Lane {
    std::string name;  ///< "worker 1", "upload"
    DeviceId device;
    LaneRole role = LaneRole::worker;
    int queueDepth = 1;
};

struct Memory {
    std::string name;  ///< "host", "opencl:0"
    ByteCount budget;  ///< live buffers never exceed it
};

/// A board row (storage has none). Rates are peak estimates for work that was never measured.
struct Device {
    std::string name;   ///< as users write it: "cpu", "opencl:0", "storage"
    std::string label;  ///< "NVIDIA H200"
    DeviceKind kind = DeviceKind::cpu;
    MemoryId memory;
    std::vector<LaneId> lanes;
    std::optional<Message> absent;  ///< why it cannot be used here
    std::string driverVersion;
    std::string physicalId;    ///< equal for one card reached by two drivers
    bool synchronous = false;  ///< one step at a time on the whole device
    double operationsPerSecond = 0;
    double bytesPerSecond = 0;
};

enum class CopyKind : std::uint8_t { pageable, pinned, mapped, peer };
inline constexpr std::size_t copyKindCount = 4;
std::string_view copyKindName(CopyKind kind);

/// One direction from memory to memory; its steps run on `lane`. A rate of 0: that copy kind is not possible.
struct Link {
    MemoryId from;
    MemoryId to;
    LaneId lane;
    std::array<double, copyKindCount> bytesPerSecond{};
    Duration latency{0};
};

/// shared: running steps together use at most `capacity`; when they ask for more all slow down alike.
/// exclusive: one step at a time, in the order submitted (PoCL: copies wait for the running kernel).
enum class GroupRule : std::uint8_t { shared, exclusive };

struct GroupMember {
    LaneId lane;
    double demand = 1;  ///< of the group's capacity while a step runs on the lane
};

struct CapacityGroup {
    std::string name;  ///< "cores"
    GroupRule rule = GroupRule::shared;
    double capacity = 1;
    std::vector<GroupMember> members;
};

struct Machine {
    std::string name;
    std::string fingerprint;  ///< processor, devices and drivers: costs measured elsewhere do not count here
    bool present = true;      ///< false: read from a machine file; runs on it are simulated
    std::vector<Device> devices;
    std::vector<Memory> memories;
    std::vector<Lane> lanes;
    std::vector<Link> links;
    std::vector<CapacityGroup> groups;
    MemoryId hostMemory;
    DeviceId hostDevice;  ///< the CPU
    DeviceId storageDevice;

    const Device& device(DeviceId id) const { return devices[id.index()]; }
    const Lane& lane(LaneId id) const { return lanes[id.index()]; }
    const Memory& memory(MemoryId id) const { return memories[id.index()]; }
    const Link& link(LinkId id) const { return links[id.index()]; }
    std::optional<DeviceId> findDevice(std::string_view name) const;
    /// Links to walk from memory to memory: one, or two through the host; empty when it is the same or unreachable.
    std::vector<LinkId> route(MemoryId from, MemoryId to) const;
    std::vector<LaneId> lanesOf(DeviceId device, LaneRole role) const;
};

}  // namespace lanewright
