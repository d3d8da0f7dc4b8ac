// SPDX-License-Identifier: GPL-3.0-or-later
// Filter tables, borders, Gaussian and rounded weights against formulas written down a second time, and the sizes that a
// resize gives.
#include "kernels/common/borders.h"
#include "kernels/common/fixed_weights.h"
#include "kernels/common/gaussian.h"
#include "kernels/common/plane_rows.h"
#include "kernels/common/resampling.h"
#include "kernels/resize/geometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace lanewright {
namespace {

AxisGeometry axis(ResampleFilter filter, std::int32_t input, std::int32_t output, bool antialias = true) {
    return {filter, antialias, input, output, 0.0, static_cast<double>(input) / output};
}

double weightAt(const FilterTable& table, std::int32_t output, std::int32_t source) {
    const auto index = static_cast<std::size_t>(output);
    const std::int32_t tap = source - table.first[index];
    return tap < 0 || tap >= table.count[index] ? 0 : table.weightsOf(output)[static_cast<std::size_t>(tap)];
}

class FilterTables : public testing::TestWithParam<std::tuple<ResampleFilter, std::pair<int, int>, bool>> {};

TEST_P(FilterTables, KeepFlatAreasAndStayInside) {
    const auto [filter, sizes, antialias] = GetParam();
    const FilterTable table = makeFilterTable(axis(filter, sizes.first, sizes.second, antialias));
    ASSERT_EQ(table.outputs(), sizes.second);
    ASSERT_EQ(table.weights.size(), table.first.size() * static_cast<std::size_t>(table.taps));
    for (std::int32_t i = 0; i < table.outputs(); ++i) {
        const auto weights = table.weightsOf(i);
        EXPECT_GE(table.first[static_cast<std::size_t>(i)], 0);
        EXPECT_LE(table.end(i), sizes.first);
        ASSERT_GE(weights.size(), 1U);
        EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-12) << "output " << i;
        EXPECT_NE(weights.front(), 0);
        EXPECT_NE(weights.back(), 0);
        double positive = 0;
        for (const double w : weights) positive += std::max(w, 0.0);
        EXPECT_LE(positive, 1.3) << "fixed_weights.h counts on it; output " << i;
    }
}

TEST_P(FilterTables, AreMirrored) {
    const auto [filter, sizes, antialias] = GetParam();
    // A centre on the boundary of two samples has no mirror image.
    if (filter == ResampleFilter::nearest) return;
    const FilterTable table = makeFilterTable(axis(filter, sizes.first, sizes.second, antialias));
    for (std::int32_t i = 0; i < table.outputs(); ++i) {
        for (std::int32_t k = 0; k < sizes.first; ++k) {
            const double mirrored = weightAt(table, table.outputs() - 1 - i, sizes.first - 1 - k);
            EXPECT_NEAR(weightAt(table, i, k), mirrored, 1e-9) << "output " << i << ", source " << k;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, FilterTables,
    testing::Combine(testing::Values(ResampleFilter::nearest, ResampleFilter::bilinear, ResampleFilter::bicubic,
                                     ResampleFilter::lanczos3, ResampleFilter::area),
                     testing::Values(std::pair{1, 1}, std::pair{1, 7}, std::pair{7, 1}, std::pair{2, 3},
                                     std::pair{5, 5}, std::pair{13, 4}, std::pair{4, 13}, std::pair{127, 61},
                                     std::pair{61, 127}, std::pair{1000, 3}, std::pair{3, 500}),
                     testing::Bool()));

TEST(FilterTable, BilinearHalvesByWidenedTriangle) {
    // Centres at 1, 3, ...; the triangle reaches 2 to both sides: 1/8 3/8 3/8 1/8, as Pillow.
    const FilterTable table = makeFilterTable(axis(ResampleFilter::bilinear, 8, 4));
    EXPECT_DOUBLE_EQ(weightAt(table, 1, 1), 0.125);
    EXPECT_DOUBLE_EQ(weightAt(table, 1, 2), 0.375);
    EXPECT_DOUBLE_EQ(weightAt(table, 1, 3), 0.375);
    EXPECT_DOUBLE_EQ(weightAt(table, 1, 4), 0.125);
    // At the edge one tap is beyond the image: the rest is renormalised.
    EXPECT_DOUBLE_EQ(weightAt(table, 0, 0), 3.0 / 7);
    EXPECT_DOUBLE_EQ(weightAt(table, 0, 2), 1.0 / 7);
}

TEST(FilterTable, BicubicIsCatmullRom) {
    const FilterTable table = makeFilterTable(axis(ResampleFilter::bicubic, 8, 16));
    // Output 8 has its centre at 4.25: a quarter of a sample in front of that of sample 4, at 4.5.
    EXPECT_NEAR(weightAt(table, 8, 4), 0.8671875, 1e-12);
    EXPECT_NEAR(weightAt(table, 8, 3), 0.2265625, 1e-12);
    EXPECT_NEAR(weightAt(table, 8, 5), -0.0703125, 1e-12);
    EXPECT_NEAR(weightAt(table, 8, 2), -0.0234375, 1e-12);
}

TEST(FilterTable, LanczosWeighsAsItsFormula) {
    const FilterTable table = makeFilterTable(axis(ResampleFilter::lanczos3, 400, 100));
    const auto formula = [](double x) {
        const double p = std::acos(-1.0) * x;
        return x == 0 ? 1.0 : 3 * std::sin(p) * std::sin(p / 3) / (p * p);
    };
    double sum = 0;
    for (int k = 0; k < 24; ++k) sum += formula((k + 0.5 - 12) / 4);
    for (int k = 0; k < 24; ++k) {
        EXPECT_NEAR(weightAt(table, 50, 190 + k), formula((k + 0.5 - 12) / 4) / sum, 1e-12) << k;
    }
    EXPECT_EQ(table.count[50], 24);
}

TEST(FilterTable, WithoutAntialiasOnlyTheNearestSamplesCount) {
    const FilterTable table = makeFilterTable(axis(ResampleFilter::bilinear, 100, 10, false));
    EXPECT_LE(table.taps, 2);
    EXPECT_DOUBLE_EQ(weightAt(table, 0, 4), 0.5);
    EXPECT_DOUBLE_EQ(weightAt(table, 0, 5), 0.5);
}

TEST(FilterTable, AreaWeighsByCoverage) {
    const FilterTable shrunk = makeFilterTable(axis(ResampleFilter::area, 5, 2));
    EXPECT_DOUBLE_EQ(weightAt(shrunk, 0, 0), 0.4);
    EXPECT_DOUBLE_EQ(weightAt(shrunk, 0, 2), 0.2);
    const FilterTable enlarged = makeFilterTable(axis(ResampleFilter::area, 2, 3));
    EXPECT_DOUBLE_EQ(weightAt(enlarged, 0, 0), 1.0);
    EXPECT_DOUBLE_EQ(weightAt(enlarged, 1, 0), 0.5);
    EXPECT_DOUBLE_EQ(weightAt(enlarged, 1, 1), 0.5);
}

TEST(FilterTable, NearestTakesTheSampleAtTheCentre) {
    const FilterTable table = makeFilterTable(axis(ResampleFilter::nearest, 10, 4));  // centres 1.25 3.75 6.25 8.75
    EXPECT_EQ(table.first, (std::vector<std::int32_t>{1, 3, 6, 8}));
    EXPECT_EQ(table.taps, 1);
}

TEST(FilterTable, EqualSizesCopy) {
    for (const auto filter :
         {ResampleFilter::bilinear, ResampleFilter::bicubic, ResampleFilter::lanczos3, ResampleFilter::area}) {
        const FilterTable table = makeFilterTable(axis(filter, 65, 65));
        EXPECT_EQ(table.taps, 1);
        EXPECT_DOUBLE_EQ(weightAt(table, 64, 64), 1.0);
    }
}

TEST(FilterTable, AWindowMayReadBeyondItself) {
    // The middle half of 100 samples: the outer taps lie outside the window, within the image.
    const AxisGeometry cut{ResampleFilter::lanczos3, true, 100, 50, 25, 1};
    const FilterTable table = makeFilterTable({ResampleFilter::lanczos3, true, 100, 25, 25, 2});
    EXPECT_LT(table.first[0], 25);
    EXPECT_GT(table.end(24), 75);
    EXPECT_EQ(makeFilterTable(cut).first[0], 25);
}

TEST(Borders, StandForSamplesFarOutside) {
    EXPECT_EQ(borderIndex(Border::replicate, -9, 4), 0);
    EXPECT_EQ(borderIndex(Border::replicate, 9, 4), 3);
    const int expected[] = {0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0};
    for (int i = -6; i <= 6; ++i) EXPECT_EQ(borderIndex(Border::reflect, i, 4), expected[i + 6]) << i;
    EXPECT_EQ(borderIndex(Border::reflect, 300, 1), 0);
    EXPECT_EQ(borderIndex(Border::reflect, -299, 2), 1);
}

TEST(Gaussian, ReachesThreeSigma) {
    EXPECT_EQ(gaussianWeights(1.5).size(), 11U);
    EXPECT_EQ(gaussianWeights(100).size(), 601U);
    const auto weights = gaussianWeights(2);
    EXPECT_NEAR(weights[6] / weights[4], std::exp(0.5), 1e-12);
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-12);
}

TEST(FixedWeights, SumExactlyAndErrLittle) {
    for (const double sigma : {0.1, 0.7, 1.5, 20.0, 100.0}) {
        const auto weights = gaussianWeights(sigma);
        const int bits = weightBits(*std::max_element(weights.begin(), weights.end()), 16);
        EXPECT_GE(bits, 14);
        std::vector<std::int16_t> rounded(weights.size());
        const double error = roundWeights(weights, std::int64_t{1} << bits, bits, rounded.data());
        EXPECT_EQ(std::accumulate(rounded.begin(), rounded.end(), 0), 1 << bits);
        for (std::size_t i = 0; i < weights.size(); ++i)
            EXPECT_LT(std::fabs(std::ldexp(weights[i], bits) - rounded[i]), 1);
        EXPECT_LT(error, 0.5);
    }
}

TEST(PlaneRows, DisjointRangesStayDisjoint) {
    const std::int32_t height = 13;
    for (const std::int32_t divisor : {1, 2}) {
        std::vector<int> covered((height + divisor - 1) / divisor);
        for (std::int32_t y = 0; y < height; y += 3) {
            const RowRange rows = planeRows({y, std::min(y + 3, height)}, divisor);
            for (std::int32_t row = rows.begin; row < rows.end; ++row) ++covered[static_cast<std::size_t>(row)];
        }
        EXPECT_EQ(covered, std::vector<int>(covered.size(), 1));
    }
}

struct Fitting {
    resize::Settings settings;
    ImageShape input;
    std::int32_t width;
    std::int32_t height;
};

TEST(ResizeGeometry, GivesTheSizesThatPeopleExpect) {
    using resize::Fit;
    const auto settings = [](std::int32_t w, std::int32_t h, Fit fit, bool enlarge = true) {
        return resize::Settings{.width = w, .height = h, .fit = fit, .enlarge = enlarge};
    };
    const ImageShape photo{4000, 3000, rgb8};
    const ImageShape tall{600, 900, rgb8};
    const std::vector<Fitting> cases{
        {settings(1024, 1024, Fit::longestSide), photo, 1024, 768},
        {settings(1024, 1, Fit::longestSide), tall, 683, 1024},
        {settings(1024, 1024, Fit::longestSide, false), tall, 600, 900},
        {settings(1024, 768, Fit::exact), tall, 1024, 768},
        {settings(1024, 768, Fit::exact, false), tall, 600, 768},
        {settings(1024, 512, Fit::fit), photo, 683, 512},
        {settings(500, 4000, Fit::fit), photo, 500, 375},
        {settings(5000, 5000, Fit::fit, false), photo, 4000, 3000},
        {settings(512, 512, Fit::fill), photo, 512, 512},
        {settings(1200, 100, Fit::fill), tall, 1200, 100},
        {settings(1200, 100, Fit::fill, false), tall, 600, 100},
        {settings(65535, 65535, Fit::longestSide), {65535, 1, gray8}, 65535, 1},
        {settings(100, 100, Fit::longestSide), {65535, 1, gray8}, 100, 1},
    };
    for (const Fitting& c : cases) {
        const auto geometry = resize::geometryOf(c.settings, c.input);
        EXPECT_EQ(geometry.output.width, c.width);
        EXPECT_EQ(geometry.output.height, c.height);
        // The window lies within the source, centred, and covers it whole where nothing is cut.
        for (const AxisGeometry& axis : {geometry.x, geometry.y}) {
            const double window = axis.scale * axis.outputSize;
            EXPECT_GE(axis.begin, 0);
            EXPECT_NEAR(axis.begin + window / 2, axis.inputSize / 2.0, 1e-9);
            if (c.settings.fit != Fit::fill) {
                EXPECT_DOUBLE_EQ(window, axis.inputSize);
            }
        }
        if (c.settings.fit == Fit::fill) {
            EXPECT_NEAR(geometry.x.scale, geometry.y.scale, geometry.x.scale * 0.002);
        }
    }
}

TEST(ResizeGeometry, ChromaKeepsItsPlace) {
    const PixelFormat ycbcr{.model = ColourModel::ycbcr, .subsampling = ChromaSubsampling::s420, .planar = true};
    const ImageShape input{401, 300, ycbcr};
    const auto geometry = resize::geometryOf({.width = 101, .height = 75, .fit = resize::Fit::exact}, input);
    const auto chroma = resize::planeGeometry(geometry, input, 1);
    EXPECT_EQ(chroma.x.inputSize, 201);
    EXPECT_EQ(chroma.x.outputSize, 51);
    EXPECT_DOUBLE_EQ(chroma.x.scale, geometry.x.scale);
    // The centre of output chroma sample 3 is that of the luma samples 6 and 7 that it stands for.
    const double lumaCentre = geometry.x.begin + 7 * geometry.x.scale;
    EXPECT_DOUBLE_EQ(chroma.x.begin + 3.5 * chroma.x.scale, lumaCentre / 2);
}

}  // namespace
}  // namespace lanewright
