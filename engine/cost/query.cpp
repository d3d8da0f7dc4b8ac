// SPDX-License-Identifier: GPL-3.0-or-later
// Puts together what a cost model is asked about one image's part of a step.
#include "engine/cost/cost_model.h"

#include <algorithm>

namespace lanewright {
namespace {

bool readsFile(const Plan& plan, const StepTemplate& step) {
    if (!step.stage.valid() || step.kind != TemplateKind::operation) return false;
    const StageRole role = plan.pipeline->stage(step.stage).kind->description().role;
    return role == StageRole::source || role == StageRole::constant;
}

/// Bytes really there, when it is known; else what the shape says.
ByteCount bytesOf(const PortShape& shape, ByteCount actual) {
    return std::holds_alternative<BytesShape>(shape) && actual.value > 0 ? actual : sizeOf(shape);
}

/// Copies between two devices are of their own kind, whatever the run asks for.
CopyKind copyKindOn(const Machine& machine, const Link& link, CopyKind wanted) {
    return machine.lane(link.lane).role == LaneRole::peer ? CopyKind::peer : wanted;
}

}  // namespace

StepQuery makeQuery(const Plan& plan, const StepTemplate& stepTemplate, ImageIndex image, const ImageShapes& shapes,
                    DeviceId device, ByteCount actualBytes, QueryScratch& scratch) {
    scratch.inputs.clear();
    scratch.outputs.clear();
    for (const SlotIndex slot : stepTemplate.inputs) scratch.inputs.push_back(shapes.slots[slot.index()]);
    for (const SlotIndex slot : stepTemplate.outputs) scratch.outputs.push_back(shapes.slots[slot.index()]);
    const bool fromFile = readsFile(plan, stepTemplate);
    if (fromFile) scratch.probed = plan.probedOf(image, stepTemplate.stage);
    StepQuery query{
        .stepTemplate = &stepTemplate,
        .kind = plan.machine->device(device).kind,
        .device = &plan.machine->device(device),
        .call = {stepTemplate.parameters, scratch.inputs, scratch.outputs, fromFile ? &scratch.probed : nullptr},
        .bytes = {},
        .link = nullptr,
        .copyKind = plan.settings.copyKind};
    if (stepTemplate.kind == TemplateKind::read) {
        query.bytes = plan.fileOf(image, stepTemplate.stage).fileBytes;
    } else if (fromFile) {
        query.bytes = scratch.probed.fileBytes;
    } else if (!scratch.inputs.empty()) {
        query.bytes = bytesOf(scratch.inputs.front(), actualBytes);
    }
    if (stepTemplate.link.valid()) {
        query.link = &plan.machine->link(stepTemplate.link);
        query.copyKind = copyKindOn(*plan.machine, *query.link, query.copyKind);
    }
    return query;
}

}  // namespace lanewright
