// SPDX-License-Identifier: GPL-3.0-or-later
// Lowers the stages of a pipeline to the step templates and buffers of one format class.
#pragma once

#include "engine/plan/plan.h"

#include <map>
#include <optional>

namespace lanewright {

/// The kinds of device that a stage may meet, its fallbacks included.
using StageKinds = std::vector<std::vector<DeviceKind>>;  ///< by StageIndex

/// Builds one class into `plan`. `sample` is an image of the class (its formats settle where conversions are needed).
class ClassLowering {
public:
    ClassLowering(Plan& plan, const Catalog& catalog, const StageKinds& kinds, FormatClassId id, ImageIndex sample);

    /// Lowers the stages in `order`; all other stages are not present. Slots of `constants` come first, under the same
    /// numbers. Errors: plan.format (a conversion is needed that nobody can make).
    Status lower(const std::vector<StageIndex>& order, const FormatClass* constants);

private:
    Status lowerStage(StageIndex stage);
    Status lowerVariant(StageIndex stage, DeviceKind kind);
    SlotIndex addSlot(std::string name, StageIndex stage);
    TemplateId addTemplate(StepTemplate step);
    TemplateId addRead(StageIndex stage);
    TemplateId addWrite(StageIndex stage, SlotIndex bytes);
    Result<std::optional<TemplateId>> addConversion(StageIndex stage, std::size_t port, DeviceKind kind,
                                                    SlotIndex& slot);
    TemplateId addOperation(StageIndex stage, const Phase& phase, std::vector<SlotIndex> inputs, bool last,
                            DeviceKind kind);
    void addCopies();
    void addConsumer(SlotIndex slot, StageIndex stage);
    void settleShapes(const StepTemplate& step);
    const PixelFormat* formatOf(SlotIndex slot) const;
    FormatClass& formatClass() { return m_plan.classes[m_id.index()]; }
    const FormatClass& formatClass() const { return m_plan.classes[m_id.index()]; }

    Plan& m_plan;
    const Catalog& m_catalog;
    const StageKinds& m_kinds;
    FormatClassId m_id;
    ImageIndex m_sample;
    std::vector<std::optional<PortShape>> m_sampleShapes;                ///< by SlotIndex
    std::map<std::pair<SlotIndex, std::string>, SlotIndex> m_converted;  ///< (slot, format) -> its converted slot
};

}  // namespace lanewright
