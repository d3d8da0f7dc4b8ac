// SPDX-License-Identifier: GPL-3.0-or-later
// Description, rules and scalar reference of "resize". Pixel rules: sample centres at (x + 0.5) * scale - 0.5, source
// samples beyond the edge left out and the rest renormalised (both as Pillow), no rounding between the passes, one rounding
// (half up) at the end; straight alpha is mixed premultiplied, and a pixel whose alpha comes out as 0 is all zeros.
#include "kernels/resize/stage.h"

#include "kernels/common/image_ports.h"
#include "kernels/common/real_plane.h"
#include "kernels/resize/geometry.h"
#include "kernels/resize/kernels.h"

#include <algorithm>
#include <string>
#include <vector>

namespace lanewright::resize {
namespace {

RealPlane resizedVertically(RealPlane& from, const FilterTable& table) {
    RealPlane to{from.width, table.outputs(), from.components};
    for (std::int32_t y = 0; y < to.height; ++y) {
        std::int32_t source = table.first[static_cast<std::size_t>(y)];
        for (const double weight : table.weightsOf(y)) {
            for (std::int32_t x = 0; x < to.width; ++x) {
                for (std::int32_t c = 0; c < to.components; ++c) to.at(x, y, c) += weight * from.at(x, source, c);
            }
            ++source;
        }
    }
    return to;
}

RealPlane resizedHorizontally(RealPlane& from, const FilterTable& table) {
    RealPlane to{table.outputs(), from.height, from.components};
    for (std::int32_t y = 0; y < to.height; ++y) {
        for (std::int32_t x = 0; x < to.width; ++x) {
            std::int32_t source = table.first[static_cast<std::size_t>(x)];
            for (const double weight : table.weightsOf(x)) {
                for (std::int32_t c = 0; c < to.components; ++c) to.at(x, y, c) += weight * from.at(source, y, c);
                ++source;
            }
        }
    }
    return to;
}

class Stage final : public StageKind {
public:
    Stage() {
        m_description = {.kind = "resize",
                         .label = "Resize",
                         .letter = "R",
                         .help = "Changes how many pixels an image has.",
                         .category = StageCategory::size,
                         .role = StageRole::transform,
                         .inputs = {{"image", "Image"}},
                         .outputs = {{"image", "Image"}},
                         .parameters = settingsTable().declarations(),
                         // Both passes of Lanczos3 at half a sample's offset: 1.544 squared.
                         .gain = 2.4,
                         .linear = true};
    }

    const StageDescription& description() const override { return m_description; }

    std::vector<PixelFormat> inputFormats(std::size_t, const Parameters&) const override { return filterFormats(); }

    Result<std::vector<PortShape>> outputShapes(const OperationCall& call) const override {
        const auto input = checkedImage(call.inputs, 0, filterFormats(), description().kind);
        if (!input) return input.error();
        return std::vector<PortShape>{geometryOf(settingsTable().bind(call.parameters), *input).output};
    }

    WorkEstimate work(const OperationCall& call) const override {
        const auto& input = std::get<ImageShape>(call.inputs[0]);
        const Geometry geometry = geometryOf(settingsTable().bind(call.parameters), input);
        const auto taps = [](const AxisGeometry& axis) {
            constexpr double support[] = {1, 2, 4, 6, 1};
            const bool wide = axis.filter == ResampleFilter::area || axis.antialias;
            return support[static_cast<std::size_t>(axis.filter)] * (wide ? std::max(1.0, axis.scale) : 1.0);
        };
        const double components = input.format.components();
        const double rows = geometry.output.height * components;
        return {2 * rows * (input.width * taps(geometry.y) + geometry.output.width * taps(geometry.x)),
                static_cast<double>(sizeOf(input).value + sizeOf(geometry.output).value)};
    }

    const CpuKernel* cpuKernel() const override { return resize::cpuKernel(); }
    const DeviceKernel* deviceKernel(DeviceKind kind) const override {
        return kind == DeviceKind::openCl ? openClKernel() : nullptr;
    }

    Status reference(const OperationCall& call, std::span<const PortView> inputs,
                     std::span<const MutablePortView> outputs) const override {
        const auto& input = std::get<ImageView>(inputs[0]);
        const auto& output = std::get<MutableImageView>(outputs[0]);
        const Geometry geometry = geometryOf(settingsTable().bind(call.parameters), input.shape);
        for (std::size_t i = 0; i < input.shape.planeCount(); ++i) {
            const PlaneGeometry plane = planeGeometry(geometry, input.shape, i);
            RealPlane source = realPlane(input.planes[i], plane.straightAlpha);
            RealPlane tall = resizedVertically(source, makeFilterTable(plane.y));
            RealPlane result = resizedHorizontally(tall, makeFilterTable(plane.x));
            storeRealPlane(result, plane.straightAlpha, output.planes[i]);
        }
        return {};
    }

    std::string summary(const Parameters& parameters) const override {
        const Settings settings = settingsTable().bind(parameters);
        const std::string width = std::to_string(settings.width);
        std::string size = width + " px";
        if (settings.fit != Fit::longestSide) size = width + " x " + std::to_string(settings.height) + " px";
        if (settings.fit == Fit::fit) size = "within " + size;
        if (settings.fit == Fit::fill) size = "fill " + size;
        for (const auto& declaration : settingsTable().declarations()) {
            if (declaration.name != "filter") continue;
            size += ", " + std::string(declaration.choices[static_cast<std::size_t>(settings.filter)].label);
        }
        return size;
    }

private:
    StageDescription m_description;
};

}  // namespace

std::unique_ptr<StageKind> makeStage() { return std::make_unique<Stage>(); }

}  // namespace lanewright::resize
