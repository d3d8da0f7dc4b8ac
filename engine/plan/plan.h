// SPDX-License-Identifier: GPL-3.0-or-later
// A plan: for each format class the step templates and buffers of an image, for each stage the devices it may use and its
// batch there, limits, and in planned order the frozen choices. No durations. A value that Dispatch interprets.
#pragma once

#include "engine/input/input_set.h"
#include "engine/machine/machine.h"
#include "engine/pipeline/pipeline.h"
#include "engine/plan/run_settings.h"
#include "kernels/api/ids.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lanewright {

/// read and write: a file, on a storage lane. operation: a stage or one of its phases. conversion: of a pixel format
/// before a stage. copy: of one buffer over one link.
enum class TemplateKind : std::uint8_t { read, operation, conversion, copy, write };

/// Where steps of a template run.
enum class TemplatePlace : std::uint8_t { storage, host, placed, link };

/// One kind of step that an image goes through. Copies have the slot as input and output, and a link.
struct StepTemplate {
    TemplateKind kind = TemplateKind::operation;
    TemplatePlace place = TemplatePlace::placed;
    StageIndex stage;  ///< whose work it is (a copy: of the stage that made the slot)
    FormatClassId formatClass;
    const Operation* operation = nullptr;  ///< of operation and conversion
    Parameters parameters;
    std::vector<SlotIndex> inputs;
    std::vector<SlotIndex> outputs;
    LinkId link;
    std::string name;  ///< stable: "decode", "resize", "read decode", "copy resize.image opencl:0>host"
};

/// A buffer that each image of a class has once for each memory it is valid in.
struct Slot {
    std::string name;     ///< "decode.file", "resize.image"
    TemplateId producer;  ///< some template that makes it (each variant of the stage makes the same slots)
    StageIndex stage;     ///< the producing stage
    std::vector<StageIndex> consumers;  ///< stages that read it
    bool keptUntilImageEnds = false;    ///< file bytes: everything can be computed again from them
    bool constant = false;              ///< belongs to the constants, made once per run
};

/// The steps of a stage on one kind of device, in order.
struct Variant {
    DeviceKind kind = DeviceKind::cpu;
    std::vector<TemplateId> chain;
};

/// A stage of one format class: its variants (one per device kind in use), inputs and outputs as slots.
struct ClassStage {
    std::vector<Variant> variants;
    std::vector<SlotIndex> inputs;
    std::vector<SlotIndex> outputs;
    bool present = true;  ///< false: belongs to the constants (or, in the constants' class, to the images)

    const Variant* variantFor(DeviceKind kind) const;
};

/// Images of equal codec and pixel format go through the same templates.
struct FormatClass {
    std::string codec;
    PixelFormat format;
    bool constants = false;  ///< the class of the one pseudo-image that holds the constant sources
    std::vector<Slot> slots;
    std::vector<ClassStage> stages;  ///< by StageIndex
    std::vector<StageIndex> order;   ///< present stages, topological
    std::vector<TemplateId> copies;  ///< copy templates, by copyIndex()
    std::size_t linkCount = 0;

    TemplateId copyTemplate(SlotIndex slot, LinkId link) const {
        return copies[slot.index() * linkCount + link.index()];
    }
};

/// Devices of a stage, by preference. Shares empty: whichever is free. Stages with equal `affinity` keep an image on one
/// device.
struct PlannedStage {
    std::vector<DeviceId> devices;
    std::vector<double> shares;
    std::vector<DeviceId> fallbacks;
    std::vector<std::int32_t> batch;  ///< by DeviceId
    std::uint32_t affinity = 0;
};

struct Limits {
    std::int32_t imagesInFlight = 1;
    std::vector<std::int32_t> imagesOnDevice;  ///< by DeviceId; how many images a device takes in ahead; 0: no limit
    std::vector<ByteCount> memory;             ///< by MemoryId
};

/// A frozen choice of planned order: this step, on these lanes, at this place in each lane's sequence.
struct FrozenStep {
    TemplateId stepTemplate;
    std::vector<ImageIndex> images;
    std::vector<LaneId> lanes;
};

/// Image `images` (one past the last) is the pseudo-image of the constants, when there are any.
struct Plan {
    std::shared_ptr<const Machine> machine;
    std::shared_ptr<const Pipeline> pipeline;
    std::shared_ptr<const InputSet> input;
    std::vector<InputImage> constantFiles;  ///< by StageIndex; path empty where the stage is not constant
    std::vector<ProbedImage> constantImages;
    std::vector<StepTemplate> templates;
    std::vector<FormatClass> classes;
    std::vector<std::uint8_t> classOfShape;  ///< by InputImage::shapeClass
    FormatClassId constantsClass;            ///< invalid: no constants
    std::vector<PlannedStage> stages;
    Limits limits;
    RunSettings settings;
    std::vector<FrozenStep> frozen;  ///< empty in dynamic order

    std::size_t imageCount() const { return input->images.size(); }
    ImageIndex constantsImage() const { return ImageIndex(imageCount()); }
    const StepTemplate& stepTemplate(TemplateId id) const { return templates[id.index()]; }
    const FormatClass& formatClass(FormatClassId id) const { return classes[id.index()]; }
    FormatClassId classOf(ImageIndex image) const;
    /// The file that a read step of `stage` reads for `image` (the constants' own file for the pseudo-image).
    const InputImage& fileOf(ImageIndex image, StageIndex stage) const;
    ProbedImage probedOf(ImageIndex image, StageIndex stage) const;
};

/// Shapes of all slots of one image. Outputs whose shape cannot be made carry the reason.
struct ImageShapes {
    std::vector<PortShape> slots;
    std::vector<std::shared_ptr<const Message>> errors;  ///< by SlotIndex; empty vector: none
};

/// Walks the shape rules for one image: bytes of a file slot are the file's size. `constants`: shapes of the constants.
ImageShapes shapesOf(const Plan& plan, ImageIndex image, const ImageShapes* constants);

}  // namespace lanewright
