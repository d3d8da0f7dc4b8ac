// SPDX-License-Identifier: GPL-3.0-or-later
// Turns the text of a machine file into a Machine and a list of everything that is wrong with it.
#pragma once

#include "engine/files/json.h"
#include "engine/machine/machine.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

inline constexpr JsonFormat machineFormat{"machine", 1, "machine.syntax", "machine.value", "machine.version"};

class MachineReader {
public:
    explicit MachineReader(std::string file) : m_problems(machineFormat, std::move(file)) {}

    /// Once. With problems() what it gives is not to be used.
    Machine read(std::string_view text);
    const std::vector<Message>& problems() const { return m_problems.messages(); }
    const std::vector<Message>& unknownKeys() const { return m_unknown; }

private:
    void readRoot(const JsonNode& root);
    void readMemory(const JsonNode& node);
    void readDevice(const JsonNode& node);
    void readRates(const JsonNode& node, Device& device);
    void readLane(const JsonNode& node, DeviceId device);
    void readLink(const JsonNode& node);
    void readGroup(const JsonNode& node);
    void readMember(const JsonNode& node, CapacityGroup& group);
    void settleHost(const JsonNode& devices);
    void checkLanes(const JsonNode& devices);
    void checkLinks(const JsonNode& devices);

    std::optional<std::string> nameOf(const JsonNode& object);
    std::string textAt(const JsonNode& object, std::string_view key) const;
    double rateAt(const JsonNode& object, std::string_view key) const;
    std::optional<MemoryId> memoryAt(const JsonNode& object, std::string_view key);
    /// Lanes by "device/lane"; a '*' at the end stands for any rest of a name. A problem when there are none.
    std::vector<LaneId> lanesNamed(const JsonNode& node);
    bool hasLane(const Device& device, LaneRole role) const;
    bool hasLink(MemoryId from, MemoryId to) const;
    void noteUnknown(const JsonNode& object, std::initializer_list<std::string_view> known);

    JsonProblems m_problems;
    std::vector<Message> m_unknown;
    Machine m_machine;
};

}  // namespace lanewright
