// SPDX-License-Identifier: GPL-3.0-or-later
// Conversions between pixel formats: the rules on single pixels, and the SIMD kernel against the reference.
#include "kernels/catalog.h"
#include "tests/kernels/pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace lanewright {
namespace {

using namespace lanewright::test;

constexpr std::array formats = {gray8, rgb8, rgba8};

const StageKind& converter() {
    static const Catalog catalog = makeCatalog();
    return *catalog.converter();
}

Parameters parametersFor(const std::string& format) {
    Parameters parameters(converter().description().parameters);
    parameters.set(*findParameter(converter().description().parameters, "format"), format);
    return parameters;
}

Frame converted(const Frame& frame, const PixelFormat& to, bool reference, std::int32_t rows = 1 << 16) {
    const Parameters parameters = parametersFor(formatName(to));
    const std::vector<PortShape> inputs = {frame.shape};
    const auto outputs = converter().outputShapes({parameters, inputs, {}, nullptr}).value();
    const OperationCall call{parameters, inputs, outputs, nullptr};
    Frame out = emptyFrame(std::get<ImageShape>(outputs[0]));
    const PortView input = frame.view();
    const MutablePortView output = out.mutableView();
    if (reference) {
        EXPECT_TRUE(converter().reference(call, std::span(&input, 1), std::span(&output, 1)).ok());
        return out;
    }
    const CpuKernel& kernel = *converter().cpuKernel();
    auto state = kernel.begin(call);
    EXPECT_TRUE(state.ok());
    for (std::int32_t y = 0; y < frame.shape.height; y += rows) {
        const RowRange range{y, std::min(frame.shape.height, y + rows)};
        EXPECT_EQ(kernel.rowsNeeded(**state, 0, range), range);
        EXPECT_TRUE(kernel.run(**state, std::span(&input, 1), std::span(&output, 1), range).ok());
    }
    return out;
}

std::vector<int> convertedPixel(std::vector<int> samples, const PixelFormat& to, bool reference) {
    Frame frame = emptyFrame({1, 1, formats[samples.size() == 1 ? 0 : samples.size() - 2]});
    for (std::size_t i = 0; i < samples.size(); ++i) frame.block[i] = static_cast<std::byte>(samples[i]);
    const Frame out = converted(frame, to, reference);
    std::vector<int> result;
    for (std::int32_t c = 0; c < to.components(); ++c) result.push_back(out.at(0, 0, c));
    return result;
}

TEST(Convert, RulesOnSinglePixels) {
    using Pixel = std::vector<int>;
    for (const bool reference : {true, false}) {
        EXPECT_EQ(convertedPixel({77}, rgb8, reference), (Pixel{77, 77, 77}));
        EXPECT_EQ(convertedPixel({77}, rgba8, reference), (Pixel{77, 77, 77, 255}));
        EXPECT_EQ(convertedPixel({1, 2, 3}, rgba8, reference), (Pixel{1, 2, 3, 255}));
        EXPECT_EQ(convertedPixel({255, 0, 0}, gray8, reference), (Pixel{76}));
        EXPECT_EQ(convertedPixel({0, 255, 0}, gray8, reference), (Pixel{150}));
        EXPECT_EQ(convertedPixel({0, 0, 255}, gray8, reference), (Pixel{29}));
        EXPECT_EQ(convertedPixel({255, 255, 255}, gray8, reference), (Pixel{255}));
        EXPECT_EQ(convertedPixel({10, 20, 30, 255}, rgb8, reference), (Pixel{10, 20, 30}));
        EXPECT_EQ(convertedPixel({0, 0, 0, 128}, rgb8, reference), (Pixel{127, 127, 127}));
        EXPECT_EQ(convertedPixel({0, 0, 0, 51}, gray8, reference), (Pixel{204}));
        // Colour under full transparency never shows.
        EXPECT_EQ(convertedPixel({255, 0, 7, 0}, rgb8, reference), (Pixel{255, 255, 255}));
        EXPECT_EQ(convertedPixel({3, 200, 100, 0}, gray8, reference), (Pixel{255}));
        EXPECT_EQ(convertedPixel({3, 200, 100, 0}, rgba8, reference), (Pixel{3, 200, 100, 0}));
    }
}

TEST(Convert, MixingOverWhiteIsRoundedExactly) {
    Frame frame = emptyFrame({256, 256, rgba8});
    for (std::int32_t alpha = 0; alpha < 256; ++alpha) {
        for (std::int32_t sample = 0; sample < 256; ++sample) {
            std::byte* pixel = frame.mutableView().planes[0].row(alpha) + 4 * sample;
            std::fill_n(pixel, 3, static_cast<std::byte>(sample));
            pixel[3] = static_cast<std::byte>(alpha);
        }
    }
    const Frame out = converted(frame, rgb8, false);
    for (std::int32_t alpha = 0; alpha < 256; ++alpha) {
        for (std::int32_t sample = 0; sample < 256; ++sample) {
            const double exact = (sample * alpha + 255.0 * (255 - alpha)) / 255;
            ASSERT_EQ(out.at(sample, alpha, 1), std::lround(exact)) << sample << " with alpha " << alpha;
        }
    }
}

TEST(Convert, KernelGivesTheReference) {
    for (const PixelFormat& from : formats) {
        for (const PixelFormat& to : formats) {
            for (const auto& [width, height] :
                 {std::pair{1, 1}, {1, 9}, {7, 5}, {15, 3}, {16, 2}, {97, 31}, {4097, 2}}) {
                for (const auto& frame : {pictureFrame({width, height, from}), noiseFrame({width, height, from})}) {
                    const Frame expected = converted(frame, to, true);
                    for (const std::int32_t rows : {1, 4, 1 << 16}) {
                        // Bit for bit, the padding behind the rows included: nothing is written there.
                        EXPECT_EQ(converted(frame, to, false, rows).block, expected.block)
                            << formatName(from) << " to " << formatName(to) << ", " << width << "x" << height;
                    }
                }
            }
        }
    }
}

TEST(Convert, LumaIsThatOfLibjpegOverAllColours) {
    Frame frame = emptyFrame({256, 256, rgb8});
    for (std::int32_t red = 0; red < 256; red += 15) {
        for (std::int32_t green = 0; green < 256; ++green) {
            for (std::int32_t blue = 0; blue < 256; ++blue) {
                std::byte* pixel = frame.mutableView().planes[0].row(green) + 3 * blue;
                pixel[0] = static_cast<std::byte>(red);
                pixel[1] = static_cast<std::byte>(green);
                pixel[2] = static_cast<std::byte>(blue);
            }
        }
        const Frame out = converted(frame, gray8, false);
        for (std::int32_t green = 0; green < 256; ++green) {
            for (std::int32_t blue = 0; blue < 256; ++blue) {
                const double exact = 0.299 * red + 0.587 * green + 0.114 * blue;
                ASSERT_NEAR(out.at(blue, green, 0), exact, 0.5 + 0.003) << red << " " << green << " " << blue;
            }
        }
    }
}

TEST(Convert, OtherFormatsAreRefused) {
    const auto errorFor = [](const PixelFormat& from, const std::string& to) {
        const Parameters parameters = parametersFor(to);
        const std::vector<PortShape> inputs = {ImageShape{4, 4, from}};
        const auto shapes = converter().outputShapes({parameters, inputs, {}, nullptr});
        return shapes ? std::string() : shapes.error().id;
    };
    EXPECT_EQ(errorFor(rgb8, formatName(gray8)), "");
    EXPECT_EQ(errorFor(rgb8, "pink 7-bit"), "convert.format");
    EXPECT_EQ(errorFor({SampleType::u16, ColourModel::rgb}, formatName(rgb8)), "convert.format");
    EXPECT_EQ(errorFor({SampleType::u8, ColourModel::rgb, TransferFunction::srgb, AlphaMode::premultiplied},
                       formatName(rgb8)),
              "convert.format");
}

}  // namespace
}  // namespace lanewright
