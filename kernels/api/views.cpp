// SPDX-License-Identifier: GPL-3.0-or-later
// Views of blocks laid out by layoutOf().
#include "kernels/api/views.h"

namespace lanewright {
namespace {

template <class Byte>
BasicImageView<Byte> imageOver(const ImageShape& shape, Byte* block) {
    BasicImageView<Byte> view{shape, {}};
    const BufferLayout layout = layoutOf(shape);
    for (std::size_t i = 0; i < shape.planeCount(); ++i) {
        view.planes[i] = {block + layout.planes[i].offset, layout.planes[i].stride, shape.plane(i), 0};
    }
    return view;
}

}  // namespace

ImageView imageViewOf(const ImageShape& shape, const std::byte* block) { return imageOver(shape, block); }

MutableImageView mutableImageViewOf(const ImageShape& shape, std::byte* block) { return imageOver(shape, block); }

PortView viewOf(const PortShape& shape, const std::byte* block, std::size_t actual) {
    if (const auto* image = std::get_if<ImageShape>(&shape)) return imageViewOf(*image, block);
    if (const auto* coefficients = std::get_if<CoefficientsShape>(&shape)) {
        return BasicCoefficientsView<const std::byte>{*coefficients, block};
    }
    return BytesView{{block, actual}};
}

MutablePortView mutableViewOf(const PortShape& shape, std::byte* block, std::size_t* actual) {
    if (const auto* image = std::get_if<ImageShape>(&shape)) return mutableImageViewOf(*image, block);
    if (const auto* coefficients = std::get_if<CoefficientsShape>(&shape)) {
        return BasicCoefficientsView<std::byte>{*coefficients, block};
    }
    return MutableBytesView{{block, static_cast<std::size_t>(std::get<BytesShape>(shape).bound.value)}, actual};
}

}  // namespace lanewright
