// SPDX-License-Identifier: GPL-3.0-or-later
// What a port carries: the shape of an image, of encoded bytes or of transform coefficients, and how it lies in memory.
// Host frames and device buffers share one layout, so that a copy is one block.
#pragma once

#include "kernels/api/units.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace lanewright {

enum class SampleType : std::uint8_t { u8, u16, f32, i16 };  ///< i16: 6 fraction bits, inside fused groups only
enum class ColourModel : std::uint8_t { gray, rgb, ycbcr, cmyk, ycck };
enum class TransferFunction : std::uint8_t { srgb, linear };
enum class AlphaMode : std::uint8_t { none, straight, premultiplied };
enum class ChromaSubsampling : std::uint8_t { none, s422, s420, s440, s411, s410 };

constexpr std::size_t sampleBytes(SampleType type) {
    return type == SampleType::u8 ? 1 : type == SampleType::f32 ? 4 : 2;
}

/// What pixels are, apart from how many there are. `planar` puts each component in a plane of its own; only planar
/// YCbCr may be subsampled. Components in memory: colour first, alpha last.
struct PixelFormat {
    SampleType sample = SampleType::u8;
    ColourModel model = ColourModel::rgb;
    TransferFunction transfer = TransferFunction::srgb;
    AlphaMode alpha = AlphaMode::none;
    ChromaSubsampling subsampling = ChromaSubsampling::none;
    bool planar = false;

    constexpr int colourComponents() const {
        return model == ColourModel::gray ? 1 : (model == ColourModel::cmyk || model == ColourModel::ycck) ? 4 : 3;
    }
    constexpr int components() const { return colourComponents() + (alpha == AlphaMode::none ? 0 : 1); }
    friend constexpr auto operator<=>(const PixelFormat&, const PixelFormat&) = default;
};

inline constexpr PixelFormat gray8{SampleType::u8, ColourModel::gray};
inline constexpr PixelFormat rgb8{SampleType::u8, ColourModel::rgb};
inline constexpr PixelFormat rgba8{SampleType::u8, ColourModel::rgb, TransferFunction::srgb, AlphaMode::straight};

/// Short name as on edges and in files: "RGB 8-bit", "YCbCr 4:2:0 8-bit", "gray 8-bit".
std::string formatName(const PixelFormat& format);

/// One plane: `width` x `height` pixels of `components` interleaved samples.
struct PlaneShape {
    std::int32_t width = 0;
    std::int32_t height = 0;
    std::int32_t components = 0;
    SampleType sample = SampleType::u8;

    constexpr std::size_t pixelBytes() const { return static_cast<std::size_t>(components) * sampleBytes(sample); }
    constexpr std::size_t rowBytes() const { return static_cast<std::size_t>(width) * pixelBytes(); }
    friend constexpr bool operator==(const PlaneShape&, const PlaneShape&) = default;
};

inline constexpr std::size_t maxPlanes = 5;

/// Width and height in pixels of plane 0, and a format. Sides are 1..65535.
struct ImageShape {
    std::int32_t width = 0;
    std::int32_t height = 0;
    PixelFormat format;

    std::size_t planeCount() const;
    PlaneShape plane(std::size_t index) const;
    double megapixels() const { return static_cast<double>(width) * static_cast<double>(height) * 1e-6; }
    friend constexpr auto operator<=>(const ImageShape&, const ImageShape&) = default;
};

/// A file or encoded output: never more than `bound` bytes; how many there are is known once it is written.
struct BytesShape {
    ByteCount bound;
    friend constexpr auto operator<=>(const BytesShape&, const BytesShape&) = default;
};

/// Quantised transform coefficients of a JPEG: 64 i16 a block, planes one after the other; tables travel in front.
struct CoefficientsShape {
    ImageShape image;  ///< what they transform to (planar)
    friend constexpr auto operator<=>(const CoefficientsShape&, const CoefficientsShape&) = default;
};

using PortShape = std::variant<BytesShape, ImageShape, CoefficientsShape>;

/// Where a plane lies in a buffer: byte offset of its first row and bytes from row to row.
struct PlaneLayout {
    std::size_t offset = 0;
    std::size_t stride = 0;
};

/// How a port's value lies in one block of memory, on every device: planes at 64-byte offsets, rows at 64-byte strides.
struct BufferLayout {
    std::array<PlaneLayout, maxPlanes> planes{};
    ByteCount size;
};

BufferLayout layoutOf(const PortShape& shape);
ByteCount sizeOf(const PortShape& shape);

}  // namespace lanewright
