// SPDX-License-Identifier: GPL-3.0-or-later
// JPEG files of every kind, damaged ones included, and what the encoder writes.
#include "tests/kernels/pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace lanewright {
namespace {

using namespace lanewright::test;

const ImageShape smallRgb{53, 37, rgb8};

TEST(Jpeg, RoundTripsAreClose) {
    for (const auto subsampling : {ChromaSubsampling::s420, ChromaSubsampling::s422, ChromaSubsampling::none}) {
        for (const PixelFormat& format : {gray8, rgb8}) {
            for (const auto& [width, height] : {std::pair{1, 1}, {1, 9}, {17, 1}, {16, 16}, {53, 37}}) {
                Frame frame = emptyFrame({width, height, format});  // flat: survives subsampling
                const auto file = encodedFile(*findCodec("jpeg"), frame, {.quality = 95, .subsampling = subsampling});
                EXPECT_LE(largestDifference(decodedFrame(file), frame), 3) << width << "x" << height;
            }
        }
    }
    const Frame gray = pictureFrame({53, 37, gray8});
    EXPECT_LE(largestDifference(decodedFrame(encodedFile(*findCodec("jpeg"), gray, {.quality = 100})), gray), 4);
}

TEST(Jpeg, QualityAndSubsamplingChangeTheSize) {
    const Frame frame = pictureFrame({200, 150, rgb8});
    const auto size = [&](EncodeSettings settings) { return encodedFile(*findCodec("jpeg"), frame, settings).size(); };
    const auto s422 = ChromaSubsampling::s422;
    EXPECT_LT(size({.quality = 50}), size({.quality = 85}));
    EXPECT_LT(size({.quality = 85}), size({.quality = 100}));
    EXPECT_LT(size({.quality = 85}), size({.quality = 85, .subsampling = s422}));
    EXPECT_LT(size({.quality = 85, .subsampling = s422}),
              size({.quality = 85, .subsampling = ChromaSubsampling::none}));
}

TEST(Jpeg, ProgressiveRestartAndRgbCodingDecode) {
    const Frame frame = pictureFrame({150, 100, rgb8});
    JpegOptions plain;
    const Frame expected = decodedFrame(jpegFile(frame, plain));
    ASSERT_FALSE(expected.block.empty());
    JpegOptions progressive;
    progressive.progressive = true;
    EXPECT_EQ(largestDifference(decodedFrame(jpegFile(frame, progressive)), expected), 0);
    JpegOptions restarts;
    restarts.restartRows = 1;
    EXPECT_EQ(largestDifference(decodedFrame(jpegFile(frame, restarts)), expected), 0);
    JpegOptions rgbCoding;
    rgbCoding.rgbCoding = true;
    rgbCoding.quality = 100;
    EXPECT_LE(largestDifference(decodedFrame(jpegFile(frame, rgbCoding)), frame), 4);
}

TEST(Jpeg, InksBecomeLight) {
    Frame inks = emptyFrame({16, 16, rgba8});
    Frame expected = emptyFrame({16, 16, rgb8});
    const std::array<std::uint8_t, 4> ink = {200, 100, 50, 40};
    for (std::int32_t y = 0; y < 16; ++y) {
        for (std::size_t x = 0; x < 16; ++x) {
            for (std::size_t c = 0; c < 4; ++c) inks.mutableView().planes[0].row(y)[4 * x + c] = std::byte{ink[c]};
            for (std::size_t c = 0; c < 3; ++c) {
                const int light = (255 - ink[c]) * (255 - ink[3]) / 255;
                expected.mutableView().planes[0].row(y)[3 * x + c] = static_cast<std::byte>(light);
            }
        }
    }
    JpegOptions options;
    options.inks = true;
    options.quality = 100;
    EXPECT_LE(largestDifference(decodedFrame(jpegFile(inks, options)), expected), 2);
    for (auto& sample : inks.block) sample = ~sample;  // Adobe's files store light
    options.adobeMarker = true;
    EXPECT_LE(largestDifference(decodedFrame(jpegFile(inks, options)), expected), 3);
}

TEST(Jpeg, DamageFailsOrIsKeptWithAWarning) {
    const Frame frame = pictureFrame({150, 100, rgb8});
    for (const bool progressive : {false, true}) {
        JpegOptions options;
        options.progressive = progressive;
        options.restartRows = 1;
        auto file = jpegFile(frame, options);
        const auto head = std::span(file).first(file.size() / 2);
        EXPECT_EQ(errorOf(tryDecode(head, frame.shape)), "image.truncated");
        std::vector<Message> warnings;
        EXPECT_EQ(errorOf(tryDecode(head, frame.shape, DamagePolicy::keep, &warnings)), "");
        ASSERT_EQ(warnings.size(), 1u);
        EXPECT_EQ(warnings[0].id, "image.truncated");

        const auto endOfImage = bytesOf({0xFF, 0xD9});
        std::copy(endOfImage.begin(), endOfImage.end(), file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2));
        EXPECT_EQ(errorOf(tryDecode(file, frame.shape)), "image.damaged");
        warnings.clear();
        EXPECT_EQ(errorOf(tryDecode(file, frame.shape, DamagePolicy::keep, &warnings)), "");
        ASSERT_EQ(warnings.size(), 1u);
        EXPECT_EQ(warnings[0].id, "image.damaged");
        EXPECT_NE(warnings[0].argument("detail"), "");
    }
}

TEST(Jpeg, TruncationIsFoundWhereverItIs) {
    const Frame frame = pictureFrame(smallRgb);
    const auto file = encodedFile(*findCodec("jpeg"), frame);
    ASSERT_TRUE(tryDecode(file, frame.shape).ok());
    for (std::size_t n = 3; n < file.size(); ++n) {
        ASSERT_EQ(errorOf(tryDecode(std::span(file).first(n), frame.shape)), "image.truncated")
            << n << " of " << file.size();
    }
}

TEST(Jpeg, PaddingAndUntidyHeadersAreNoDamage) {
    const Frame frame = pictureFrame(smallRgb);
    const auto file = encodedFile(*findCodec("jpeg"), frame);
    const auto with = [&](std::size_t at, std::size_t count) {
        auto changed = file;
        changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at), count, std::byte{0x11});
        return changed;
    };
    EXPECT_EQ(largestDifference(decodedFrame(with(20, 3)), decodedFrame(file)), 0);  // after the first marker
    EXPECT_EQ(largestDifference(decodedFrame(with(file.size() - 2, 4)), decodedFrame(file)), 0);  // before the last
    EXPECT_EQ(largestDifference(decodedFrame(with(file.size(), 500)), decodedFrame(file)), 0);    // after it
    EXPECT_EQ(errorOf(tryDecode(with(file.size() - 2, 100), frame.shape)), "image.damaged");
}

}  // namespace
}  // namespace lanewright
