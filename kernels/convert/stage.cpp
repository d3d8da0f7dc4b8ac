// SPDX-License-Identifier: GPL-3.0-or-later
// Changes the pixel format between two stages; the planner puts it where an edge's two ends take no common format.
#include "kernels/convert/stage.h"

#include "kernels/convert/kernels.h"

#include <algorithm>
#include <string>

namespace lanewright::convert {
namespace {

struct Settings {
    std::string format = formatName(rgb8);
};

const ParameterTable<Settings>& parameterTable() {
    static const ParameterTable<Settings> table = [] {
        ParameterTable<Settings> made;
        made.text({.name = "format", .label = "Format", .help = "Pixel format of the output."}, &Settings::format);
        return made;
    }();
    return table;
}

/// One pixel after the other, as the rules in kernels.h say.
void convertPixel(const std::uint8_t* in, std::size_t from, std::uint8_t* out, std::size_t to) {
    const bool gray = formats[from] == gray8;
    const bool transparent = formats[from] == rgba8;
    std::array<std::uint8_t, 3> rgb = {in[0], in[gray ? 0 : 1], in[gray ? 0 : 2]};
    if (formats[to] == rgba8) {
        std::copy(rgb.begin(), rgb.end(), out);
        out[3] = transparent ? in[3] : 255;
        return;
    }
    if (transparent) {
        for (auto& sample : rgb) sample = overWhite(sample, in[3]);
    }
    if (formats[to] == rgb8) {
        std::copy(rgb.begin(), rgb.end(), out);
    } else {
        out[0] = gray ? in[0] : luma(rgb[0], rgb[1], rgb[2]);
    }
}

class ConvertStage final : public StageKind {
public:
    const StageDescription& description() const override {
        static const StageDescription described = [] {
            StageDescription d;
            d.kind = "convert";
            d.label = "Convert";
            d.letter = "C";
            d.help = "Changes the pixel format.";
            d.category = StageCategory::filter;
            d.inPalette = false;
            d.inputs = {{"image", "Image"}};
            d.outputs = {{"image", "Image"}};
            d.parameters = parameterTable().declarations();
            return d;
        }();
        return described;
    }

    std::vector<PixelFormat> inputFormats(std::size_t, const Parameters&) const override {
        return {formats.begin(), formats.end()};
    }

    /// Errors: convert.format.
    Result<std::vector<PortShape>> outputShapes(const OperationCall& call) const override {
        ImageShape shape = std::get<ImageShape>(call.inputs[0]);
        const auto target = targetOf(call.parameters);
        if (!target || !formatIndex(shape.format)) {
            return Message{"convert.format",
                           {{"from", formatName(shape.format)}, {"to", parameterTable().bind(call.parameters).format}}};
        }
        shape.format = *target;
        return std::vector<PortShape>{shape};
    }

    WorkEstimate work(const OperationCall& call) const override {
        constexpr double operationsPerPixel = 4;
        const auto& in = std::get<ImageShape>(call.inputs[0]);
        return {in.megapixels() * 1e6 * operationsPerPixel,
                static_cast<double>(sizeOf(in).value + sizeOf(call.outputs[0]).value)};
    }

    const CpuKernel* cpuKernel() const override { return convert::cpuKernel(); }

    Status reference(const OperationCall&, std::span<const PortView> inputs,
                     std::span<const MutablePortView> outputs) const override {
        const auto& in = std::get<ImageView>(inputs[0]);
        const auto& out = std::get<MutableImageView>(outputs[0]);
        const std::size_t from = *formatIndex(in.shape.format);
        const std::size_t to = *formatIndex(out.shape.format);
        const auto inBytes = static_cast<std::size_t>(in.shape.format.components());
        const auto outBytes = static_cast<std::size_t>(out.shape.format.components());
        for (std::int32_t y = 0; y < in.shape.height; ++y) {
            const auto* source = reinterpret_cast<const std::uint8_t*>(in.planes[0].row(y));
            auto* target = reinterpret_cast<std::uint8_t*>(out.planes[0].row(y));
            for (std::size_t x = 0; x < static_cast<std::size_t>(in.shape.width); ++x) {
                convertPixel(source + x * inBytes, from, target + x * outBytes, to);
            }
        }
        return {};
    }

    std::string summary(const Parameters& parameters) const override {
        return parameterTable().bind(parameters).format;
    }
};

}  // namespace

std::optional<std::size_t> formatIndex(const PixelFormat& format) {
    const auto found = std::find(formats.begin(), formats.end(), format);
    if (found == formats.end()) return std::nullopt;
    return static_cast<std::size_t>(found - formats.begin());
}

std::optional<PixelFormat> targetOf(const Parameters& parameters) {
    const std::string name = parameterTable().bind(parameters).format;
    const auto found =
        std::find_if(formats.begin(), formats.end(), [&](const auto& f) { return formatName(f) == name; });
    if (found == formats.end()) return std::nullopt;
    return *found;
}

std::unique_ptr<StageKind> makeStage() { return std::make_unique<ConvertStage>(); }

}  // namespace lanewright::convert
