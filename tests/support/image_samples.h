// SPDX-License-Identifier: GPL-3.0-or-later
// Images for tests of kernels: contents that find mistakes, blocks with guard bytes, and comparison by the agreement rules.
#pragma once

#include "kernels/api/views.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright::test {

enum class Content : std::uint8_t { random, gradient, impulse, saturated, checkerboard };
inline constexpr std::array allContents = {Content::random, Content::gradient, Content::impulse, Content::saturated,
                                           Content::checkerboard};
std::string_view contentName(Content content);

/// The same image each time. impulse: one bright pixel on black; saturated: 0 and 255 only, in runs; alpha has areas that are
/// fully transparent, fully opaque and in between, and colours under transparent pixels are not zero.
void fillImage(const MutableImageView& image, Content content, std::uint32_t seed);

/// A block laid out by layoutOf(shape) between guard bytes, aligned to 64.
class GuardedBlock {
public:
    explicit GuardedBlock(const PortShape& shape);

    const PortShape& shape() const { return m_shape; }
    std::byte* data() { return m_bytes.data() + m_begin; }
    std::size_t size() const { return m_size; }
    PortView view() const { return viewOf(m_shape, m_bytes.data() + m_begin, m_actual); }
    MutablePortView mutableView() { return mutableViewOf(m_shape, data(), &m_actual); }
    ImageView image() const { return std::get<ImageView>(view()); }
    MutableImageView mutableImage() { return std::get<MutableImageView>(mutableView()); }
    /// True while nothing was written in front of the block or behind it.
    bool guardsIntact() const;
    /// Sets every byte of the block, padding included.
    void poison(std::byte value);

private:
    PortShape m_shape;
    std::vector<std::byte> m_bytes;
    std::size_t m_begin = 0;
    std::size_t m_size = 0;
    std::size_t m_actual = 0;
};

/// How far apart two 8-bit images are. Colours under an alpha of 0 in either image do not count: they are never seen.
struct Difference {
    int largest = 0;
    std::string where;  ///< "plane 0, x 3, y 4, component 1: 17 instead of 20"
};
Difference difference(const ImageView& actual, const ImageView& expected);

/// "127x61 RGB 8-bit".
std::string shapeText(const ImageShape& shape);

}  // namespace lanewright::test
