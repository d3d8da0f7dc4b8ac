// SPDX-License-Identifier: GPL-3.0-or-later
// What a probe reads from the head of a file: shape, metadata, limits, and when it needs more.
#include "tests/kernels/pictures.h"

#include <gtest/gtest.h>

#include <array>

namespace lanewright {
namespace {

using namespace lanewright::test;

const ImageShape smallRgb{53, 37, rgb8};

TEST(Probe, EmptyUnknownAndShortFiles) {
    EXPECT_EQ(probeImage({}, ByteCount(0)).error().id, "image.empty");
    const auto text = bytesOf({'h', 'e', 'l', 'l', 'o', ' ', 'w', 'o', 'r', 'l', 'd', ' ', 't', 'h', 'i', 's', '.'});
    EXPECT_EQ(probeWhole(text).error().id, "image.unknownFormat");
    EXPECT_EQ(probeImage(std::span(text).first(3), ByteCount(text.size())).error().id, "image.incompleteHeader");
    EXPECT_EQ(probeWhole(bytesOf({'h', 'i'})).error().id, "image.unknownFormat");
    EXPECT_EQ(probeWhole(bytesOf({0xFF, 0xD8, 0xFF})).error().id, "image.truncated");
}

TEST(Probe, ShapesOfWhatTheEncodersWrite) {
    for (const Codec* codec : codecs()) {
        for (const PixelFormat& format : codec->encodedFormats) {
            const ImageShape shape{53, 37, format};
            const auto file = encodedFile(*codec, pictureFrame(shape));
            const auto probed = probeWhole(file);
            ASSERT_TRUE(probed.ok()) << codec->name;
            EXPECT_EQ(probed->codec, codec->name);
            EXPECT_EQ(probed->shape, shape) << codec->name << " " << formatName(format);
            EXPECT_EQ(probed->fileBytes.value, file.size());
            EXPECT_EQ(probed->meta, nullptr);
            EXPECT_EQ(findCodec(probed->codec), codec);
        }
    }
}

TEST(Probe, EveryPrefixAsksForMoreUntilTheHeaderIsThere) {
    JpegOptions jpeg;
    jpeg.exif = exifBlock(true, 8);
    jpeg.icc.assign(70000, std::byte{7});  // two markers
    PngOptions png;
    png.colourType = 3;
    png.palette = {1, 2, 3, 4, 5, 6};
    png.transparency = {9};
    png.exif = exifBlock(false, 3);
    const std::array files = {jpegFile(pictureFrame(smallRgb), jpeg),
                              pngFile(8, 8, png, std::vector<std::uint16_t>(64, 1))};
    for (const auto& file : files) {
        const auto whole = probeWhole(file);
        ASSERT_TRUE(whole.ok());
        bool complete = false;
        for (std::size_t n = 1; n < file.size(); n += n < 2000 || file.size() - n < 3000 ? 1 : 997) {
            const auto probed = probeImage(std::span(file).first(n), ByteCount(file.size()));
            if (!probed) {
                ASSERT_FALSE(complete) << "a longer head knows less, " << n;
                ASSERT_EQ(probed.error().id, "image.incompleteHeader") << n;
                continue;
            }
            complete = true;
            ASSERT_EQ(probed->shape, whole->shape) << n;
            ASSERT_EQ(probed->meta->icc, whole->meta->icc) << n;
            ASSERT_EQ(probed->meta->exif, whole->meta->exif) << n;
        }
        EXPECT_TRUE(complete);
    }
}

TEST(Probe, MetadataIsKept) {
    for (std::uint16_t orientation = 0; orientation < 10; ++orientation) {
        for (const bool bigEndian : {false, true}) {
            JpegOptions jpeg;
            jpeg.exif = exifBlock(bigEndian, orientation);
            jpeg.icc = bytesOf({1, 2, 3, 4, 5});
            const auto probed = probeWhole(jpegFile(pictureFrame(smallRgb), jpeg));
            ASSERT_TRUE(probed.ok());
            ASSERT_NE(probed->meta, nullptr);
            const int expected = orientation >= 1 && orientation <= 8 ? orientation : 1;
            EXPECT_EQ(probed->meta->orientation, expected);
            EXPECT_EQ(probed->meta->exif, jpeg.exif);
            EXPECT_EQ(probed->meta->icc, jpeg.icc);
        }
    }
    PngOptions png;
    png.exif = exifBlock(true, 6);
    png.icc = bytesOf({9, 8, 7});
    const auto probed = probeWhole(pngFile(2, 2, png, {1, 2, 3, 4}));
    ASSERT_TRUE(probed.ok());
    ASSERT_NE(probed->meta, nullptr);
    EXPECT_EQ(probed->meta->orientation, 6);
    EXPECT_EQ(probed->meta->exif, png.exif);
    EXPECT_EQ(probed->meta->icc, png.icc);
}

TEST(Probe, ExifThatLiesAboutItsOffsetsIsHarmless) {
    JpegOptions jpeg;
    jpeg.exif = exifBlock(false, 6);
    const auto whole = jpeg.exif;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        jpeg.exif = whole;
        jpeg.exif[i] = std::byte{0xFF};
        const auto probed = probeWhole(jpegFile(pictureFrame(smallRgb), jpeg));
        ASSERT_TRUE(probed.ok());
        EXPECT_GE(probed->meta->orientation, 1);
        EXPECT_LE(probed->meta->orientation, 8);
    }
}

/// Offset of the frame header's marker (SOF0 or SOF2) in a JPEG.
std::size_t frameHeader(const std::vector<std::byte>& file) {
    for (std::size_t i = 2; i + 1 < file.size(); ++i) {
        const bool found =
            file[i] == std::byte{0xFF} && (file[i + 1] == std::byte{0xC0} || file[i + 1] == std::byte{0xC2});
        if (found) return i;
    }
    return 0;
}

TEST(Probe, WhatCannotBeDecodedIsSaid) {
    auto file = encodedFile(*findCodec("jpeg"), pictureFrame(smallRgb));
    const std::size_t frame = frameHeader(file);
    ASSERT_GT(frame, 0u);
    auto twelveBits = file;
    twelveBits[frame + 4] = std::byte{12};
    EXPECT_EQ(probeWhole(twelveBits).error(),
              (Message{"image.unsupported", {{"detail", "JPEG with 12 bits per sample"}}}));
    auto lossless = file;
    lossless[frame + 1] = std::byte{0xC3};
    EXPECT_EQ(probeWhole(lossless).error().id, "image.unsupported");
}

TEST(Probe, ExcessiveSizesAreRefused) {
    auto jpeg = encodedFile(*findCodec("jpeg"), pictureFrame(smallRgb));
    const std::size_t frame = frameHeader(jpeg);
    const auto setJpegSize = [&](int width, int height) {
        jpeg[frame + 5] = static_cast<std::byte>(height >> 8), jpeg[frame + 6] = static_cast<std::byte>(height);
        jpeg[frame + 7] = static_cast<std::byte>(width >> 8), jpeg[frame + 8] = static_cast<std::byte>(width);
        return probeWhole(jpeg);
    };
    EXPECT_TRUE(setJpegSize(32768, 32768).ok());
    EXPECT_EQ(setJpegSize(32768, 32769).error().id, "image.tooLarge");
    EXPECT_EQ(setJpegSize(65535, 8).error().id, "image.tooLarge");
    EXPECT_EQ(setJpegSize(65535, 8).error().argument("width"), "65535");
    EXPECT_EQ(setJpegSize(0, 8).error().id, "image.damaged");
    PngOptions options;
    const auto flat = [&](int width, int height) {
        return probeWhole(pngFile(width, height, options, std::vector<std::uint16_t>(std::size_t(width * height))));
    };
    EXPECT_TRUE(flat(65535, 1).ok());
    EXPECT_EQ(flat(65536, 1).error().id, "image.tooLarge");
}

TEST(Probe, ProgressiveFilesTellTheMemoryTheyTake) {
    JpegOptions options;
    const Frame frame = pictureFrame({640, 480, rgb8});
    const auto baseline = probeWhole(jpegFile(frame, options));
    options.progressive = true;
    const auto progressive = probeWhole(jpegFile(frame, options));
    ASSERT_TRUE(baseline.ok() && progressive.ok());
    // 4:2:0: one and a half coefficients of two bytes a pixel.
    EXPECT_EQ(progressive->decoderBytes.value - baseline->decoderBytes.value, 640u * 480u * 3u);
}

}  // namespace
}  // namespace lanewright
