// SPDX-License-Identifier: GPL-3.0-or-later
// Description, rules and scalar reference of "gaussian_blur". Pixel rules: the sampled Gaussian up to ceil(3 sigma),
// divided by its sum; no rounding between the passes, one rounding (half up) at the end; straight alpha is mixed
// premultiplied, and a pixel whose alpha comes out as 0 is all zeros. Work grows with sigma: no approximation by boxes.
#include "kernels/gaussian_blur/stage.h"

#include "kernels/common/gaussian.h"
#include "kernels/common/image_ports.h"
#include "kernels/common/plane_rows.h"
#include "kernels/common/real_plane.h"
#include "kernels/gaussian_blur/kernels.h"

#include <cmath>
#include <string>
#include <vector>

namespace lanewright::gaussian_blur {
namespace {

ParameterTable<Settings> makeTable() {
    ParameterTable<Settings> table;
    table.real({.name = "sigma",
                .label = "Sigma",
                .unit = "px",
                .help = "Standard deviation: about half the width of what a point becomes.",
                .minimum = 0.1,
                .maximum = 100,
                .step = 0.1},
               &Settings::sigma);
    table.choice({.name = "edges",
                  .label = "Edges",
                  .help = "What stands for pixels beyond the edge.",
                  .choices = {{"replicate", "Replicate"}, {"reflect", "Reflect"}}},
                 &Settings::edges);
    return table;
}

RealPlane blurredVertically(RealPlane& from, const std::vector<double>& weights, Border edges) {
    RealPlane to{from.width, from.height, from.components};
    const auto radius = static_cast<std::int32_t>(weights.size() / 2);
    for (std::int32_t y = 0; y < to.height; ++y) {
        for (std::int32_t k = -radius; k <= radius; ++k) {
            const std::int32_t source = borderIndex(edges, y + k, from.height);
            const double weight = weights[static_cast<std::size_t>(k + radius)];
            for (std::int32_t x = 0; x < to.width; ++x) {
                for (std::int32_t c = 0; c < to.components; ++c) to.at(x, y, c) += weight * from.at(x, source, c);
            }
        }
    }
    return to;
}

RealPlane blurredHorizontally(RealPlane& from, const std::vector<double>& weights, Border edges) {
    RealPlane to{from.width, from.height, from.components};
    const auto radius = static_cast<std::int32_t>(weights.size() / 2);
    for (std::int32_t y = 0; y < to.height; ++y) {
        for (std::int32_t x = 0; x < to.width; ++x) {
            for (std::int32_t k = -radius; k <= radius; ++k) {
                const std::int32_t source = borderIndex(edges, x + k, from.width);
                const double weight = weights[static_cast<std::size_t>(k + radius)];
                for (std::int32_t c = 0; c < to.components; ++c) to.at(x, y, c) += weight * from.at(source, y, c);
            }
        }
    }
    return to;
}

class Stage final : public StageKind {
public:
    Stage() {
        m_description = {.kind = "gaussian_blur",
                         .label = "Gaussian blur",
                         .letter = "F",
                         .help = "Softens an image by mixing each pixel with its neighbours.",
                         .category = StageCategory::filter,
                         .role = StageRole::transform,
                         .inputs = {{"image", "Image"}},
                         .outputs = {{"image", "Image"}},
                         .parameters = settingsTable().declarations(),
                         .gain = 1,
                         .linear = true};
    }

    const StageDescription& description() const override { return m_description; }

    std::vector<PixelFormat> inputFormats(std::size_t, const Parameters&) const override { return filterFormats(); }

    Result<std::vector<PortShape>> outputShapes(const OperationCall& call) const override {
        const auto input = checkedImage(call.inputs, 0, filterFormats(), description().kind);
        if (!input) return input.error();
        return std::vector<PortShape>{*input};
    }

    WorkEstimate work(const OperationCall& call) const override {
        const auto& input = std::get<ImageShape>(call.inputs[0]);
        const double taps = 2 * std::ceil(3 * settingsTable().bind(call.parameters).sigma) + 1;
        const auto bytes = static_cast<double>(sizeOf(input).value);
        return {2 * 2 * taps * input.megapixels() * 1e6 * input.format.components(), 2 * bytes};
    }

    const CpuKernel* cpuKernel() const override { return gaussian_blur::cpuKernel(); }
    const DeviceKernel* deviceKernel(DeviceKind kind) const override {
        return kind == DeviceKind::openCl ? openClKernel() : nullptr;
    }

    Status reference(const OperationCall& call, std::span<const PortView> inputs,
                     std::span<const MutablePortView> outputs) const override {
        const auto& input = std::get<ImageView>(inputs[0]);
        const auto& output = std::get<MutableImageView>(outputs[0]);
        const Settings settings = settingsTable().bind(call.parameters);
        const bool straightAlpha = input.shape.format.alpha == AlphaMode::straight;
        for (std::size_t i = 0; i < input.shape.planeCount(); ++i) {
            const PlaneBlur blur = planeBlur(settings, input.shape.format, i);
            RealPlane source = realPlane(input.planes[i], straightAlpha);
            RealPlane half = blurredVertically(source, gaussianWeights(blur.sigmaY), blur.edges);
            RealPlane result = blurredHorizontally(half, gaussianWeights(blur.sigmaX), blur.edges);
            storeRealPlane(result, straightAlpha, output.planes[i]);
        }
        return {};
    }

    std::string summary(const Parameters& parameters) const override {
        return "\xCF\x83 " + parameterText(parameters.at(0));  // small sigma
    }

private:
    StageDescription m_description;
};

}  // namespace

const ParameterTable<Settings>& settingsTable() {
    static const ParameterTable<Settings> table = makeTable();
    return table;
}

PlaneBlur planeBlur(const Settings& settings, const PixelFormat& format, std::size_t plane) {
    const PlaneDivisors divisors = planeDivisors(format, plane);
    return {settings.sigma / divisors.horizontal, settings.sigma / divisors.vertical, settings.edges};
}

std::unique_ptr<StageKind> makeStage() { return std::make_unique<Stage>(); }

}  // namespace lanewright::gaussian_blur
