// SPDX-License-Identifier: GPL-3.0-or-later
// Machine files as values, and the writer.
#include "engine/machine/machine_file.h"

#include "engine/files/files.h"
#include "engine/machine/machine_reader.h"

#include <vector>

namespace lanewright {
namespace {

constexpr ByteCount largestMachine{4 << 20};

class MachineWriter {
public:
    explicit MachineWriter(const Machine& machine) : m_machine(machine) {}

    Json write() const {
        Json root = Json::object();
        writeHeader(root, machineFormat);
        root["name"] = m_machine.name;
        if (!m_machine.fingerprint.empty()) root["fingerprint"] = m_machine.fingerprint;
        root["memories"] = Json::array();
        for (std::size_t i = 0; i < m_machine.memories.size(); ++i) {
            const Memory& memory = m_machine.memories[i];
            if (!isUsed(MemoryId(i))) continue;
            root["memories"].push_back({{"name", memory.name}, {"budget_bytes", memory.budget.value}});
        }
        root["devices"] = Json::array();
        for (const Device& device : m_machine.devices) {
            if (!device.absent) root["devices"].push_back(deviceJson(device));
        }
        root["links"] = Json::array();
        for (const Link& link : m_machine.links) {
            if (isUsed(link.from) && isUsed(link.to)) root["links"].push_back(linkJson(link));
        }
        root["groups"] = Json::array();
        for (const CapacityGroup& group : m_machine.groups) root["groups"].push_back(groupJson(group));
        return root;
    }

private:
    bool isUsed(MemoryId memory) const {
        if (memory == m_machine.hostMemory) return true;
        for (const Device& device : m_machine.devices) {
            if (!device.absent && device.memory == memory) return true;
        }
        return false;
    }

    std::string laneName(LaneId id) const {
        const Lane& lane = m_machine.lane(id);
        return m_machine.device(lane.device).name + "/" + lane.name;
    }

    Json deviceJson(const Device& device) const {
        Json json = {
            {"name", device.name}, {"label", device.label}, {"kind", std::string(deviceKindName(device.kind))}};
        if (device.memory.valid()) json["memory"] = m_machine.memory(device.memory).name;
        if (!device.driverVersion.empty()) json["driver_version"] = device.driverVersion;
        if (!device.physicalId.empty()) json["physical_id"] = device.physicalId;
        if (device.synchronous) json["synchronous"] = true;
        if (device.operationsPerSecond > 0) json["operations_per_second"] = device.operationsPerSecond;
        json["bytes_per_second"] = device.bytesPerSecond;
        json["lanes"] = Json::array();
        for (const LaneId id : device.lanes) {
            const Lane& lane = m_machine.lane(id);
            Json entry = {{"name", lane.name}, {"role", std::string(laneRoleName(lane.role))}};
            if (lane.queueDepth != 1) entry["queue_depth"] = lane.queueDepth;
            json["lanes"].push_back(std::move(entry));
        }
        return json;
    }

    Json linkJson(const Link& link) const {
        Json rates = Json::object();
        for (std::size_t kind = 0; kind < copyKindCount; ++kind) {
            if (link.bytesPerSecond[kind] <= 0) continue;
            rates[std::string(copyKindName(static_cast<CopyKind>(kind)))] = link.bytesPerSecond[kind];
        }
        return {{"from", m_machine.memory(link.from).name},
                {"to", m_machine.memory(link.to).name},
                {"lane", laneName(link.lane)},
                {"latency_ns", link.latency.count()},
                {"bytes_per_second", std::move(rates)}};
    }

    Json groupJson(const CapacityGroup& group) const {
        Json members = Json::array();
        for (const GroupMember& member : group.members) {
            members.push_back({{"lane", laneName(member.lane)}, {"demand", member.demand}});
        }
        return {{"name", group.name},
                {"rule", group.rule == GroupRule::shared ? "shared" : "exclusive"},
                {"capacity", group.capacity},
                {"members", std::move(members)}};
    }

    const Machine& m_machine;
};

}  // namespace

Result<Machine> readMachine(const std::filesystem::path& file) {
    auto text = readTextFile(file, largestMachine);
    if (!text) return std::move(text).error();
    return parseMachine(*text, file);
}

Result<Machine> parseMachine(std::string_view text, const std::filesystem::path& file) {
    MachineReader reader(file.string());
    Machine machine = reader.read(text);
    if (!reader.problems().empty()) return reader.problems().front();
    return machine;
}

std::vector<Problem> machineProblems(std::string_view text, const std::filesystem::path& file) {
    MachineReader reader(file.string());
    reader.read(text);
    std::vector<Problem> problems;
    for (const Message& message : reader.problems()) problems.push_back({message, {}, Severity::error});
    for (const Message& message : reader.unknownKeys()) problems.push_back({message, {}, Severity::warning});
    return problems;
}

std::string machineText(const Machine& machine) { return jsonText(MachineWriter(machine).write()); }

Status writeMachine(const Machine& machine, const std::filesystem::path& file) {
    return saveFile(file, machineText(machine));
}

}  // namespace lanewright
