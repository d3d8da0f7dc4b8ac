// SPDX-License-Identifier: GPL-3.0-or-later
// The sink of every pipeline: turns pixels into the bytes of an image file.
#include "kernels/encode/stage.h"

#include "kernels/encode/kernels.h"

#include <algorithm>

namespace lanewright::encode {

const ParameterTable<Settings>& parameterTable() {
    static const ParameterTable<Settings> table = [] {
        std::vector<ParameterChoice> formats;
        for (const Codec* codec : codecs()) formats.push_back({codec->name, codec->label});
        ParameterTable<Settings> made;
        made.choice<FileFormat>(
            {.name = "format", .label = "Format", .help = "Format of the files that are written.", .choices = formats},
            &Settings::format);
        made.integer({.name = "quality",
                      .label = "Quality",
                      .help = "JPEG: 1 is the smallest file, 100 the best picture.",
                      .minimum = 1,
                      .maximum = 100},
                     &Settings::quality);
        made.choice<Subsampling>(
            {.name = "subsampling",
             .label = "Colour resolution",
             .help = "JPEG: colour at half the resolution in both directions, in one, or in none.",
             .choices = {{"420", "4:2:0 (half, half)"}, {"422", "4:2:2 (half across)"}, {"444", "4:4:4 (full)"}}},
            &Settings::subsampling);
        made.integer({.name = "png_level",
                      .label = "PNG compression",
                      .help = "PNG: 0 stores, 1 is fast, 9 makes the smallest file; the pixels are the same.",
                      .minimum = 0,
                      .maximum = 9},
                     &Settings::pngLevel);
        return made;
    }();
    return table;
}

Choice choiceOf(const Parameters& parameters) {
    const Settings bound = parameterTable().bind(parameters);
    EncodeSettings settings;
    settings.quality = bound.quality;
    settings.subsampling = bound.subsampling == Subsampling::s420   ? ChromaSubsampling::s420
                           : bound.subsampling == Subsampling::s422 ? ChromaSubsampling::s422
                                                                    : ChromaSubsampling::none;
    settings.compressionLevel = bound.pngLevel;
    return {codecs()[static_cast<std::size_t>(bound.format)], settings};
}

namespace {

class EncodeStage final : public StageKind {
public:
    const StageDescription& description() const override {
        static const StageDescription described = [] {
            StageDescription d;
            d.kind = "encode";
            d.label = "Encode";
            d.letter = "E";
            d.help = "Writes the image as a file.";
            d.category = StageCategory::encode;
            d.role = StageRole::sink;
            d.inputs = {{"image", "Image"}};
            d.parameters = parameterTable().declarations();
            return d;
        }();
        return described;
    }

    std::vector<PixelFormat> inputFormats(std::size_t, const Parameters& parameters) const override {
        return choiceOf(parameters).codec->encodedFormats;
    }

    /// Errors: encode.format, encode.tooLarge.
    Result<std::vector<PortShape>> outputShapes(const OperationCall& call) const override {
        const Choice choice = choiceOf(call.parameters);
        const auto& shape = std::get<ImageShape>(call.inputs[0]);
        const auto& formats = choice.codec->encodedFormats;
        if (std::find(formats.begin(), formats.end(), shape.format) == formats.end()) {
            return Message{"encode.format",
                           {{"codec", std::string(choice.codec->label)}, {"format", formatName(shape.format)}}};
        }
        const std::int32_t maximum = choice.codec->maximumSide;
        if (shape.width > maximum || shape.height > maximum) {
            return Message{"encode.tooLarge",
                           {{"codec", std::string(choice.codec->label)},
                            {"width", std::to_string(shape.width)},
                            {"height", std::to_string(shape.height)},
                            {"maximum", std::to_string(maximum)}}};
        }
        return std::vector<PortShape>{BytesShape{choice.codec->encodedBound(shape, choice.settings)}};
    }

    WorkEstimate work(const OperationCall& call) const override {
        const Choice choice = choiceOf(call.parameters);
        const auto& shape = std::get<ImageShape>(call.inputs[0]);
        return {shape.megapixels() * 1e6 * choice.codec->encodeOperationsPerPixel(shape.format, choice.settings),
                static_cast<double>(sizeOf(shape).value)};
    }

    const CpuKernel* cpuKernel() const override { return encode::cpuKernel(); }

    /// The same encoder in one call.
    Status reference(const OperationCall& call, std::span<const PortView> inputs,
                     std::span<const MutablePortView> outputs) const override {
        const Choice choice = choiceOf(call.parameters);
        const auto& image = std::get<ImageView>(inputs[0]);
        const auto& bytes = std::get<MutableBytesView>(outputs[0]);
        auto encoder = choice.codec->openEncoder(image.shape, choice.settings, bytes.room);
        if (!encoder) return std::move(encoder).error();
        if (Status written = (*encoder)->writeRows(image, {0, image.shape.height}); !written) return written;
        const auto size = (*encoder)->finish();
        if (!size) return size.error();
        *bytes.actual = *size;
        return {};
    }

    std::string summary(const Parameters& parameters) const override {
        const Choice choice = choiceOf(parameters);
        return std::string(choice.codec->label) + ", " + choice.codec->settingsText(choice.settings);
    }

    std::string fileExtension(const Parameters& parameters) const override {
        return std::string(choiceOf(parameters).codec->extensions.front());
    }
};

}  // namespace

std::unique_ptr<StageKind> makeStage() { return std::make_unique<EncodeStage>(); }

}  // namespace lanewright::encode
