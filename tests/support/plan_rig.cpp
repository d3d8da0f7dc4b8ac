// SPDX-License-Identifier: GPL-3.0-or-later
// Plans from a few lines of text.
#include "tests/support/plan_rig.h"

#include "engine/devices/fake.h"
#include "tests/support/test_stages.h"

#include <algorithm>
#include <sstream>

namespace lanewright::test {
namespace {

const Catalog& rigCatalog() {
    static const Catalog catalog = makeTestCatalog();
    return catalog;
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        part.erase(0, part.find_first_not_of(' '));
        part.erase(part.find_last_not_of(' ') + 1);
        if (!part.empty()) parts.push_back(part);
    }
    return parts;
}

LaneId addLane(Machine& machine, const std::string& name, DeviceId device, LaneRole role, int depth) {
    machine.lanes.push_back({name, device, role, depth});
    const LaneId lane(machine.lanes.size() - 1);
    machine.devices[device.index()].lanes.push_back(lane);
    return lane;
}

void placeStage(StagePlacement& placement, const std::string& devices) {
    for (const std::string& device : split(devices, '|')) {
        const auto star = device.find('*');
        placement.devices.push_back(device.substr(0, star));
        if (star != std::string::npos) placement.shares.push_back(std::stod(device.substr(star + 1)));
    }
}

void addStage(Pipeline& pipeline, Placement& placement, const std::string& text) {
    const auto at = text.find('@');
    const std::string front = text.substr(0, at);
    const auto less = front.find('<');
    const std::string name = front.substr(0, less);
    const auto colon = name.find(':');
    Stage stage;
    stage.id = name.substr(0, colon);
    stage.kind = rigCatalog().find(name.substr(colon + 1));
    stage.parameters = Parameters(stage.kind->description().parameters);
    pipeline.stages.push_back(stage);
    const StageIndex to(pipeline.stages.size() - 1);
    std::uint32_t port = 0;
    if (less != std::string::npos) {
        for (const std::string& input : split(front.substr(less + 1), ',')) {
            pipeline.edges.push_back({*pipeline.find(input), 0, to, port++});
        }
    }
    StagePlacement& placed = placement.stages.emplace_back();
    if (at != std::string::npos) placeStage(placed, text.substr(at + 1));
}

InputSet rigInput(const RigPlan& description) {
    InputSet input;
    input.shapes.push_back({"test", {description.width, description.height, rgb8}, {}});
    for (std::size_t i = 0; i < description.images; ++i) {
        InputImage image;
        image.path = "/in/" + std::to_string(i);
        image.folderLength = 4;
        image.fileBytes = ByteCount(100 + i);
        input.images.push_back(image);
    }
    for (const std::size_t i : description.unreadable) {
        input.images[i].error = std::make_shared<const Message>(Message{"image.unknownFormat", {}});
    }
    return input;
}

}  // namespace

Machine rigMachine(const RigMachine& shape) {
    Machine machine;
    machine.name = "rig";
    machine.memories.push_back({"host", ByteCount(std::uint64_t{1} << 30)});
    machine.hostMemory = MemoryId(0);
    Device cpu;
    cpu.name = "cpu";
    cpu.memory = machine.hostMemory;
    machine.devices.push_back(cpu);
    machine.hostDevice = DeviceId(0);
    for (int i = 0; i < shape.workers; ++i) {
        addLane(machine, "worker " + std::to_string(i + 1), machine.hostDevice, LaneRole::worker, 1);
    }
    Device storage;
    storage.name = "storage";
    storage.kind = DeviceKind::storage;
    storage.memory = machine.hostMemory;
    machine.devices.push_back(storage);
    machine.storageDevice = DeviceId(1);
    addLane(machine, "read", machine.storageDevice, LaneRole::read, 2);
    addLane(machine, "write", machine.storageDevice, LaneRole::write, 2);
    for (int i = 0; i < shape.fakeDevices; ++i) {
        FakeShape fake;
        fake.name = "fake:" + std::to_string(i);
        fake.memory = shape.deviceMemory;
        fake.queueDepth = shape.queueDepth;
        addFakeDevice(machine, fake);
    }
    return machine;
}

Result<Plan> makeRigPlan(const RigPlan& description) {
    auto pipeline = std::make_shared<Pipeline>();
    PlanRequest request;
    for (const std::string& stage : split(description.stages, ';')) addStage(*pipeline, request.placement, stage);
    if (description.editPipeline) description.editPipeline(*pipeline);
    request.pipeline = pipeline;
    auto input = std::make_shared<InputSet>(rigInput(description));
    if (description.editInput) description.editInput(*input);
    request.input = input;
    request.machine = std::make_shared<Machine>(rigMachine(description.machine));
    request.settings = description.settings;
    request.catalog = &rigCatalog();
    return makePlan(request);
}

CostEstimate RigCosts::cost(const StepQuery& query) const {
    CostEstimate estimate;
    estimate.relativeSpread = spread;
    switch (query.stepTemplate->kind) {
    case TemplateKind::read:
    case TemplateKind::write: estimate.duration = Duration(300); break;
    case TemplateKind::copy:
        estimate.duration = Duration(500 + static_cast<std::int64_t>(query.bytes.value) / 4);
        break;
    case TemplateKind::operation:
    case TemplateKind::conversion:
        estimate.duration = Duration(1000 + static_cast<std::int64_t>(sizeOf(query.call.outputs.front()).value));
        break;
    }
    return estimate;
}

ByteCount RigCosts::encodedBytes(const StepQuery& query) const {
    return ByteCount(std::get<BytesShape>(query.call.outputs.front()).bound.value / 2);
}

}  // namespace lanewright::test
