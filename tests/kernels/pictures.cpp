// SPDX-License-Identifier: GPL-3.0-or-later
// Frames for tests of codecs.
#include "tests/kernels/pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace lanewright::test {
namespace {

template <class SampleOf>
Frame filledFrame(const ImageShape& shape, SampleOf&& sampleOf) {
    Frame frame = emptyFrame(shape);
    const MutablePlaneView plane = frame.mutableView().planes[0];
    const std::int32_t components = plane.shape.components;
    for (std::int32_t y = 0; y < shape.height; ++y) {
        for (std::int32_t i = 0; i < shape.width * components; ++i) {
            plane.row(y)[i] = static_cast<std::byte>(sampleOf(i / components, y, i % components));
        }
    }
    return frame;
}

}  // namespace

std::uint8_t Frame::at(std::int32_t x, std::int32_t y, std::int32_t component) const {
    const PlaneView plane = view().planes[0];
    return std::to_integer<std::uint8_t>(plane.row(y)[x * plane.shape.components + component]);
}

Frame emptyFrame(const ImageShape& shape) {
    return {shape, std::vector<std::byte>(sizeOf(shape).value, std::byte{0xA5})};
}

Frame pictureFrame(const ImageShape& shape, std::uint32_t seed) {
    Random random(seed);
    const double phase = random.below(100);
    return filledFrame(shape, [&](std::int32_t x, std::int32_t y, std::int32_t component) {
        if (component == 3) return static_cast<int>((x * 7 + y * 13) % 256);
        const double wave = std::sin(0.07 * x + phase + component) + std::cos(0.05 * y - component);
        const int edge = (x / 16 + y / 16) % 2 == 0 ? 25 : 0;
        const int noise = static_cast<int>(random.below(9)) - 4;
        return std::clamp(static_cast<int>(110 + 50 * wave) + edge + noise, 0, 255);
    });
}

Frame noiseFrame(const ImageShape& shape, std::uint32_t seed) {
    Random random(seed);
    return filledFrame(shape, [&](std::int32_t, std::int32_t, std::int32_t) { return random.next() & 256 ? 255 : 0; });
}

int largestDifference(const Frame& a, const Frame& b) {
    if (a.shape != b.shape) return 256;
    int largest = 0;
    for (std::int32_t y = 0; y < a.shape.height; ++y) {
        for (std::int32_t x = 0; x < a.shape.width; ++x) {
            for (std::int32_t c = 0; c < a.shape.format.components(); ++c) {
                largest = std::max(largest, std::abs(a.at(x, y, c) - b.at(x, y, c)));
            }
        }
    }
    return largest;
}

std::vector<std::byte> encodedFile(const Codec& codec, const Frame& frame, const EncodeSettings& settings) {
    std::vector<std::byte> room(codec.encodedBound(frame.shape, settings).value);
    auto encoder = codec.openEncoder(frame.shape, settings, room);
    if (!encoder || !(*encoder)->writeRows(frame.view(), {0, frame.shape.height})) return {};
    const auto size = (*encoder)->finish();
    room.resize(size ? *size : 0);
    return room;
}

Frame decodedFrame(std::span<const std::byte> file, DamagePolicy policy) {
    const auto probed = probeWhole(file);
    if (!probed) return {};
    Frame frame = emptyFrame(probed->shape);
    return decodeImage(file, policy, frame.mutableView()) ? frame : Frame{};
}

Result<ProbedImage> probeWhole(std::span<const std::byte> file) { return probeImage(file, ByteCount(file.size())); }

Status tryDecode(std::span<const std::byte> file, const ImageShape& shape, DamagePolicy policy,
                 std::vector<Message>* warnings) {
    Frame frame = emptyFrame(shape);
    return decodeImage(file, policy, frame.mutableView(), warnings);
}

std::string errorOf(const Status& status) { return status.ok() ? "" : status.error().id; }

std::vector<std::byte> bytesOf(std::initializer_list<int> values) {
    std::vector<std::byte> result;
    for (const int value : values) result.push_back(static_cast<std::byte>(value));
    return result;
}

std::vector<std::byte> exifBlock(bool bigEndian, std::uint16_t orientation) {
    std::vector<std::byte> block;
    const auto put = [&](std::uint32_t value, int count) {
        for (int i = 0; i < count; ++i) {
            block.push_back(static_cast<std::byte>(value >> 8 * (bigEndian ? count - 1 - i : i)));
        }
    };
    for (int i = 0; i < 2; ++i) block.push_back(static_cast<std::byte>(bigEndian ? 'M' : 'I'));
    put(42, 2);
    put(8, 4);                                                  // the directory follows
    put(2, 2);                                                  // entries
    put(0x010F, 2), put(2, 2), put(4, 4), put(0, 4);            // maker, an empty text
    put(0x0112, 2), put(3, 2), put(1, 4), put(orientation, 2);  // orientation
    put(0, 2), put(0, 4);
    return block;
}

}  // namespace lanewright::test
