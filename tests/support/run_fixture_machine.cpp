// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/run_fixture.h"

#include <utility>
#include <vector>

namespace lanewright::test {

std::shared_ptr<const Machine> makeFixtureMachine() {
    auto machine = std::make_shared<Machine>();
    machine->name = "test bench";
    machine->fingerprint = "fixture-1";
    machine->memories = {{"host", ByteCount(24ULL << 30)}, {"opencl:0", ByteCount(6ULL << 30)}};
    machine->hostMemory = MemoryId(std::size_t{0});
    machine->hostDevice = DeviceId(std::size_t{0});
    machine->storageDevice = DeviceId(std::size_t{2});
    const auto add = [&machine](const char* name, std::size_t device, LaneRole role, int depth) {
        machine->lanes.push_back({name, DeviceId(device), role, depth});
    };
    add("worker 1", 0, LaneRole::worker, 1);
    add("worker 2", 0, LaneRole::worker, 1);
    add("compute", 1, LaneRole::compute, 2);
    add("upload", 1, LaneRole::upload, 2);
    add("download", 1, LaneRole::download, 2);
    add("read", 2, LaneRole::read, 1);
    add("write", 2, LaneRole::write, 1);
    const auto device = [&machine](const char* name, const char* label, DeviceKind kind, std::size_t memory,
                                   std::vector<std::size_t> lanes, const char* driver) {
        Device d;
        d.name = name;
        d.label = label;
        d.kind = kind;
        d.memory = MemoryId(memory);
        for (const std::size_t lane : lanes) d.lanes.push_back(LaneId(lane));
        d.driverVersion = driver;
        d.operationsPerSecond = kind == DeviceKind::storage ? 0 : 2.5e10;
        d.bytesPerSecond = 1.2e10;
        machine->devices.push_back(std::move(d));
    };
    device("cpu", "AMD EPYC 7763", DeviceKind::cpu, 0, {0, 1}, "");
    device("opencl:0", "PoCL on AMD EPYC 7763", DeviceKind::openCl, 1, {2, 3, 4}, "PoCL 3.1");
    device("storage", "files", DeviceKind::storage, 0, {5, 6}, "");
    machine->links = {{MemoryId(std::size_t{0}),
                       MemoryId(std::size_t{1}),
                       LaneId(std::size_t{3}),
                       {6.1e9, 0, 0, 0},
                       Duration(20'000)},
                      {MemoryId(std::size_t{1}),
                       MemoryId(std::size_t{0}),
                       LaneId(std::size_t{4}),
                       {5.4e9, 0, 0, 0},
                       Duration(20'000)}};
    machine->groups = {{"cores",
                        GroupRule::shared,
                        2,
                        {{LaneId(std::size_t{0}), 1}, {LaneId(std::size_t{1}), 1}, {LaneId(std::size_t{2}), 1}}}};
    return machine;
}

}  // namespace lanewright::test
