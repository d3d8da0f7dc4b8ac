// SPDX-License-Identifier: GPL-3.0-or-later
// Look-ups in a plan, and the shapes of one image's buffers.
#include "engine/plan/plan.h"

namespace lanewright {
namespace {

/// The shapes of one image while the templates of its class are walked.
class ShapeWalk {
public:
    ShapeWalk(const Plan& plan, ImageIndex image, const ImageShapes* constants)
        : m_plan(plan),
          m_image(image),
          m_class(plan.formatClass(plan.classOf(image))),
          m_known(m_class.slots.size(), 0) {
        m_shapes.slots.resize(m_class.slots.size());
        for (std::size_t i = 0; constants && i < m_class.slots.size(); ++i) {
            if (m_class.slots[i].constant && i < constants->slots.size()) set(SlotIndex(i), constants->slots[i]);
        }
    }

    ImageShapes walk() {
        for (const StageIndex stage : m_class.order) {
            for (const Variant& variant : m_class.stages[stage.index()].variants) {
                for (const TemplateId id : variant.chain) visit(m_plan.stepTemplate(id));
            }
        }
        return std::move(m_shapes);
    }

private:
    void set(SlotIndex slot, const PortShape& shape) {
        m_shapes.slots[slot.index()] = shape;
        m_known[slot.index()] = 1;
    }

    void fail(const StepTemplate& step, const std::shared_ptr<const Message>& error) {
        if (m_shapes.errors.empty()) m_shapes.errors.resize(m_class.slots.size());
        for (const SlotIndex slot : step.outputs) m_shapes.errors[slot.index()] = error;
    }

    void visit(const StepTemplate& step) {
        if (step.outputs.empty() || m_known[step.outputs.front().index()]) return;
        if (step.kind == TemplateKind::read) {
            set(step.outputs.front(), BytesShape{m_plan.fileOf(m_image, step.stage).fileBytes});
            return;
        }
        m_inputs.clear();
        for (const SlotIndex slot : step.inputs) {
            if (!m_known[slot.index()]) {
                fail(step, errorOf(slot));
                return;
            }
            m_inputs.push_back(m_shapes.slots[slot.index()]);
        }
        const ProbedImage probed = m_plan.probedOf(m_image, step.stage);
        auto outputs = step.operation->outputShapes({step.parameters, m_inputs, {}, &probed});
        if (!outputs) {
            fail(step, std::make_shared<const Message>(outputs.error()));
            return;
        }
        for (std::size_t i = 0; i < step.outputs.size() && i < outputs->size(); ++i)
            set(step.outputs[i], (*outputs)[i]);
    }

    std::shared_ptr<const Message> errorOf(SlotIndex slot) const {
        if (!m_shapes.errors.empty() && m_shapes.errors[slot.index()]) return m_shapes.errors[slot.index()];
        return std::make_shared<const Message>(Message{"shape.noInput", {{"input", m_class.slots[slot.index()].name}}});
    }

    const Plan& m_plan;
    ImageIndex m_image;
    const FormatClass& m_class;
    ImageShapes m_shapes;
    std::vector<std::uint8_t> m_known;
    std::vector<PortShape> m_inputs;
};

}  // namespace

const Variant* ClassStage::variantFor(DeviceKind kind) const {
    for (const Variant& variant : variants) {
        if (variant.kind == kind) return &variant;
    }
    return nullptr;
}

FormatClassId Plan::classOf(ImageIndex image) const {
    if (image == constantsImage()) return constantsClass;
    const InputImage& file = input->image(image);
    return file.error ? FormatClassId{} : FormatClassId(classOfShape[file.shapeClass]);
}

const InputImage& Plan::fileOf(ImageIndex image, StageIndex stage) const {
    return image == constantsImage() ? constantFiles[stage.index()] : input->image(image);
}

ProbedImage Plan::probedOf(ImageIndex image, StageIndex stage) const {
    if (image == constantsImage()) return constantImages[stage.index()];
    return input->probed(image);
}

ImageShapes shapesOf(const Plan& plan, ImageIndex image, const ImageShapes* constants) {
    return ShapeWalk(plan, image, constants).walk();
}

}  // namespace lanewright
