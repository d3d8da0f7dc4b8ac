// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures and image files for tests of codecs: frames with smooth and noisy parts, files with every option of the
// formats.
#pragma once

#include "kernels/codecs/codec.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace lanewright::test {

/// An image in one block laid out by layoutOf().
struct Frame {
    ImageShape shape;
    std::vector<std::byte> block;

    ImageView view() const { return imageViewOf(shape, block.data()); }
    MutableImageView mutableView() { return mutableImageViewOf(shape, block.data()); }
    std::uint8_t at(std::int32_t x, std::int32_t y, std::int32_t component) const;
};

/// All samples are 0xA5, so that rows which nobody writes are seen.
Frame emptyFrame(const ImageShape& shape);

/// Waves, edges and a little noise; alpha takes all values.
Frame pictureFrame(const ImageShape& shape, std::uint32_t seed = 1);

/// Each sample 0 or 255 at random: the worst that an encoder can meet.
Frame noiseFrame(const ImageShape& shape, std::uint32_t seed = 1);

/// Over all samples; 256 when the shapes differ.
int largestDifference(const Frame& a, const Frame& b);

std::vector<std::byte> encodedFile(const Codec& codec, const Frame& frame, const EncodeSettings& settings = {});

/// A file as decodeImage() reads it; an empty frame when it fails.
Frame decodedFrame(std::span<const std::byte> file, DamagePolicy policy = DamagePolicy::fail);

struct JpegOptions {
    bool progressive = false;
    bool inks = false;         ///< CMYK
    bool adobeMarker = false;  ///< CMYK: YCCK coding and inverted samples, as Adobe's programs write them
    bool rgbCoding = false;    ///< RGB without YCbCr
    int restartRows = 0;
    int quality = 90;
    std::vector<std::byte> exif;  ///< TIFF block
    std::vector<std::byte> icc;
};

/// `frame` (gray8, rgb8; rgba8 stands for four inks) as a JPEG with options that our encoder does not have.
std::vector<std::byte> jpegFile(const Frame& frame, const JpegOptions& options);

/// The whole file as its own head.
Result<ProbedImage> probeWhole(std::span<const std::byte> file);

/// decodeImage() into a frame that is thrown away.
Status tryDecode(std::span<const std::byte> file, const ImageShape& shape, DamagePolicy policy = DamagePolicy::fail,
                 std::vector<Message>* warnings = nullptr);

/// The id of the error, or an empty text.
std::string errorOf(const Status& status);

std::vector<std::byte> bytesOf(std::initializer_list<int> values);

/// A minimal EXIF block with one entry.
std::vector<std::byte> exifBlock(bool bigEndian, std::uint16_t orientation);

/// The tables that libjpeg encodes with: luma first, then chroma.
struct JpegTables {
    struct Huffman {
        std::array<int, 17> counts{};  ///< codes of each length
        std::array<std::uint8_t, 256> symbols{};
    };
    using Quantisation = std::array<double, 64>;  ///< in zigzag order

    std::array<Huffman, 2> dc;
    std::array<Huffman, 2> ac;
    std::array<Quantisation, 2> steps;
};
JpegTables jpegTables(int quality);

struct PngOptions {
    std::uint8_t colourType = 0;
    std::uint8_t bitDepth = 8;
    bool interlaced = false;
    std::vector<std::uint8_t> palette;        ///< r, g, b, ...
    std::vector<std::uint16_t> transparency;  ///< gray, or r, g, b, or the palette's alphas
    std::vector<std::byte> exif;
    std::vector<std::byte> icc;
};

/// A PNG whose samples are `samples`, row by row (width * channels each).
std::vector<std::byte> pngFile(std::int32_t width, std::int32_t height, const PngOptions& options,
                               const std::vector<std::uint16_t>& samples);

/// A small generator with the same numbers everywhere.
class Random {
public:
    explicit Random(std::uint32_t seed) : m_state(seed * 2654435769u + 1) {}
    std::uint32_t next() {
        m_state ^= m_state << 13;
        m_state ^= m_state >> 17;
        m_state ^= m_state << 5;
        return m_state;
    }
    std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(next() % bound); }

private:
    std::uint32_t m_state;
};

}  // namespace lanewright::test
