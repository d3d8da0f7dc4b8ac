// SPDX-License-Identifier: GPL-3.0-or-later
// Contents, guards and comparison.
#include "tests/support/image_samples.h"

#include <algorithm>
#include <cstdlib>
#include <random>

namespace lanewright::test {
namespace {

constexpr std::size_t guardBytes = 4096;
constexpr std::byte guard{0xA7};

std::uint8_t gradientSample(const PlaneShape& shape, std::int32_t x, std::int32_t y, std::int32_t c) {
    const std::int32_t along =
        c % 2 == 0 ? x * 255 / std::max(1, shape.width - 1) : y * 255 / std::max(1, shape.height - 1);
    return static_cast<std::uint8_t>(c == 2 ? 255 - along : along);
}

std::uint8_t sampleOf(Content content, const PlaneShape& shape, std::int32_t x, std::int32_t y, std::int32_t c,
                      std::mt19937& random) {
    switch (content) {
    case Content::random: return static_cast<std::uint8_t>(random() >> 24);
    case Content::gradient: return gradientSample(shape, x, y, c);
    case Content::impulse: return x == shape.width / 2 && y == shape.height / 3 ? 255 : 0;
    case Content::saturated: return ((x / 3 + y / 2 + c) % 2 == 0) != (random() % 16 == 0) ? 255 : 0;
    case Content::checkerboard: return (x + y + c) % 2 == 0 ? 255 : 0;
    }
    return 0;
}

std::uint8_t alphaOf(std::int32_t x, std::int32_t y, std::mt19937& random) {
    switch ((x / 5 + y / 3) % 4) {
    case 0: return 0;
    case 1: return 255;
    case 2: return static_cast<std::uint8_t>(random() % 6);
    default: return static_cast<std::uint8_t>(random() >> 24);
    }
}

}  // namespace

std::string_view contentName(Content content) {
    constexpr std::array<std::string_view, 5> names{"random", "gradient", "impulse", "saturated", "checkerboard"};
    return names[static_cast<std::size_t>(content)];
}

void fillImage(const MutableImageView& image, Content content, std::uint32_t seed) {
    std::mt19937 random(seed);
    const bool hasAlpha = image.shape.format.alpha != AlphaMode::none && !image.shape.format.planar;
    for (std::size_t plane = 0; plane < image.shape.planeCount(); ++plane) {
        const auto& view = image.planes[plane];
        for (std::int32_t y = 0; y < view.shape.height; ++y) {
            auto* sample = reinterpret_cast<std::uint8_t*>(view.row(y));
            for (std::int32_t x = 0; x < view.shape.width; ++x) {
                for (std::int32_t c = 0; c < view.shape.components; ++c) {
                    const bool alpha = hasAlpha && c == view.shape.components - 1;
                    *sample++ = alpha ? alphaOf(x, y, random) : sampleOf(content, view.shape, x, y, c, random);
                }
                if (image.shape.format.alpha != AlphaMode::premultiplied || !hasAlpha) continue;
                for (std::int32_t c = 2; c <= view.shape.components; ++c) sample[-c] = std::min(sample[-c], sample[-1]);
            }
        }
    }
}

GuardedBlock::GuardedBlock(const PortShape& shape)
    : m_shape(shape), m_size(static_cast<std::size_t>(sizeOf(shape).value)) {
    m_bytes.assign(m_size + 2 * guardBytes + 64, guard);
    const auto address = reinterpret_cast<std::uintptr_t>(m_bytes.data() + guardBytes);
    m_begin = guardBytes + (64 - address % 64) % 64;
}

bool GuardedBlock::guardsIntact() const {
    const auto begin = m_bytes.begin() + static_cast<std::ptrdiff_t>(m_begin);
    const auto intact = [](std::byte b) { return b == guard; };
    return std::all_of(m_bytes.begin(), begin, intact) &&
           std::all_of(begin + static_cast<std::ptrdiff_t>(m_size), m_bytes.end(), intact);
}

void GuardedBlock::poison(std::byte value) { std::fill_n(data(), m_size, value); }

Difference difference(const ImageView& actual, const ImageView& expected) {
    Difference result;
    const bool straight = expected.shape.format.alpha == AlphaMode::straight && !expected.shape.format.planar;
    for (std::size_t plane = 0; plane < expected.shape.planeCount(); ++plane) {
        const PlaneShape& shape = expected.planes[plane].shape;
        const std::int32_t last = shape.components - 1;
        for (std::int32_t y = 0; y < shape.height; ++y) {
            const auto* a = reinterpret_cast<const std::uint8_t*>(actual.planes[plane].row(y));
            const auto* b = reinterpret_cast<const std::uint8_t*>(expected.planes[plane].row(y));
            for (std::int32_t x = 0; x < shape.width; ++x, a += shape.components, b += shape.components) {
                const bool hidden = straight && (a[last] == 0 || b[last] == 0);
                for (std::int32_t c = hidden ? last : 0; c <= last; ++c) {
                    const int off = std::abs(a[c] - b[c]);
                    if (off <= result.largest) continue;
                    result.largest = off;
                    result.where = "plane " + std::to_string(plane) + ", x " + std::to_string(x) + ", y " +
                                   std::to_string(y) + ", component " + std::to_string(c) + ": " +
                                   std::to_string(a[c]) + " instead of " + std::to_string(b[c]);
                }
            }
        }
    }
    return result;
}

std::string shapeText(const ImageShape& shape) {
    return std::to_string(shape.width) + "x" + std::to_string(shape.height) + " " + formatName(shape.format);
}

}  // namespace lanewright::test
