// SPDX-License-Identifier: GPL-3.0-or-later
// One function per part of the file, then what must hold for the whole: a host, storage, lanes to work on, ways to copy.
#include "engine/machine/machine_reader.h"

#include "engine/files/stable_hash.h"

#include <algorithm>
#include <array>

namespace lanewright {
namespace {

constexpr double highestRate = 1e18;
constexpr std::int64_t mostLanesAtOnce = 1024;
constexpr std::size_t mostLanes = 16384;  // lane numbers of spans have 16 bits
constexpr std::int64_t deepestQueue = 64;

constexpr std::array laneRoles = {LaneRole::worker,       LaneRole::compute, LaneRole::upload, LaneRole::download,
                                  LaneRole::decodeEngine, LaneRole::read,    LaneRole::write,  LaneRole::peer};
constexpr std::array deviceKinds = {DeviceKind::cpu, DeviceKind::cuda, DeviceKind::openCl, DeviceKind::storage,
                                    DeviceKind::fake};
constexpr std::array copyKinds = {CopyKind::pageable, CopyKind::pinned, CopyKind::mapped, CopyKind::peer};

/// The value among `values` whose name stands at `key`; a problem when it is none of them.
template <class T, std::size_t N>
std::optional<T> named(const JsonNode& object, std::string_view key, const std::array<T, N>& values,
                       std::string_view (*nameOf)(T)) {
    std::string names;
    for (const T value : values) names += (names.empty() ? "one of " : ", ") + std::string(nameOf(value));
    const auto node = object.need(key, names);
    if (!node) return std::nullopt;
    for (const T value : values) {
        if (node->value() == nameOf(value)) return value;
    }
    node->problem(names);
    return std::nullopt;
}

}  // namespace

Machine MachineReader::read(std::string_view text) {
    m_machine.present = false;
    const auto document = parseJson(text, m_problems);
    if (document) readRoot(JsonNode(*document, m_problems));
    if (m_machine.fingerprint.empty()) m_machine.fingerprint = "file " + stableHash(text);
    return std::move(m_machine);
}

void MachineReader::readRoot(const JsonNode& root) {
    if (!root.hasHeader()) return;
    noteUnknown(root, {"lanewright", "name", "fingerprint", "memories", "devices", "links", "groups"});
    m_machine.name = nameOf(root).value_or("");
    m_machine.fingerprint = textAt(root, "fingerprint");
    const auto memories = root.need("memories", "a list of memories");
    const auto devices = root.need("devices", "a list of devices");
    if (!memories || !devices || !memories->isArray() || !devices->isArray()) return;
    for (const JsonNode& node : memories->elements()) readMemory(node);
    for (const JsonNode& node : devices->elements()) readDevice(node);
    settleHost(*devices);
    if (const auto links = root.find("links"); links && links->isArray()) {
        for (const JsonNode& node : links->elements()) readLink(node);
    }
    if (const auto groups = root.find("groups"); groups && groups->isArray()) {
        for (const JsonNode& node : groups->elements()) readGroup(node);
    }
    if (!m_problems.messages().empty()) return;  // what follows would only say the same again
    checkLanes(*devices);
    checkLinks(*devices);
}

void MachineReader::noteUnknown(const JsonNode& object, std::initializer_list<std::string_view> known) {
    for (const auto& [key, node] : object.members()) {
        const bool remark = key == "source" || key == "note";
        if (remark || std::find(known.begin(), known.end(), key) != known.end()) continue;
        m_unknown.push_back({"machine.unknownKey", {{"file", m_problems.file()}, {"pointer", node.pointer()}}});
    }
}

std::optional<std::string> MachineReader::nameOf(const JsonNode& object) {
    const auto node = object.need("name", "a name");
    auto name = node ? node->text("a name") : std::nullopt;
    if (!name || !name->empty()) return name;
    node->problem("a name");
    return std::nullopt;
}

std::string MachineReader::textAt(const JsonNode& object, std::string_view key) const {
    const auto node = object.find(key);
    return node ? node->text().value_or("") : std::string();
}

double MachineReader::rateAt(const JsonNode& object, std::string_view key) const {
    const auto node = object.find(key);
    return node ? node->real(0, highestRate).value_or(0) : 0;
}

void MachineReader::readMemory(const JsonNode& node) {
    if (!node.isObject()) return;
    noteUnknown(node, {"name", "budget_bytes"});
    const auto name = nameOf(node);
    const auto budget = node.need("budget_bytes", "how many bytes buffers may take");
    const auto bytes = budget ? budget->unsignedInteger() : std::nullopt;
    if (!name) return;
    for (const Memory& other : m_machine.memories) {
        if (other.name == *name) node.problem("a name that no other memory has");
    }
    m_machine.memories.push_back({*name, ByteCount(bytes.value_or(0))});
}

std::optional<MemoryId> MachineReader::memoryAt(const JsonNode& object, std::string_view key) {
    const auto node = object.need(key, "the name of a memory");
    const auto name = node ? node->text("the name of a memory") : std::nullopt;
    if (!name) return std::nullopt;
    for (std::size_t i = 0; i < m_machine.memories.size(); ++i) {
        if (m_machine.memories[i].name == *name) return MemoryId(i);
    }
    node->problem("the name of a memory");
    return std::nullopt;
}

void MachineReader::readDevice(const JsonNode& node) {
    if (!node.isObject()) return;
    noteUnknown(node, {"name", "label", "kind", "memory", "lanes", "driver_version", "physical_id", "synchronous",
                       "operations_per_second", "bytes_per_second"});
    const auto name = nameOf(node);
    const auto kind = named(node, "kind", deviceKinds, &deviceKindName);
    if (!name || !kind) return;
    if (m_machine.findDevice(*name)) node.problem("a name that no other device has");
    if (name->find_first_of("/*,=") != std::string::npos) node.problem("a name without / * , =");
    Device device;
    device.name = *name;
    device.label = node.find("label") ? textAt(node, "label") : *name;
    device.kind = *kind;
    device.driverVersion = textAt(node, "driver_version");
    device.physicalId = textAt(node, "physical_id");
    if (const auto flag = node.find("synchronous")) device.synchronous = flag->flag().value_or(false);
    if (*kind != DeviceKind::storage || node.find("memory"))
        device.memory = memoryAt(node, "memory").value_or(MemoryId{});
    readRates(node, device);
    const DeviceId id(m_machine.devices.size());
    m_machine.devices.push_back(std::move(device));
    const auto lanes = node.need("lanes", "a list of lanes");
    if (!lanes || !lanes->isArray()) return;
    for (const JsonNode& lane : lanes->elements()) readLane(lane, id);
}

void MachineReader::readRates(const JsonNode& node, Device& device) {
    device.operationsPerSecond = rateAt(node, "operations_per_second");
    device.bytesPerSecond = rateAt(node, "bytes_per_second");
    if (device.bytesPerSecond <= 0) node.need("bytes_per_second", "bytes a second, more than 0");
    if (device.kind == DeviceKind::storage || device.operationsPerSecond > 0) return;
    node.need("operations_per_second", "operations a second, more than 0");
}

void MachineReader::readLane(const JsonNode& node, DeviceId device) {
    if (!node.isObject()) return;
    noteUnknown(node, {"name", "role", "queue_depth", "count"});
    const auto name = nameOf(node);
    const auto role = named(node, "role", laneRoles, &laneRoleName);
    const auto depth = node.find("queue_depth");
    const auto countNode = node.find("count");
    const auto count = countNode ? countNode->integer(1, mostLanesAtOnce).value_or(1) : 1;
    if (!name || !role) return;
    const int queueDepth = depth ? static_cast<int>(depth->integer(1, deepestQueue).value_or(1)) : 1;
    for (std::int64_t i = 1; i <= count; ++i) {
        const std::string laneName = countNode ? *name + " " + std::to_string(i) : *name;
        for (const LaneId other : m_machine.device(device).lanes) {
            if (m_machine.lane(other).name == laneName) node.problem("a name that no other lane of the device has");
        }
        if (m_machine.lanes.size() >= mostLanes) {
            node.problem("at most " + std::to_string(mostLanes) + " lanes in all");
            return;
        }
        m_machine.devices[device.index()].lanes.push_back(LaneId(m_machine.lanes.size()));
        m_machine.lanes.push_back({laneName, device, *role, queueDepth});
    }
}

std::vector<LaneId> MachineReader::lanesNamed(const JsonNode& node) {
    constexpr std::string_view expected = "a lane as \"device/lane\"";
    std::vector<LaneId> lanes;
    const auto text = node.text(expected);
    if (!text) return lanes;
    const bool any = text->ends_with('*');
    const std::string wanted = any ? text->substr(0, text->size() - 1) : *text;
    for (std::size_t i = 0; i < m_machine.lanes.size(); ++i) {
        const Lane& lane = m_machine.lanes[i];
        const std::string name = m_machine.device(lane.device).name + "/" + lane.name;
        if (any ? name.starts_with(wanted) : name == wanted) lanes.emplace_back(i);
    }
    if (lanes.empty()) node.problem(expected);
    return lanes;
}

void MachineReader::readLink(const JsonNode& node) {
    if (!node.isObject()) return;
    noteUnknown(node, {"from", "to", "lane", "latency_ns", "bytes_per_second"});
    Link link;
    const auto from = memoryAt(node, "from");
    const auto to = memoryAt(node, "to");
    const auto laneNode = node.need("lane", "the lane that copies run on");
    const auto lanes = laneNode ? lanesNamed(*laneNode) : std::vector<LaneId>();
    if (lanes.size() > 1) laneNode->problem("one lane");
    constexpr std::int64_t longestLatency = 1'000'000'000;
    const auto latency = node.find("latency_ns");
    if (latency) link.latency = Duration(latency->integer(0, longestLatency).value_or(0));
    const auto rates = node.need("bytes_per_second", "rates by copy kind");
    if (!rates || !rates->isObject()) return;
    noteUnknown(*rates, {"pageable", "pinned", "mapped", "peer"});
    bool possible = false;
    for (const CopyKind kind : copyKinds) {
        double& rate = link.bytesPerSecond[static_cast<std::size_t>(kind)];
        rate = rateAt(*rates, copyKindName(kind));
        possible = possible || rate > 0;
    }
    if (!possible) rates->problem("a rate above 0 for one of pageable, pinned, mapped, peer");
    if (!from || !to || lanes.empty()) return;
    if (*from == *to) node.problem("a link between two memories");
    link.from = *from;
    link.to = *to;
    link.lane = lanes.front();
    m_machine.links.push_back(link);
}

void MachineReader::readGroup(const JsonNode& node) {
    if (!node.isObject()) return;
    noteUnknown(node, {"name", "rule", "capacity", "members"});
    CapacityGroup group;
    group.name = nameOf(node).value_or("");
    constexpr std::array rules = {GroupRule::shared, GroupRule::exclusive};
    const auto ruleName =
        +[](GroupRule rule) -> std::string_view { return rule == GroupRule::shared ? "shared" : "exclusive"; };
    if (node.find("rule")) group.rule = named(node, "rule", rules, ruleName).value_or(GroupRule::shared);
    group.capacity = rateAt(node, "capacity");
    if (group.rule == GroupRule::exclusive && !node.find("capacity")) group.capacity = 1;
    if (group.capacity <= 0) {
        const auto capacity = node.need("capacity", "a number above 0");
        if (capacity) capacity->problem("a number above 0");
    }
    const auto members = node.need("members", "a list of members");
    if (!members || !members->isArray()) return;
    for (const JsonNode& member : members->elements()) readMember(member, group);
    m_machine.groups.push_back(std::move(group));
}

void MachineReader::readMember(const JsonNode& node, CapacityGroup& group) {
    if (!node.isObject()) return;
    noteUnknown(node, {"lane", "demand"});
    const auto demandNode = node.find("demand");
    const double demand = demandNode ? demandNode->real(1e-6, 1e6).value_or(1) : 1;
    const auto laneNode = node.need("lane", "a lane as \"device/lane\"");
    if (!laneNode) return;
    for (const LaneId lane : lanesNamed(*laneNode)) {
        const auto same = [lane](const GroupMember& other) { return other.lane == lane; };
        if (std::any_of(group.members.begin(), group.members.end(), same))
            laneNode->problem("each lane once in a group");
        group.members.push_back({lane, demand});
    }
}

void MachineReader::settleHost(const JsonNode& devices) {
    int hosts = 0;
    int storages = 0;
    for (std::size_t i = 0; i < m_machine.devices.size(); ++i) {
        const Device& device = m_machine.devices[i];
        if (device.kind == DeviceKind::cpu && ++hosts == 1) {
            m_machine.hostDevice = DeviceId(i);
            m_machine.hostMemory = device.memory;
        }
        if (device.kind == DeviceKind::storage && ++storages == 1) m_machine.storageDevice = DeviceId(i);
    }
    const auto found = [](int count) { return std::to_string(count); };
    if (hosts != 1) m_problems.addValue(devices.pointer(), "one device of kind cpu", found(hosts));
    if (storages != 1) m_problems.addValue(devices.pointer(), "one device of kind storage", found(storages));
    if (hosts == 0) return;
    for (Device& device : m_machine.devices) {
        if (device.kind == DeviceKind::storage) device.memory = m_machine.hostMemory;
    }
}

bool MachineReader::hasLane(const Device& device, LaneRole role) const {
    return std::any_of(device.lanes.begin(), device.lanes.end(),
                       [&](LaneId lane) { return m_machine.lane(lane).role == role; });
}

bool MachineReader::hasLink(MemoryId from, MemoryId to) const {
    return std::any_of(m_machine.links.begin(), m_machine.links.end(),
                       [&](const Link& link) { return link.from == from && link.to == to; });
}

void MachineReader::checkLanes(const JsonNode& devices) {
    const auto nodes = devices.elements();
    for (std::size_t i = 0; i < m_machine.devices.size() && i < nodes.size(); ++i) {
        const Device& device = m_machine.devices[i];
        const auto needed = [&](LaneRole role) {
            if (hasLane(device, role)) return;
            m_problems.addValue(nodes[i].pointer() + "/lanes", "a lane of role " + std::string(laneRoleName(role)),
                                "none");
        };
        if (device.kind == DeviceKind::cpu) {
            needed(LaneRole::worker);
        } else if (device.kind == DeviceKind::storage) {
            needed(LaneRole::read);
            needed(LaneRole::write);
        } else {
            needed(LaneRole::compute);
        }
    }
}

void MachineReader::checkLinks(const JsonNode& devices) {
    const auto nodes = devices.elements();
    for (std::size_t i = 0; i < m_machine.devices.size() && i < nodes.size(); ++i) {
        const MemoryId memory = m_machine.devices[i].memory;
        if (memory == m_machine.hostMemory) continue;
        if (!hasLink(m_machine.hostMemory, memory) || !hasLink(memory, m_machine.hostMemory)) {
            m_problems.addValue(nodes[i].pointer() + "/memory", "a memory with links from and to the host's",
                                "no such links");
        }
    }
}

}  // namespace lanewright
