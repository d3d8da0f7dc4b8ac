// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of ports.
#include "kernels/common/image_ports.h"

#include <algorithm>
#include <string>

namespace lanewright {

std::vector<PixelFormat> filterFormats() {
    std::vector<PixelFormat> formats{gray8, rgb8, rgba8};
    for (const auto subsampling : {ChromaSubsampling::s420, ChromaSubsampling::s422, ChromaSubsampling::s440,
                                   ChromaSubsampling::s411, ChromaSubsampling::s410, ChromaSubsampling::none}) {
        formats.push_back({.model = ColourModel::ycbcr, .subsampling = subsampling, .planar = true});
    }
    formats.push_back({.alpha = AlphaMode::premultiplied});
    return formats;
}

Result<ImageShape> checkedImage(std::span<const PortShape> inputs, std::size_t port,
                                std::span<const PixelFormat> formats, std::string_view stage) {
    const auto* image = port < inputs.size() ? std::get_if<ImageShape>(&inputs[port]) : nullptr;
    if (!image) return Message{"shape.notImage", {{"stage", std::string(stage)}}};
    if (std::find(formats.begin(), formats.end(), image->format) == formats.end()) {
        return Message{"shape.format", {{"stage", std::string(stage)}, {"format", formatName(image->format)}}};
    }
    return *image;
}

}  // namespace lanewright
