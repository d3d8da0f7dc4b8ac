// SPDX-License-Identifier: GPL-3.0-or-later
// From pipeline, input, placement and machine to a plan: devices of each stage, format classes, limits.
#include "engine/plan/make_plan.h"

#include "engine/input/probe.h"
#include "engine/pipeline/checks.h"
#include "engine/plan/lowering.h"
#include "engine/text/text.h"

#include <algorithm>
#include <map>

namespace lanewright {
namespace {

/// What stages may be placed on: "cpu, opencl:0".
std::string usableNames(const Machine& machine) {
    std::string names;
    for (const Device& device : machine.devices) {
        if (device.absent || device.kind == DeviceKind::storage) continue;
        names += (names.empty() ? "" : ", ") + device.name;
    }
    return names;
}

class Planner {
public:
    explicit Planner(const PlanRequest& request) : m_request(request), m_stages(request.pipeline->stages) {
        m_plan.machine = request.machine;
        m_plan.pipeline = request.pipeline;
        m_plan.input = request.input;
        m_plan.settings = request.settings;
    }

    Result<Plan> make() {
        for (const auto step : {&Planner::checkPipeline, &Planner::placeStages, &Planner::readConstants,
                                &Planner::lowerConstants, &Planner::lowerClasses, &Planner::setLimits}) {
            if (const Status status = (this->*step)(); !status) return status.error();
        }
        return std::move(m_plan);
    }

private:
    Status checkPipeline() {
        for (const Problem& problem : check(*m_request.pipeline)) {
            if (problem.severity == Severity::error) return problem.message;
        }
        return {};
    }

    Status placeStages() {
        m_plan.stages.resize(m_stages.size());
        m_kinds.resize(m_stages.size());
        for (std::size_t i = 0; i < m_stages.size(); ++i) {
            const StagePlacement placement =
                i < m_request.placement.stages.size() ? m_request.placement.stages[i] : StagePlacement{};
            if (const Status status = placeStage(StageIndex(i), placement); !status) return status;
        }
        return {};
    }

    Status placeStage(StageIndex stage, const StagePlacement& placement) {
        PlannedStage& planned = m_plan.stages[stage.index()];
        const Machine& machine = *m_plan.machine;
        const std::string& id = m_stages[stage.index()].id;
        for (const std::string& name : placement.devices) {
            const auto device = machine.findDevice(name);
            if (!device) {
                return Message{"plan.unknownDevice",
                               {{"stage", id}, {"device", name}, {"devices", usableNames(machine)}}};
            }
            if (const Status status = usable(stage, *device); !status) return status;
            planned.devices.push_back(*device);
        }
        if (planned.devices.empty()) planned.devices.push_back(machine.hostDevice);
        if (!placement.shares.empty() && placement.shares.size() != planned.devices.size()) {
            return Message{"plan.shares",
                           {{"stage", id},
                            {"shares", std::to_string(placement.shares.size())},
                            {"devices", std::to_string(planned.devices.size())}}};
        }
        planned.shares = placement.shares;
        const StageKind& kind = *m_stages[stage.index()].kind;
        const bool hostListed = contains(planned.devices, machine.hostDevice);
        if (!hostListed && kind.runsOn(DeviceKind::cpu)) planned.fallbacks.push_back(machine.hostDevice);
        const auto key = std::make_pair(planned.devices, planned.shares);
        planned.affinity = m_affinities.try_emplace(key, static_cast<std::uint32_t>(m_affinities.size())).first->second;
        for (std::size_t d = 0; d < machine.devices.size(); ++d) {
            const bool batches = machine.devices[d].memory != machine.hostMemory;
            planned.batch.push_back(batches ? std::max(1, m_plan.settings.batch) : 1);
        }
        for (const auto* list : {&planned.devices, &planned.fallbacks}) {
            for (const DeviceId device : *list) addKind(stage, machine.device(device).kind);
        }
        return {};
    }

    Status usable(StageIndex stage, DeviceId id) const {
        const Device& device = m_plan.machine->device(id);
        const Stage& owner = m_stages[stage.index()];
        if (m_plan.machine->present && device.absent) {
            return Message{"plan.absentDevice",
                           {{"stage", owner.id}, {"device", device.name}, {"reason", nested(*device.absent)}}};
        }
        if (device.kind == DeviceKind::storage || !owner.kind->runsOn(device.kind)) {
            return Message{
                "plan.noKernel",
                {{"stage", owner.id}, {"kind", std::string(owner.kind->description().label)}, {"device", device.name}}};
        }
        return {};
    }

    void addKind(StageIndex stage, DeviceKind kind) {
        auto& kinds = m_kinds[stage.index()];
        if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    }

    /// A stage belongs to the constants when its value is the same for all images.
    Status readConstants() {
        m_plan.constantFiles.resize(m_stages.size());
        m_plan.constantImages.resize(m_stages.size());
        for (const StageIndex stage : m_request.pipeline->topologicalOrder()) {
            if (!isConstant(stage)) {
                m_imageOrder.push_back(stage);
                continue;
            }
            m_constantOrder.push_back(stage);
            if (m_stages[stage.index()].kind->description().role != StageRole::constant) continue;
            if (const Status status = readConstant(stage); !status) return status;
        }
        return {};
    }

    bool isConstant(StageIndex stage) const {
        const StageDescription& description = m_stages[stage.index()].kind->description();
        if (description.role != StageRole::transform) return description.role == StageRole::constant;
        for (std::uint32_t port = 0; port < description.inputs.size(); ++port) {
            const auto edge = m_request.pipeline->edgeInto(stage, port);
            if (!contains(m_constantOrder, edge->from)) return false;
        }
        return !description.inputs.empty();
    }

    Status readConstant(StageIndex stage) {
        const Stage& owner = m_stages[stage.index()];
        const auto declarations = owner.kind->description().parameters;
        const auto path = std::find_if(declarations.begin(), declarations.end(),
                                       [](const auto& d) { return d.type == ParameterType::path; });
        const auto index = static_cast<std::size_t>(path - declarations.begin());
        const std::filesystem::path file = m_request.baseFolder / std::get<std::string>(owner.parameters.at(index));
        InputImage& entry = m_plan.constantFiles[stage.index()];
        auto probed = probeFile(file, *m_request.catalog);
        if (!probed) {
            return Message{"plan.constant",
                           {{"stage", owner.id}, {"file", file.string()}, {"reason", nested(probed.error())}}};
        }
        entry.path = file.string();
        entry.fileBytes = probed->fileBytes;
        entry.meta = probed->meta;
        m_plan.constantImages[stage.index()] = std::move(*probed);
        return {};
    }

    Status lowerConstants() {
        if (m_constantOrder.empty()) return {};
        m_plan.constantsClass = FormatClassId(m_plan.classes.size());
        m_plan.classes.emplace_back().constants = true;
        ClassLowering lowering(m_plan, *m_request.catalog, m_kinds, m_plan.constantsClass, m_plan.constantsImage());
        return lowering.lower(m_constantOrder, nullptr);
    }

    Status lowerClasses() {
        const InputSet& input = *m_request.input;
        std::map<std::pair<std::string, PixelFormat>, FormatClassId> known;
        m_plan.classOfShape.resize(input.shapes.size());
        std::vector<ImageIndex> samples(input.shapes.size());
        for (std::size_t i = input.images.size(); i-- > 0;) {
            if (!input.images[i].error) samples[input.images[i].shapeClass] = ImageIndex(i);
        }
        for (std::size_t i = 0; i < input.shapes.size(); ++i) {
            if (!samples[i].valid()) continue;
            const auto key = std::make_pair(input.shapes[i].codec, input.shapes[i].shape.format);
            if (!known.contains(key)) {
                known[key] = FormatClassId(m_plan.classes.size());
                if (const Status status = lowerClass(key.first, key.second, samples[i]); !status) return status;
            }
            m_plan.classOfShape[i] = static_cast<std::uint8_t>(known[key].index());
        }
        return {};
    }

    Status lowerClass(const std::string& codec, const PixelFormat& format, ImageIndex sample) {
        const FormatClassId id(m_plan.classes.size());
        FormatClass& formatClass = m_plan.classes.emplace_back();
        formatClass.codec = codec;
        formatClass.format = format;
        m_plan.classOfShape[m_request.input->image(sample).shapeClass] = static_cast<std::uint8_t>(id.index());
        FormatClass constants;
        if (m_plan.constantsClass.valid()) constants = m_plan.formatClass(m_plan.constantsClass);
        ClassLowering lowering(m_plan, *m_request.catalog, m_kinds, id, sample);
        return lowering.lower(m_imageOrder, m_plan.constantsClass.valid() ? &constants : nullptr);
    }

    Status setLimits() {
        const Machine& machine = *m_plan.machine;
        Limits& limits = m_plan.limits;
        const auto workers = static_cast<std::int32_t>(machine.lanesOf(machine.hostDevice, LaneRole::worker).size());
        const std::int32_t ahead = 3 * std::max(1, m_plan.settings.batch);
        limits.imagesOnDevice.assign(machine.devices.size(), 0);
        std::int32_t inFlight = 2 * std::max(1, workers);
        for (std::size_t d = 0; d < machine.devices.size(); ++d) {
            if (machine.devices[d].memory == machine.hostMemory || !inUse(DeviceId(d))) continue;
            limits.imagesOnDevice[d] = ahead;
            inFlight += ahead;
        }
        if (m_plan.settings.imagesInFlight < 0) {
            return Message{"plan.limitTooSmall",
                           {{"limit", "images in flight"},
                            {"need", "1"},
                            {"have", std::to_string(m_plan.settings.imagesInFlight)}}};
        }
        limits.imagesInFlight = m_plan.settings.imagesInFlight > 0 ? m_plan.settings.imagesInFlight : inFlight;
        for (const Memory& memory : machine.memories) limits.memory.push_back(memory.budget);
        if (m_plan.settings.hostMemoryLimit.value > 0)
            limits.memory[machine.hostMemory.index()] = m_plan.settings.hostMemoryLimit;
        return checkMemory();
    }

    bool inUse(DeviceId device) const {
        return std::any_of(m_plan.stages.begin(), m_plan.stages.end(),
                           [device](const PlannedStage& stage) { return contains(stage.devices, device); });
    }

    /// One image alone must fit, else the run would stop at it. Images of one shape class need the same but for their file.
    Status checkMemory() const {
        const InputSet& input = *m_request.input;
        std::vector<ImageIndex> largest(input.shapes.size());
        for (std::size_t i = 0; i < input.images.size(); ++i) {
            const InputImage& image = input.images[i];
            if (image.error) continue;
            ImageIndex& best = largest[image.shapeClass];
            if (!best.valid() || image.fileBytes > input.image(best).fileBytes) best = ImageIndex(i);
        }
        ImageShapes constants;
        if (m_plan.constantsClass.valid()) constants = shapesOf(m_plan, m_plan.constantsImage(), nullptr);
        for (const ImageIndex image : largest) {
            if (!image.valid()) continue;
            if (const Status status = checkImageMemory(image, constants); !status) return status;
        }
        return {};
    }

    Status checkImageMemory(ImageIndex image, const ImageShapes& constants) const {
        const ImageShapes shapes = shapesOf(m_plan, image, &constants);
        ByteCount need;
        for (const PortShape& shape : shapes.slots) need += sizeOf(shape);
        const ByteCount have = m_plan.limits.memory[m_plan.machine->hostMemory.index()];
        if (need <= have) return {};
        const auto mebibytes = [](ByteCount bytes) {
            return std::to_string((bytes.value + (1 << 20) - 1) >> 20) + " MiB";
        };
        return Message{"plan.limitTooSmall",
                       {{"limit", "host memory"}, {"need", mebibytes(need)}, {"have", mebibytes(have)}}};
    }

    template <class T>
    static bool contains(const std::vector<T>& list, T value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    }

    const PlanRequest& m_request;
    const std::vector<Stage>& m_stages;
    Plan m_plan;
    StageKinds m_kinds;
    std::vector<StageIndex> m_constantOrder;
    std::vector<StageIndex> m_imageOrder;
    std::map<std::pair<std::vector<DeviceId>, std::vector<double>>, std::uint32_t> m_affinities;
};

}  // namespace

Result<Plan> makePlan(const PlanRequest& request) { return Planner(request).make(); }

}  // namespace lanewright
