// SPDX-License-Identifier: GPL-3.0-or-later
// Lowers the stages of a pipeline to the step templates and buffers of one format class.
#include "engine/plan/lowering.h"

#include <algorithm>

namespace lanewright {
namespace {

/// How much of a picture is lost from one format to another; 0: nothing.
int lossOf(const PixelFormat& from, const PixelFormat& to) {
    int loss = 0;
    if (from.colourComponents() > to.colourComponents()) loss += 100;
    if (from.alpha != AlphaMode::none && to.alpha == AlphaMode::none) loss += 10;
    if (sampleBytes(from.sample) > sampleBytes(to.sample)) loss += 20;
    if (from.colourComponents() < to.colourComponents()) loss += 2;
    if (from.alpha == AlphaMode::none && to.alpha != AlphaMode::none) loss += 1;
    return loss;
}

const PixelFormat& bestTarget(const PixelFormat& from, const std::vector<PixelFormat>& accepted) {
    return *std::min_element(accepted.begin(), accepted.end(), [&](const PixelFormat& a, const PixelFormat& b) {
        return lossOf(from, a) < lossOf(from, b);
    });
}

bool hasKernel(const Operation& operation, DeviceKind kind) {
    const bool host = kind == DeviceKind::cpu || kind == DeviceKind::fake;
    return host ? operation.cpuKernel() != nullptr : operation.deviceKernel(kind) != nullptr;
}

/// Two templates that do the same to the same buffers are one.
bool sameWork(const StepTemplate& a, const StepTemplate& b) {
    return a.kind == b.kind && a.place == b.place && a.stage == b.stage && a.formatClass == b.formatClass &&
           a.operation == b.operation && a.inputs == b.inputs && a.outputs == b.outputs;
}

}  // namespace

ClassLowering::ClassLowering(Plan& plan, const Catalog& catalog, const StageKinds& kinds, FormatClassId id,
                             ImageIndex sample)
    : m_plan(plan), m_catalog(catalog), m_kinds(kinds), m_id(id), m_sample(sample) {}

Status ClassLowering::lower(const std::vector<StageIndex>& order, const FormatClass* constants) {
    FormatClass& target = formatClass();
    target.order = order;
    target.stages.resize(m_plan.pipeline->stages.size());
    for (ClassStage& stage : target.stages) stage.present = false;
    if (constants) {
        target.slots = constants->slots;
        for (Slot& slot : target.slots) {
            slot.constant = true;
            slot.consumers.clear();
        }
        for (std::size_t i = 0; i < target.stages.size(); ++i) target.stages[i].outputs = constants->stages[i].outputs;
        const ImageShapes shapes = shapesOf(m_plan, m_plan.constantsImage(), nullptr);
        m_sampleShapes.assign(shapes.slots.begin(), shapes.slots.end());
    }
    for (const StageIndex stage : order) {
        target.stages[stage.index()].present = true;
        if (const Status status = lowerStage(stage); !status) return status;
    }
    addCopies();
    return {};
}

Status ClassLowering::lowerStage(StageIndex stage) {
    const StageDescription& description = m_plan.pipeline->stage(stage).kind->description();
    ClassStage& target = formatClass().stages[stage.index()];
    for (std::uint32_t port = 0; port < description.inputs.size(); ++port) {
        const auto edge = m_plan.pipeline->edgeInto(stage, port);
        target.inputs.push_back(formatClass().stages[edge->from.index()].outputs[edge->fromPort]);
    }
    const std::string& id = m_plan.pipeline->stage(stage).id;
    if (description.role == StageRole::source || description.role == StageRole::constant) {
        target.inputs.push_back(addSlot(id + ".file", stage));
        formatClass().slots.back().keptUntilImageEnds = true;
    }
    for (const PortDescription& port : description.outputs) {
        target.outputs.push_back(addSlot(id + "." + std::string(port.name), stage));
    }
    if (description.role == StageRole::sink) target.outputs.push_back(addSlot(id + ".bytes", stage));
    for (const DeviceKind kind : m_kinds[stage.index()]) {
        if (const Status status = lowerVariant(stage, kind); !status) return status;
    }
    return {};
}

Status ClassLowering::lowerVariant(StageIndex stage, DeviceKind kind) {
    const StageKind& stageKind = *m_plan.pipeline->stage(stage).kind;
    const StageRole role = stageKind.description().role;
    Variant variant{kind, {}};
    std::vector<SlotIndex> inputs = formatClass().stages[stage.index()].inputs;
    if (role == StageRole::source || role == StageRole::constant) variant.chain.push_back(addRead(stage));
    for (std::size_t port = 0; port < inputs.size(); ++port) {
        auto conversion = addConversion(stage, port, kind, inputs[port]);
        if (!conversion) return conversion.error();
        if (*conversion) variant.chain.push_back(**conversion);
    }
    const auto phases = stageKind.phases(kind == DeviceKind::fake ? DeviceKind::cpu : kind);
    for (std::size_t i = 0; i < phases.size(); ++i) {
        const TemplateId id = addOperation(stage, phases[i], inputs, i + 1 == phases.size(), kind);
        variant.chain.push_back(id);
        inputs = m_plan.stepTemplate(id).outputs;
    }
    if (role == StageRole::sink) variant.chain.push_back(addWrite(stage, inputs.front()));
    formatClass().stages[stage.index()].variants.push_back(std::move(variant));
    return {};
}

SlotIndex ClassLowering::addSlot(std::string name, StageIndex stage) {
    Slot slot;
    slot.name = std::move(name);
    slot.stage = stage;
    formatClass().slots.push_back(std::move(slot));
    m_sampleShapes.resize(formatClass().slots.size());
    return SlotIndex(formatClass().slots.size() - 1);
}

TemplateId ClassLowering::addTemplate(StepTemplate step) {
    step.formatClass = m_id;
    for (const SlotIndex slot : step.inputs) addConsumer(slot, step.stage);
    for (std::size_t i = 0; i < m_plan.templates.size(); ++i) {
        if (sameWork(m_plan.templates[i], step)) return TemplateId(i);
    }
    const TemplateId id(m_plan.templates.size());
    settleShapes(step);
    for (const SlotIndex slot : step.outputs) {
        if (Slot& made = formatClass().slots[slot.index()]; !made.producer.valid()) made.producer = id;
    }
    m_plan.templates.push_back(std::move(step));
    return id;
}

TemplateId ClassLowering::addRead(StageIndex stage) {
    StepTemplate step;
    step.kind = TemplateKind::read;
    step.place = TemplatePlace::storage;
    step.stage = stage;
    step.outputs = {formatClass().stages[stage.index()].inputs.back()};
    step.name = "read " + m_plan.pipeline->stage(stage).id;
    return addTemplate(std::move(step));
}

TemplateId ClassLowering::addWrite(StageIndex stage, SlotIndex bytes) {
    StepTemplate step;
    step.kind = TemplateKind::write;
    step.place = TemplatePlace::storage;
    step.stage = stage;
    step.inputs = {bytes};
    step.name = "write " + m_plan.pipeline->stage(stage).id;
    return addTemplate(std::move(step));
}

Result<std::optional<TemplateId>> ClassLowering::addConversion(StageIndex stage, std::size_t port, DeviceKind kind,
                                                               SlotIndex& slot) {
    const Stage& consumer = m_plan.pipeline->stage(stage);
    const PixelFormat* from = formatOf(slot);
    const auto accepted = consumer.kind->inputFormats(port, consumer.parameters);
    if (!from || accepted.empty() || std::find(accepted.begin(), accepted.end(), *from) != accepted.end()) {
        return std::optional<TemplateId>();
    }
    const StageKind* converter = m_catalog.converter();
    const std::string target = formatName(bestTarget(*from, accepted));
    if (!converter) {
        return Message{"plan.format", {{"stage", consumer.id}, {"from", formatName(*from)}, {"to", target}}};
    }
    StepTemplate step;
    step.kind = TemplateKind::conversion;
    step.place = hasKernel(*converter, kind) ? TemplatePlace::placed : TemplatePlace::host;
    step.stage = stage;
    step.operation = converter;
    step.parameters = Parameters(converter->description().parameters);
    step.parameters.set(*findParameter(converter->description().parameters, "format"), target);
    step.inputs = {slot};
    step.name = "convert " + formatClass().slots[slot.index()].name + " to " + target;
    const auto key = std::make_pair(slot, target);
    const auto found = m_converted.find(key);
    if (found == m_converted.end()) {
        const std::string name = formatClass().slots[slot.index()].name + " as " + target;
        m_converted[key] = addSlot(name, stage);
    }
    step.outputs = {m_converted[key]};
    slot = m_converted[key];
    return std::optional<TemplateId>(addTemplate(std::move(step)));
}

TemplateId ClassLowering::addOperation(StageIndex stage, const Phase& phase, std::vector<SlotIndex> inputs, bool last,
                                       DeviceKind kind) {
    const Stage& owner = m_plan.pipeline->stage(stage);
    const bool whole = phase.operation == owner.kind;
    StepTemplate step;
    step.kind = TemplateKind::operation;
    step.place = phase.onHost ? TemplatePlace::host : TemplatePlace::placed;
    step.stage = stage;
    step.operation = phase.operation;
    step.parameters = owner.parameters;
    step.inputs = std::move(inputs);
    step.name = whole ? owner.id : owner.id + " (" + std::string(phase.operation->operationName()) + ")";
    if (last) {
        step.outputs = formatClass().stages[stage.index()].outputs;
    } else {
        const std::string name = step.name + " on " + std::string(deviceKindName(kind));
        step.outputs = {addSlot(name, stage)};
    }
    return addTemplate(std::move(step));
}

void ClassLowering::addCopies() {
    FormatClass& target = formatClass();
    const auto& links = m_plan.machine->links;
    target.linkCount = links.size();
    for (std::size_t slot = 0; slot < target.slots.size(); ++slot) {
        for (std::size_t link = 0; link < links.size(); ++link) {
            StepTemplate step;
            step.kind = TemplateKind::copy;
            step.place = TemplatePlace::link;
            step.stage = target.slots[slot].stage;
            step.formatClass = m_id;
            step.inputs = {SlotIndex(slot)};
            step.outputs = {SlotIndex(slot)};
            step.link = LinkId(link);
            step.name = "copy " + target.slots[slot].name + " " + m_plan.machine->memory(links[link].from).name + ">" +
                        m_plan.machine->memory(links[link].to).name;
            target.copies.push_back(TemplateId(m_plan.templates.size()));
            m_plan.templates.push_back(std::move(step));
        }
    }
}

void ClassLowering::addConsumer(SlotIndex slot, StageIndex stage) {
    auto& consumers = formatClass().slots[slot.index()].consumers;
    if (std::find(consumers.begin(), consumers.end(), stage) == consumers.end()) consumers.push_back(stage);
}

/// What the sample image's buffers look like after this step, so that formats on the edges are known.
void ClassLowering::settleShapes(const StepTemplate& step) {
    if (step.outputs.empty()) return;
    if (step.kind == TemplateKind::read) {
        m_sampleShapes[step.outputs.front().index()] = BytesShape{m_plan.fileOf(m_sample, step.stage).fileBytes};
        return;
    }
    std::vector<PortShape> inputs;
    for (const SlotIndex slot : step.inputs) {
        if (!m_sampleShapes[slot.index()]) return;
        inputs.push_back(*m_sampleShapes[slot.index()]);
    }
    const ProbedImage probed = m_plan.probedOf(m_sample, step.stage);
    const auto outputs = step.operation->outputShapes({step.parameters, inputs, {}, &probed});
    if (!outputs) return;
    for (std::size_t i = 0; i < step.outputs.size() && i < outputs->size(); ++i) {
        m_sampleShapes[step.outputs[i].index()] = (*outputs)[i];
    }
}

const PixelFormat* ClassLowering::formatOf(SlotIndex slot) const {
    const auto& shape = m_sampleShapes[slot.index()];
    const auto* image = shape ? std::get_if<ImageShape>(&*shape) : nullptr;
    return image ? &image->format : nullptr;
}

}  // namespace lanewright
