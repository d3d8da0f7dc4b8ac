// SPDX-License-Identifier: GPL-3.0-or-later
// Machine files: what is read, faults with their places, writing, and the samples.
#include "engine/devices/fake.h"
#include "engine/files/files.h"
#include "engine/machine/machine_file.h"
#include "engine/text/text.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lanewright {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const char* const small = R"({
  "lanewright": {"format": "machine", "version": 1},
  "name": "small",
  "memories": [{"name": "host", "budget_bytes": 1000}, {"name": "gpu", "budget_bytes": 500}],
  "devices": [
    {"name": "cpu", "label": "Two cores", "kind": "cpu", "memory": "host", "operations_per_second": 8e9,
     "bytes_per_second": 5e9, "lanes": [{"name": "worker", "role": "worker", "count": 2}]},
    {"name": "storage", "kind": "storage", "bytes_per_second": 1e9,
     "lanes": [{"name": "read", "role": "read", "queue_depth": 2}, {"name": "write", "role": "write"}]},
    {"name": "opencl:0", "kind": "opencl", "memory": "gpu", "operations_per_second": 1e12, "bytes_per_second": 1e11,
     "driver_version": "3.1", "physical_id": "card", "synchronous": true,
     "lanes": [{"name": "compute", "role": "compute"}, {"name": "up", "role": "upload"}]}
  ],
  "links": [
    {"from": "host", "to": "gpu", "lane": "opencl:0/up", "latency_ns": 7, "bytes_per_second": {"pinned": 2e9}},
    {"from": "gpu", "to": "host", "lane": "opencl:0/up", "bytes_per_second": {"pageable": 1e9, "pinned": 3e9}}
  ],
  "groups": [
    {"name": "cores", "capacity": 2, "members": [{"lane": "cpu/worker *"}, {"lane": "opencl:0/compute", "demand": 2}]},
    {"name": "one", "rule": "exclusive", "members": [{"lane": "opencl:0/up"}]}
  ]
})";

class MachineFile : public testing::Test {
protected:
    Result<Machine> parse(const std::string& text) const { return parseMachine(text, "m.json"); }
    /// The small machine after a JSON patch.
    std::string patched(const char* patch) const { return Json::parse(small).patch(Json::parse(patch)).dump(); }
    std::string firstPointer(const char* patch) const {
        const auto machine = parse(patched(patch));
        if (machine) return "none";
        EXPECT_EQ(machine.error().id, "machine.value");
        return std::string(machine.error().argument("pointer"));
    }
};

TEST_F(MachineFile, EverythingIsRead) {
    const auto machine = parse(small);
    ASSERT_TRUE(machine.ok()) << textOf(machine.error());
    EXPECT_FALSE(machine->present);
    EXPECT_EQ(machine->name, "small");
    EXPECT_TRUE(machine->fingerprint.starts_with("file "));
    ASSERT_EQ(machine->devices.size(), 3U);
    ASSERT_EQ(machine->lanes.size(), 6U);
    EXPECT_EQ(machine->lanes[1].name, "worker 2");
    EXPECT_EQ(machine->lanes[2].queueDepth, 2);
    EXPECT_EQ(machine->hostDevice, DeviceId(0));
    EXPECT_EQ(machine->storageDevice, DeviceId(1));
    EXPECT_EQ(machine->devices[1].memory, machine->hostMemory);
    EXPECT_EQ(machine->devices[1].label, "storage");
    EXPECT_EQ(machine->devices[2].kind, DeviceKind::openCl);
    EXPECT_TRUE(machine->devices[2].synchronous);
    EXPECT_EQ(machine->devices[2].physicalId, "card");
    EXPECT_EQ(machine->links[0].latency, Duration(7));
    EXPECT_EQ(machine->links[0].bytesPerSecond, (std::array<double, 4>{0, 2e9, 0, 0}));
    EXPECT_EQ(machine->links[0].lane, LaneId(5));
    ASSERT_EQ(machine->groups[0].members.size(), 3U);
    EXPECT_EQ(machine->groups[0].members[2].demand, 2);
    EXPECT_EQ(machine->groups[1].rule, GroupRule::exclusive);
    EXPECT_EQ(machine->route(machine->hostMemory, MemoryId(1)).size(), 1U);
    EXPECT_TRUE(machineProblems(small, "m.json").empty());
}

TEST_F(MachineFile, FaultsHaveAPointer) {
    struct Case {
        const char* patch;
        const char* pointer;
    };
    const Case cases[] = {
        {R"([{"op": "remove", "path": "/name"}])", "/name"},
        {R"([{"op": "remove", "path": "/memories"}])", "/memories"},
        {R"([{"op": "replace", "path": "/devices", "value": {}}])", "/devices"},
        {R"([{"op": "replace", "path": "/memories/1/name", "value": "host"}])", "/memories/1"},
        {R"([{"op": "replace", "path": "/memories/0/budget_bytes", "value": -1}])", "/memories/0/budget_bytes"},
        {R"([{"op": "replace", "path": "/devices/0/kind", "value": "gpu"}])", "/devices/0/kind"},
        {R"([{"op": "replace", "path": "/devices/0/memory", "value": "ram"}])", "/devices/0/memory"},
        {R"([{"op": "replace", "path": "/devices/2/name", "value": "cpu"}])", "/devices/2"},
        {R"([{"op": "replace", "path": "/devices/2/name", "value": "a/b"}])", "/devices/2"},
        {R"([{"op": "replace", "path": "/devices/2/kind", "value": "cpu"}])", "/devices"},
        {R"([{"op": "remove", "path": "/devices/0/operations_per_second"}])", "/devices/0/operations_per_second"},
        {R"([{"op": "replace", "path": "/devices/0/bytes_per_second", "value": "1"}])", "/devices/0/bytes_per_second"},
        {R"([{"op": "replace", "path": "/devices/0/lanes/0/count", "value": 0}])", "/devices/0/lanes/0/count"},
        {R"([{"op": "replace", "path": "/devices/0/lanes/0/count", "value": 100000}])", "/devices/0/lanes/0/count"},
        {R"([{"op": "replace", "path": "/devices/0/lanes/0/role", "value": "upload"}])", "/devices/0/lanes"},
        {R"([{"op": "replace", "path": "/devices/1/lanes/1/name", "value": "read"}])", "/devices/1/lanes/1"},
        {R"([{"op": "remove", "path": "/devices/1/lanes/1"}])", "/devices/1/lanes"},
        {R"([{"op": "replace", "path": "/devices/1/lanes/0/queue_depth", "value": 0}])",
         "/devices/1/lanes/0/queue_depth"},
        {R"([{"op": "replace", "path": "/links/0/lane", "value": "opencl:0/down"}])", "/links/0/lane"},
        {R"([{"op": "replace", "path": "/links/0/lane", "value": "cpu/*"}])", "/links/0/lane"},
        {R"([{"op": "replace", "path": "/links/0/to", "value": "host"}])", "/links/0"},
        {R"([{"op": "replace", "path": "/links/0/bytes_per_second/pinned", "value": 0}])", "/links/0/bytes_per_second"},
        {R"([{"op": "remove", "path": "/links/1"}])", "/devices/2/memory"},
        {R"([{"op": "remove", "path": "/links"}])", "/devices/2/memory"},
        {R"([{"op": "remove", "path": "/groups/0/capacity"}])", "/groups/0/capacity"},
        {R"([{"op": "add", "path": "/groups/0/rule", "value": "both"}])", "/groups/0/rule"},
        {R"([{"op": "replace", "path": "/groups/0/members/1/lane", "value": "cpu/worker 1"}])",
         "/groups/0/members/1/lane"},
        {R"([{"op": "replace", "path": "/groups/0/members/1/lane", "value": "x"}])", "/groups/0/members/1/lane"},
        {R"([{"op": "replace", "path": "/groups/0/members/1/demand", "value": 0}])", "/groups/0/members/1/demand"},
    };
    for (const Case& one : cases) EXPECT_EQ(firstPointer(one.patch), one.pointer) << one.patch;
}

TEST_F(MachineFile, OtherFilesAreTold) {
    EXPECT_EQ(parse("{").error().id, "machine.syntax");
    EXPECT_EQ(parse("{").error().argument("line"), "1");
    EXPECT_EQ(parse(R"({"lanewright": {"format": "project", "version": 1}})").error().id, "machine.value");
    EXPECT_EQ(parse(patched(R"([{"op": "replace", "path": "/lanewright/version", "value": 2}])")).error().id,
              "machine.version");
    EXPECT_EQ(readMachine("/no/such.json").error().id, "file.missing");
}

TEST_F(MachineFile, EveryProblemIsListedAndRemarksAreNone) {
    const auto problems = machineProblems(
        patched(R"([{"op": "remove", "path": "/name"}, {"op": "add", "path": "/devices/0/source", "value": "a book"},
                    {"op": "add", "path": "/devices/0/speed", "value": 1},
                    {"op": "replace", "path": "/memories/0/budget_bytes", "value": "x"}])"),
        "m.json");
    ASSERT_EQ(problems.size(), 3U);
    EXPECT_EQ(problems[0].message.argument("pointer"), "/name");
    EXPECT_EQ(problems[1].message.argument("pointer"), "/memories/0/budget_bytes");
    EXPECT_EQ(problems[2].message.argument("pointer"), "/devices/0/speed");
    EXPECT_EQ(problems[2].severity, Severity::warning);
}

TEST_F(MachineFile, WritingAndReadingGiveTheSame) {
    const auto machine = parse(small);
    ASSERT_TRUE(machine.ok());
    const std::string text = machineText(*machine);
    const auto again = parse(text);
    ASSERT_TRUE(again.ok()) << textOf(again.error());
    EXPECT_EQ(machineText(*again), text);
    EXPECT_EQ(again->fingerprint, machine->fingerprint);
    EXPECT_EQ(again->lanes.size(), machine->lanes.size());
    EXPECT_EQ(again->links[1].bytesPerSecond, machine->links[1].bytesPerSecond);
    EXPECT_EQ(again->groups[0].members.size(), 3U);
    EXPECT_EQ(again->devices[2].driverVersion, "3.1");
}

TEST_F(MachineFile, AMachineThatIsHereCanBeWritten) {
    Machine machine = *parse(small);
    machine.present = true;
    machine.fingerprint = "this very one";
    Device absent;
    absent.name = "cuda:0";
    absent.kind = DeviceKind::cuda;
    absent.absent = Message{"device.none", {}};
    absent.memory = MemoryId(machine.memories.size());
    machine.memories.push_back({"cuda:0", ByteCount(0)});
    machine.devices.push_back(absent);
    addFakeDevice(machine);
    const test::TemporaryFolder folder;
    ASSERT_TRUE(writeMachine(machine, folder.path() / "m.machine.json").ok());
    const auto again = readMachine(folder.path() / "m.machine.json");
    ASSERT_TRUE(again.ok()) << textOf(again.error());
    EXPECT_FALSE(again->present);
    EXPECT_EQ(again->fingerprint, "this very one");
    EXPECT_FALSE(again->findDevice("cuda:0"));
    EXPECT_EQ(again->memories.size(), 3U);
    ASSERT_TRUE(again->findDevice("fake:0"));
    const MemoryId memory = again->device(*again->findDevice("fake:0")).memory;
    EXPECT_EQ(again->route(again->hostMemory, memory).size(), 1U);
}

TEST_F(MachineFile, SamplesHaveNoProblems) {
    int samples = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(LANEWRIGHT_SOURCE_DIR) / "resources/machines")) {
        ++samples;
        const auto text = readTextFile(entry.path());
        ASSERT_TRUE(text.ok());
        for (const Problem& problem : machineProblems(*text, entry.path())) ADD_FAILURE() << textOf(problem.message);
        EXPECT_NE(text->find("\"source\""), std::string::npos)
            << entry.path() << " does not say where figures come from";
    }
    EXPECT_GE(samples, 2);
}

}  // namespace
}  // namespace lanewright
