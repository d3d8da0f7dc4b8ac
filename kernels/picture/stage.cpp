// SPDX-License-Identifier: GPL-3.0-or-later
// One picture that every image of a run meets, such as a logo: decoded once per run and kept on the devices that use
// it.
#include "kernels/picture/stage.h"

#include "kernels/codecs/decoding_kernel.h"
#include "kernels/picture/kernels.h"

#include <filesystem>

namespace lanewright::picture {
namespace {

struct Settings {
    std::string path;
};

const ParameterTable<Settings>& parameterTable() {
    static const ParameterTable<Settings> table = [] {
        ParameterTable<Settings> made;
        made.path({.name = "path", .label = "File", .help = "The image file, relative to the project."},
                  &Settings::path);
        return made;
    }();
    return table;
}

class PictureStage final : public StageKind {
public:
    const StageDescription& description() const override {
        static const StageDescription described = [] {
            StageDescription d;
            d.kind = "picture";
            d.label = "Picture";
            d.letter = "P";
            d.help = "A picture from a file, the same for every image.";
            d.category = StageCategory::decode;
            d.role = StageRole::constant;
            d.outputs = {{"image", "Image"}};
            d.parameters = parameterTable().declarations();
            return d;
        }();
        return described;
    }

    Result<std::vector<PortShape>> outputShapes(const OperationCall& call) const override {
        return decodedShapes(call);
    }

    WorkEstimate work(const OperationCall& call) const override { return decodingWork(call); }

    const CpuKernel* cpuKernel() const override { return picture::cpuKernel(); }

    Status reference(const OperationCall&, std::span<const PortView> inputs,
                     std::span<const MutablePortView> outputs) const override {
        return decodeImage(std::get<BytesView>(inputs[0]).bytes, DamagePolicy::fail,
                           std::get<MutableImageView>(outputs[0]));
    }

    std::string summary(const Parameters& parameters) const override {
        return std::filesystem::path(parameterTable().bind(parameters).path).filename().string();
    }
};

}  // namespace

std::unique_ptr<StageKind> makeStage() { return std::make_unique<PictureStage>(); }

}  // namespace lanewright::picture
