// SPDX-License-Identifier: GPL-3.0-or-later
// PNG files of every kind, damaged ones included, and what the encoder writes.
#include "tests/kernels/pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace lanewright {
namespace {

using namespace lanewright::test;

const ImageShape smallRgb{53, 37, rgb8};

int channelsOf(int colourType) { return colourType == 2 ? 3 : colourType == 4 ? 2 : colourType == 6 ? 4 : 1; }

/// What the pixel rules say of one pixel of a PNG, from its samples.
std::array<std::uint8_t, 4> expectedPixel(const PngOptions& options, const std::uint16_t* samples) {
    const double maximum = (1 << options.bitDepth) - 1;
    const auto byte = [&](std::uint16_t sample) { return static_cast<std::uint8_t>(sample * 255 / maximum + 0.5); };
    const auto& clear = options.transparency;
    if (options.colourType == 3) {
        const std::size_t i = samples[0];
        const auto alpha = i < clear.size() ? static_cast<std::uint8_t>(clear[i]) : std::uint8_t{255};
        return {options.palette[3 * i], options.palette[3 * i + 1], options.palette[3 * i + 2], alpha};
    }
    const bool gray = options.colourType == 0 || options.colourType == 4;
    const int colours = gray ? 1 : 3;
    std::uint8_t alpha = 255;
    if (channelsOf(options.colourType) > colours) alpha = byte(samples[colours]);
    if (!clear.empty() && std::equal(clear.begin(), clear.end(), samples)) alpha = 0;
    return {byte(samples[0]), byte(samples[gray ? 0 : 1]), byte(samples[gray ? 0 : 2]), alpha};
}

void checkPng(std::int32_t width, std::int32_t height, const PngOptions& options) {
    const int channels = channelsOf(options.colourType);
    Random random(static_cast<std::uint32_t>(width * 31 + height));
    std::vector<std::uint16_t> samples(static_cast<std::size_t>(width * height * channels));
    const std::size_t values =
        options.colourType == 3 ? options.palette.size() / 3 : std::size_t{1} << options.bitDepth;
    for (auto& sample : samples) sample = static_cast<std::uint16_t>(random.below(values));
    // The transparent colour must occur.
    if (options.colourType != 3) std::copy(options.transparency.begin(), options.transparency.end(), samples.begin());

    const Frame frame = decodedFrame(pngFile(width, height, options, samples));
    const bool gray = options.colourType == 0 && options.transparency.empty();
    const bool alpha = options.colourType >= 4 || !options.transparency.empty();
    ASSERT_EQ(frame.shape, (ImageShape{width, height, gray ? gray8 : alpha ? rgba8 : rgb8}));
    for (std::int32_t y = 0; y < height; ++y) {
        for (std::int32_t x = 0; x < width; ++x) {
            const auto expected =
                expectedPixel(options, &samples[static_cast<std::size_t>((y * width + x) * channels)]);
            for (std::int32_t c = 0; c < frame.shape.format.components(); ++c) {
                ASSERT_EQ(frame.at(x, y, c), expected[static_cast<std::size_t>(c)])
                    << x << "," << y << " component " << c;
            }
        }
    }
}

TEST(Png, EveryKindDecodes) {
    struct Kind {
        std::uint8_t colourType;
        std::vector<std::uint8_t> bitDepths;
        std::size_t transparentSamples;
    };
    const std::array kinds = {Kind{0, {1, 2, 4, 8, 16}, 1}, Kind{2, {8, 16}, 3}, Kind{3, {1, 2, 4, 8}, 1},
                              Kind{4, {8, 16}, 0}, Kind{6, {8, 16}, 0}};
    for (const Kind& kind : kinds) {
        for (const std::uint8_t bitDepth : kind.bitDepths) {
            for (const bool interlaced : {false, true}) {
                for (std::size_t transparent = 0; transparent <= kind.transparentSamples;
                     transparent += kind.transparentSamples) {
                    PngOptions options;
                    options.colourType = kind.colourType;
                    options.bitDepth = bitDepth;
                    options.interlaced = interlaced;
                    if (kind.colourType == 3) {
                        for (int i = 0; i < 3 * std::min(1 << bitDepth, 200); ++i) {
                            options.palette.push_back(static_cast<std::uint8_t>(i * 37));
                        }
                    }
                    for (std::size_t i = 0; i < transparent; ++i)
                        options.transparency.push_back(static_cast<std::uint16_t>(i + 1));
                    for (const auto& [width, height] : {std::pair{1, 1}, {1, 9}, {9, 1}, {5, 7}, {33, 17}}) {
                        SCOPED_TRACE("type " + std::to_string(kind.colourType) + ", " + std::to_string(bitDepth) +
                                     " bits" + (interlaced ? ", interlaced" : "") +
                                     (transparent ? ", transparent" : "") + ", " + std::to_string(width) + "x" +
                                     std::to_string(height));
                        checkPng(width, height, options);
                        if (testing::Test::HasFatalFailure()) return;
                    }
                    if (kind.transparentSamples == 0) break;
                }
            }
        }
    }
}

TEST(Png, SixteenBitsAreRounded) {
    std::vector<std::uint16_t> samples(65536);
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::uint16_t>(i);
    PngOptions options;
    options.bitDepth = 16;
    const Frame frame = decodedFrame(pngFile(256, 256, options, samples));
    ASSERT_FALSE(frame.block.empty());
    for (std::int32_t v = 0; v < 65536; ++v) ASSERT_EQ(frame.at(v % 256, v / 256, 0), (v * 255 + 32767) / 65535) << v;
}

TEST(Png, RoundTripsAreExact) {
    for (const PixelFormat& format : {gray8, rgb8, rgba8}) {
        for (const auto& [width, height] : {std::pair{1, 1}, {1, 9}, {17, 1}, {53, 37}, {300, 200}}) {
            for (const int level : {0, 1, 6, 9}) {
                const Frame frame = pictureFrame({width, height, format});
                const auto file = encodedFile(*findCodec("png"), frame, {.compressionLevel = level});
                ASSERT_EQ(largestDifference(decodedFrame(file), frame), 0) << formatName(format) << " level " << level;
            }
        }
    }
}

TEST(Png, TheBoundHoldsForNoise) {
    Random random(3);
    for (const PixelFormat& format : {gray8, rgb8, rgba8}) {
        for (const auto& [width, height] :
             {std::pair{1, 1}, {1, 300}, {300, 1}, {7, 5}, {90, 70}, {300, 200}, {1000, 700}}) {
            for (const int level : {0, 1, 6, 9}) {
                Frame frame = emptyFrame({width, height, format});
                for (auto& sample : frame.block) sample = static_cast<std::byte>(random.next());
                EXPECT_FALSE(encodedFile(*findCodec("png"), frame, {.compressionLevel = level}).empty())
                    << width << "x" << height << " " << formatName(format) << " level " << level;
            }
        }
    }
}

TEST(Png, TruncationIsFoundWhereverItIs) {
    const Frame frame = pictureFrame(smallRgb);
    const auto file = encodedFile(*findCodec("png"), frame);
    constexpr std::size_t lastCheckSum = 4;  // of an empty chunk: nobody misses it
    for (std::size_t n = 8; n < file.size() - lastCheckSum; ++n) {
        for (const auto policy : {DamagePolicy::fail, DamagePolicy::keep}) {
            const auto status = tryDecode(std::span(file).first(n), frame.shape, policy);
            ASSERT_FALSE(status.ok()) << n << " of " << file.size();
            ASSERT_EQ(errorOf(status), "image.truncated") << n << " of " << file.size();
        }
    }
}

TEST(Png, AFlippedBitInThePixelsIsFound) {
    const Frame frame = pictureFrame(smallRgb);
    auto file = encodedFile(*findCodec("png"), frame);
    file[file.size() / 2] ^= std::byte{4};
    EXPECT_EQ(errorOf(tryDecode(file, frame.shape)), "image.damaged");
}

}  // namespace
}  // namespace lanewright
