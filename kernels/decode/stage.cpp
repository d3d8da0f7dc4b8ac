// SPDX-License-Identifier: GPL-3.0-or-later
// The source of every pipeline: turns the bytes of an image file into pixels.
#include "kernels/decode/stage.h"

#include "kernels/codecs/decoding_kernel.h"
#include "kernels/decode/kernels.h"

namespace lanewright::decode {

const ParameterTable<Settings>& parameterTable() {
    static const ParameterTable<Settings> table = [] {
        ParameterTable<Settings> made;
        made.choice<DamagePolicy>(
            {.name = "damaged",
             .label = "Damaged files",
             .help = "What happens to a JPEG whose data are damaged or end too soon: the image fails, or what can be "
                     "decoded is kept with a warning.",
             .choices = {{"fail", "fail"}, {"keep", "keep what can be decoded"}}},
            &Settings::damaged);
        return made;
    }();
    return table;
}

namespace {

class DecodeStage final : public StageKind {
public:
    const StageDescription& description() const override {
        static const StageDescription described = [] {
            StageDescription d;
            d.kind = "decode";
            d.label = "Decode";
            d.letter = "D";
            d.help = "Reads the pixels of an image file.";
            d.category = StageCategory::decode;
            d.role = StageRole::source;
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

    const CpuKernel* cpuKernel() const override { return decode::cpuKernel(); }

    Status reference(const OperationCall& call, std::span<const PortView> inputs,
                     std::span<const MutablePortView> outputs) const override {
        return decodeImage(std::get<BytesView>(inputs[0]).bytes, parameterTable().bind(call.parameters).damaged,
                           std::get<MutableImageView>(outputs[0]));
    }

    std::string summary(const Parameters& parameters) const override {
        return parameterTable().bind(parameters).damaged == DamagePolicy::keep ? "keeps damaged" : "";
    }
};

}  // namespace

std::unique_ptr<StageKind> makeStage() { return std::make_unique<DecodeStage>(); }

}  // namespace lanewright::decode
