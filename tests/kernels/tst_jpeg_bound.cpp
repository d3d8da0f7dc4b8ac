// SPDX-License-Identifier: GPL-3.0-or-later
// The room that is asked for a JPEG always suffices: by proof over libjpeg's tables, and for noise.
#include "tests/kernels/pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>

namespace lanewright {
namespace {

using namespace lanewright::test;

/// The most bits that a block can take in a file, by the tables that libjpeg uses at `quality`: see BlockBound in
/// jpeg_encoder.cpp. Table 0 is luma's, 1 chroma's.
class JpegBound : public testing::Test {
protected:
    struct HuffmanCode {
        int bits = 0;
        int ones = 0;
    };
    using HuffmanCodes = std::array<HuffmanCode, 256>;

    static HuffmanCodes codesOf(const JpegTables::Huffman& table) {
        HuffmanCodes codes;
        unsigned code = 0;
        std::size_t next = 0;
        for (std::size_t length = 1; length <= 16; ++length, code <<= 1) {
            for (int i = 0; i < table.counts[length]; ++i, ++code, ++next) {
                codes[table.symbols[next]] = {static_cast<int>(length), std::popcount(code)};
            }
        }
        return codes;
    }

    /// Bits of a code and of the value behind it, and once more for each that can be a one: eight ones in a row make a
    /// byte of 0xFF, which a zero byte follows.
    static double weight(const HuffmanCode& code, int valueBits) { return code.bits + code.ones + 2.0 * valueBits; }

    /// The largest sum of weights over all sequences of codes, less `price` per energy, plus the price of all there is.
    static double boundAt(double price, const HuffmanCodes& codes, const JpegTables::Quantisation& steps) {
        constexpr double energy = 64 * 128.0 * 128.0 * 1.02;  // 2 % for the rounding of libjpeg's transform
        constexpr std::size_t sixteenZeros = 0xF0;
        constexpr std::size_t endOfBlock = 0;
        std::array<double, 64> best;
        best.fill(-1e18);
        best[0] = 0;
        double largest = 0;
        for (std::size_t from = 0; from < 64; ++from) {
            largest = std::max(largest, best[from] + (from < 63 ? weight(codes[endOfBlock], 0) : 0));
            for (std::size_t to = from + 1; to < 64; ++to) {
                const std::size_t zeros = to - from - 1;
                const double run = static_cast<double>(zeros / 16) * weight(codes[sixteenZeros], 0);
                for (std::size_t size = 1; size <= 10; ++size) {
                    const double amplitude = steps[to] * (static_cast<double>(1 << (size - 1)) - 0.5);
                    const double gain = weight(codes[zeros % 16 * 16 + size], static_cast<int>(size));
                    best[to] = std::max(best[to], best[from] + run + gain - price * amplitude * amplitude);
                }
            }
        }
        return largest + price * energy;
    }

    static double bytesOfBlock(int quality, std::size_t table) {
        const JpegTables tables = jpegTables(quality);
        const HuffmanCodes codes = codesOf(tables.ac[table]);
        double best = 1e18;
        for (double price = 1e-6; price < 1; price *= 2)
            best = std::min(best, boundAt(price, codes, tables.steps[table]));
        const HuffmanCodes first = codesOf(tables.dc[table]);
        double firstBits = 0;
        for (std::size_t size = 0; size <= 11; ++size) {
            firstBits = std::max(firstBits, weight(first[size], static_cast<int>(size)));
        }
        return (best + firstBits) / 8;
    }
};

TEST_F(JpegBound, IsProvenForEveryQuality) {
    for (int quality = 1; quality <= 100; ++quality) {
        const ImageShape oneBlock{8, 8, gray8};
        const ImageShape manyBlocks{88, 8, gray8};
        const auto bound = [&](const ImageShape& shape) {
            return static_cast<double>(findCodec("jpeg")->encodedBound(shape, {.quality = quality}).value);
        };
        const double perBlock = (bound(manyBlocks) - bound(oneBlock)) / 10;
        for (const std::size_t table : {0u, 1u}) EXPECT_GE(perBlock, bytesOfBlock(quality, table)) << quality;
    }
}

TEST_F(JpegBound, HoldsForNoise) {
    for (const auto subsampling : {ChromaSubsampling::s420, ChromaSubsampling::s422, ChromaSubsampling::none}) {
        for (const int quality : {1, 50, 75, 85, 90, 95, 98, 100}) {
            for (const auto& [width, height] : {std::pair{1, 1}, {17, 9}, {128, 128}}) {
                for (const PixelFormat& format : {gray8, rgb8}) {
                    const Frame frame = noiseFrame({width, height, format});
                    EXPECT_FALSE(encodedFile(*findCodec("jpeg"), frame, {quality, subsampling, 0}).empty()) << quality;
                }
            }
        }
    }
}

}  // namespace
}  // namespace lanewright
