// SPDX-License-Identifier: GPL-3.0-or-later
// Synthetic pictures: the same bytes everywhere and however the rows are split, sane at any size, and enough like a photo.
#include "engine/input/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace lanewright {
namespace {

std::vector<std::uint8_t> render(const SyntheticSpec& spec, std::int32_t rowsPerCall) {
    const std::size_t stride = static_cast<std::size_t>(spec.width) * 3;
    std::vector<std::uint8_t> pixels(stride * static_cast<std::size_t>(spec.height));
    for (std::int32_t y = 0; y < spec.height; y += rowsPerCall) {
        const std::int32_t end = std::min(spec.height, y + rowsPerCall);
        const std::span<std::uint8_t> rest = std::span(pixels).subspan(stride * static_cast<std::size_t>(y));
        renderSynthetic(spec, y, end, rest.first(stride * static_cast<std::size_t>(end - y)));
    }
    return pixels;
}

std::vector<std::uint8_t> render(const SyntheticSpec& spec) { return render(spec, spec.height); }

/// FNV-1a.
std::uint64_t checksum(const std::vector<std::uint8_t>& bytes) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::uint8_t byte : bytes) {
        hash = (hash ^ byte) * 0x100000001b3u;
    }
    return hash;
}

TEST(Synthetic, hasTheSameBytesOnEveryMachine) {
    EXPECT_EQ(checksum(render({.seed = 1, .width = 64, .height = 48})), 14147827703816764772u);
    EXPECT_EQ(checksum(render({.seed = syntheticSeed(1, 5), .width = 321, .height = 207})), 3756946302697303074u);
}

TEST(Synthetic, doesNotDependOnHowRowsAreSplit) {
    for (std::uint64_t index = 0; index < 6; ++index) {  // with and without a lake
        const SyntheticSpec spec{.seed = syntheticSeed(3, index), .width = 131, .height = 97};
        const std::vector<std::uint8_t> whole = render(spec);
        for (const std::int32_t rowsPerCall : {1, 7, 50}) {
            EXPECT_EQ(render(spec, rowsPerCall), whole) << "picture " << index << ", " << rowsPerCall << " rows a call";
        }
    }
}

TEST(Synthetic, differsFromSeedToSeed) {
    std::vector<std::uint64_t> checksums;
    for (std::uint64_t set = 0; set < 2; ++set) {
        for (std::uint64_t index = 0; index < 12; ++index) {
            checksums.push_back(checksum(render({.seed = syntheticSeed(set, index), .width = 40, .height = 30})));
        }
    }
    std::sort(checksums.begin(), checksums.end());
    EXPECT_EQ(std::adjacent_find(checksums.begin(), checksums.end()), checksums.end());
}

TEST(Synthetic, worksAtAnySize) {
    constexpr std::array<std::array<std::int32_t, 2>, 8> sizes{
        {{1, 1}, {1, 2}, {2, 1}, {1, 300}, {300, 1}, {7, 5}, {17, 1021}, {4097, 3}}};
    for (const auto& [width, height] : sizes) {
        for (std::uint64_t index = 0; index < 4; ++index) {
            const SyntheticSpec spec{.seed = syntheticSeed(9, index), .width = width, .height = height};
            EXPECT_EQ(render(spec, 1), render(spec)) << width << "x" << height << ", picture " << index;
        }
    }
}

TEST(Synthetic, writesOnlyTheRowsAskedFor) {
    const SyntheticSpec spec{.seed = 4, .width = 20, .height = 15};
    std::vector<std::uint8_t> rows(20 * 3 * 4, 77);
    renderSynthetic(spec, 5, 5, rows);
    EXPECT_EQ(rows, std::vector<std::uint8_t>(rows.size(), 77));
    renderSynthetic(spec, 5, 8, rows);
    EXPECT_EQ(std::vector<std::uint8_t>(rows.end() - 60, rows.end()), std::vector<std::uint8_t>(60, 77));
}

struct Statistics {
    double mean = 0;
    double deviation = 0;
    double acrossEnergy = 0;  ///< mean squared step to the right-hand neighbour
    double downEnergy = 0;    ///< and to the one below
    double clipped = 0;       ///< share of samples at 0 or 255
};

Statistics measure(const SyntheticSpec& spec) {
    const std::vector<std::uint8_t> pixels = render(spec);
    const std::size_t stride = static_cast<std::size_t>(spec.width) * 3;
    const auto count = static_cast<double>(pixels.size());
    const auto squaredStep = [&](std::size_t from, std::size_t to) {
        const double step = double{1} * pixels[to] - pixels[from];
        return step * step / count;
    };
    Statistics result;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        result.mean += pixels[i] / count;
        result.clipped += (pixels[i] == 0 || pixels[i] == 255 ? 1 : 0) / count;
        result.acrossEnergy += i % stride + 3 < stride ? squaredStep(i, i + 3) : 0;
        result.downEnergy += i + stride < pixels.size() ? squaredStep(i, i + stride) : 0;
    }
    for (const std::uint8_t sample : pixels) {
        result.deviation += (sample - result.mean) * (sample - result.mean) / count;
    }
    result.deviation = std::sqrt(result.deviation);
    return result;
}

TEST(Synthetic, hasThePlainStatisticsOfPhotos) {
    for (std::uint64_t index = 0; index < 24; ++index) {
        const Statistics found = measure({.seed = syntheticSeed(1, index), .width = 800, .height = 600});
        SCOPED_TRACE(testing::Message() << "picture " << index);
        EXPECT_GT(found.mean, 80);
        EXPECT_LT(found.mean, 175);
        EXPECT_GT(found.deviation, 30);
        EXPECT_LT(found.deviation, 70);
        EXPECT_LT(found.clipped, 0.01);
        // Detail in both directions, grass standing upright; far less than the 12000 of white noise.
        EXPECT_GT(found.downEnergy, 15);
        EXPECT_GT(found.acrossEnergy, found.downEnergy);
        EXPECT_LT(found.acrossEnergy, found.downEnergy * 8);
        EXPECT_LT(found.acrossEnergy, 300);
    }
}

}  // namespace
}  // namespace lanewright
