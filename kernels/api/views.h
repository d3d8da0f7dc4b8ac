// SPDX-License-Identifier: GPL-3.0-or-later
// Views of what lies in host memory, as CPU kernels see it. A plane's rows may be a ring: row y is at y % ringRows.
#pragma once

#include "kernels/api/image_shape.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace lanewright {

/// One plane in host memory. `ringRows` = 0: all rows are there.
template <class Byte>
struct BasicPlaneView {
    Byte* data = nullptr;
    std::size_t stride = 0;
    PlaneShape shape;
    std::int32_t ringRows = 0;

    Byte* row(std::int32_t y) const {
        const std::int32_t slot = ringRows > 0 ? y % ringRows : y;
        return data + static_cast<std::size_t>(slot) * stride;
    }
    operator BasicPlaneView<const Byte>() const { return {data, stride, shape, ringRows}; }
};

using PlaneView = BasicPlaneView<const std::byte>;
using MutablePlaneView = BasicPlaneView<std::byte>;

/// An image in host memory.
template <class Byte>
struct BasicImageView {
    ImageShape shape;
    std::array<BasicPlaneView<Byte>, maxPlanes> planes{};
};

using ImageView = BasicImageView<const std::byte>;
using MutableImageView = BasicImageView<std::byte>;

/// Encoded bytes to read.
struct BytesView {
    std::span<const std::byte> bytes;
};

/// Room for encoded bytes; a kernel writes at most `room.size()` bytes and sets `*actual`.
struct MutableBytesView {
    std::span<std::byte> room;
    std::size_t* actual = nullptr;
};

/// Coefficients in one block laid out by layoutOf().
template <class Byte>
struct BasicCoefficientsView {
    CoefficientsShape shape;
    Byte* data = nullptr;
};

using PortView = std::variant<BytesView, ImageView, BasicCoefficientsView<const std::byte>>;
using MutablePortView = std::variant<MutableBytesView, MutableImageView, BasicCoefficientsView<std::byte>>;

/// Views of a block laid out by layoutOf(shape). `actual` bytes of a BytesShape are there (view) or are to be set
/// (mutableView).
PortView viewOf(const PortShape& shape, const std::byte* block, std::size_t actual);
MutablePortView mutableViewOf(const PortShape& shape, std::byte* block, std::size_t* actual);
ImageView imageViewOf(const ImageShape& shape, const std::byte* block);
MutableImageView mutableImageViewOf(const ImageShape& shape, std::byte* block);

}  // namespace lanewright
