// SPDX-License-Identifier: GPL-3.0-or-later
// `lanewright-cli devices`: every device that could be placed on, absent ones with the reason.
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/text_table.h"
#include "engine/devices/driver.h"
#include "engine/report/format.h"
#include "engine/text/text.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace lanewright::cli {
namespace {

using Json = nlohmann::ordered_json;

std::size_t workersOf(const Machine& machine, DeviceId id) { return machine.lanesOf(id, LaneRole::worker).size(); }

Json laneJson(const Lane& lane) {
    return {{"name", lane.name}, {"role", laneRoleName(lane.role)}, {"queue_depth", lane.queueDepth}};
}

Json deviceJson(const Machine& machine, DeviceId id) {
    const Device& device = machine.device(id);
    Json json = {{"name", device.name},
                 {"label", device.label},
                 {"kind", deviceKindName(device.kind)},
                 {"present", !device.absent.has_value()}};
    if (device.absent) {
        json["reason"] = textOf(*device.absent);
        return json;
    }
    json["driver"] = device.driverVersion;
    json["memory_bytes"] = device.memory.valid() ? machine.memory(device.memory).budget.value : 0;
    json["workers"] = workersOf(machine, id);
    json["synchronous"] = device.synchronous;
    json["lanes"] = Json::array();
    for (const LaneId lane : device.lanes) json["lanes"].push_back(laneJson(machine.lane(lane)));
    return json;
}

std::string machineJson(const Machine& machine) {
    Json json = {{"machine", machine.name}, {"fingerprint", machine.fingerprint}, {"devices", Json::array()}};
    for (std::size_t i = 0; i < machine.devices.size(); ++i) {
        json["devices"].push_back(deviceJson(machine, DeviceId(i)));
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// "2 workers" or "compute, upload, download".
std::string lanesText(const Machine& machine, DeviceId id) {
    const std::size_t workers = workersOf(machine, id);
    std::string text;
    if (workers > 0) text = std::to_string(workers) + (workers == 1 ? " worker" : " workers");
    for (const LaneId lane : machine.device(id).lanes) {
        if (machine.lane(lane).role == LaneRole::worker) continue;
        text += (text.empty() ? "" : ", ") + escaped(machine.lane(lane).name);
    }
    return text;
}

std::string machineText(const Machine& machine) {
    TextTable table({Align::left, Align::left, Align::right, Align::left});
    table.addRow({"device", "is", "memory", "lanes"});
    std::string absent;
    for (std::size_t i = 0; i < machine.devices.size(); ++i) {
        const Device& device = machine.devices[i];
        if (device.absent) {
            absent += escaped(device.name) + ": " + textOf(*device.absent) + "\n";
            continue;
        }
        const bool hasMemory = device.memory.valid() && device.kind != DeviceKind::storage;
        table.addRow({escaped(device.name), escaped(device.label),
                      hasMemory ? bytesText(machine.memory(device.memory).budget) : "",
                      lanesText(machine, DeviceId(i))});
    }
    return table.text() + (absent.empty() ? "" : "\nNot usable here:\n" + absent);
}

class DevicesCommand final : public Command {
public:
    const char* name() const override { return "devices"; }
    const char* description() const override {
        return "Lists the devices of this machine, absent ones with the reason.";
    }
    void declare(CLI::App& app) override { app.add_flag("--json", m_json, "Writes JSON to standard output"); }

    Result<ExitCode> run(const Context& context) override {
        const Machine machine = discoverMachine(context.catalog);
        print(m_json ? machineJson(machine) : machineText(machine));
        return ExitCode::ok;
    }

private:
    bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeDevicesCommand() { return std::make_unique<DevicesCommand>(); }

}  // namespace lanewright::cli
