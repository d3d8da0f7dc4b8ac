// SPDX-License-Identifier: GPL-3.0-or-later
// Plane dimensions and memory layout of what ports carry.
#include "kernels/api/image_shape.h"

namespace lanewright {
namespace {

constexpr std::size_t alignment = 64;

constexpr std::size_t alignUp(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

struct ChromaDivisors {
    std::int32_t horizontal;
    std::int32_t vertical;
};

ChromaDivisors divisorsOf(ChromaSubsampling subsampling) {
    switch (subsampling) {
    case ChromaSubsampling::none: return {1, 1};
    case ChromaSubsampling::s422: return {2, 1};
    case ChromaSubsampling::s420: return {2, 2};
    case ChromaSubsampling::s440: return {1, 2};
    case ChromaSubsampling::s411: return {4, 1};
    case ChromaSubsampling::s410: return {4, 2};
    }
    return {1, 1};
}

std::string_view modelName(ColourModel model) {
    switch (model) {
    case ColourModel::gray: return "gray";
    case ColourModel::rgb: return "RGB";
    case ColourModel::ycbcr: return "YCbCr";
    case ColourModel::cmyk: return "CMYK";
    case ColourModel::ycck: return "YCCK";
    }
    return "";
}

std::string_view samplingName(ChromaSubsampling subsampling) {
    switch (subsampling) {
    case ChromaSubsampling::none: return "4:4:4";
    case ChromaSubsampling::s422: return "4:2:2";
    case ChromaSubsampling::s420: return "4:2:0";
    case ChromaSubsampling::s440: return "4:4:0";
    case ChromaSubsampling::s411: return "4:1:1";
    case ChromaSubsampling::s410: return "4:1:0";
    }
    return "";
}

std::string_view sampleName(SampleType sample) {
    switch (sample) {
    case SampleType::u8: return "8-bit";
    case SampleType::u16: return "16-bit";
    case SampleType::f32: return "float";
    case SampleType::i16: return "fixed-point";
    }
    return "";
}

BufferLayout layoutOfImage(const ImageShape& shape) {
    BufferLayout layout;
    std::size_t offset = 0;
    for (std::size_t i = 0; i < shape.planeCount(); ++i) {
        const PlaneShape plane = shape.plane(i);
        layout.planes[i] = {offset, alignUp(plane.rowBytes())};
        offset += layout.planes[i].stride * static_cast<std::size_t>(plane.height);
    }
    layout.size = ByteCount(offset);
    return layout;
}

BufferLayout layoutOfCoefficients(const CoefficientsShape& shape) {
    constexpr std::size_t tableBytes = 4 * 64 * sizeof(std::uint16_t);
    BufferLayout layout;
    std::size_t offset = alignUp(tableBytes);
    for (std::size_t i = 0; i < shape.image.planeCount(); ++i) {
        const PlaneShape plane = shape.image.plane(i);
        const std::size_t blocksAcross = (static_cast<std::size_t>(plane.width) + 7) / 8;
        const std::size_t blocksDown = (static_cast<std::size_t>(plane.height) + 7) / 8;
        layout.planes[i] = {offset, blocksAcross * 64 * sizeof(std::int16_t)};
        offset += layout.planes[i].stride * blocksDown;
    }
    layout.size = ByteCount(offset);
    return layout;
}

}  // namespace

std::string formatName(const PixelFormat& format) {
    std::string name(modelName(format.model));
    if (format.alpha == AlphaMode::straight) name += "A";
    if (format.alpha == AlphaMode::premultiplied) name += "A premultiplied";
    if (format.model == ColourModel::ycbcr) name += " " + std::string(samplingName(format.subsampling));
    name += " " + std::string(sampleName(format.sample));
    if (format.transfer == TransferFunction::linear) name += " linear";
    return name;
}

std::size_t ImageShape::planeCount() const { return format.planar ? static_cast<std::size_t>(format.components()) : 1; }

PlaneShape ImageShape::plane(std::size_t index) const {
    if (!format.planar) return {width, height, format.components(), format.sample};
    const bool chroma = format.model == ColourModel::ycbcr && (index == 1 || index == 2);
    const ChromaDivisors divisors = divisorsOf(chroma ? format.subsampling : ChromaSubsampling::none);
    return {(width + divisors.horizontal - 1) / divisors.horizontal,
            (height + divisors.vertical - 1) / divisors.vertical, 1, format.sample};
}

BufferLayout layoutOf(const PortShape& shape) {
    if (const auto* image = std::get_if<ImageShape>(&shape)) return layoutOfImage(*image);
    if (const auto* coefficients = std::get_if<CoefficientsShape>(&shape)) return layoutOfCoefficients(*coefficients);
    BufferLayout layout;
    layout.size = std::get<BytesShape>(shape).bound;
    return layout;
}

ByteCount sizeOf(const PortShape& shape) { return layoutOf(shape).size; }

}  // namespace lanewright
