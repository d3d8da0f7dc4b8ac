// SPDX-License-Identifier: GPL-3.0-or-later
// Writes image files with options that our own encoders do not have, straight over the libraries.
#include "tests/kernels/pictures.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <jpeglib.h>
#include <spng.h>

namespace lanewright::test {
namespace {

void configure(jpeg_compress_struct& info, const Frame& frame, const JpegOptions& options) {
    info.image_width = static_cast<JDIMENSION>(frame.shape.width);
    info.image_height = static_cast<JDIMENSION>(frame.shape.height);
    info.input_components = frame.shape.format.components();
    info.in_color_space = options.inks ? JCS_CMYK : frame.shape.format == gray8 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info);
    if (options.inks) jpeg_set_colorspace(&info, options.adobeMarker ? JCS_YCCK : JCS_CMYK);
    if (options.inks) info.write_Adobe_marker = options.adobeMarker ? TRUE : FALSE;
    if (options.rgbCoding) jpeg_set_colorspace(&info, JCS_RGB);
    jpeg_set_quality(&info, options.quality, TRUE);
    info.restart_in_rows = options.restartRows;
    if (options.progressive) jpeg_simple_progression(&info);
}

void writeMetadata(jpeg_compress_struct& info, const JpegOptions& options) {
    if (!options.exif.empty()) {
        std::vector<JOCTET> marker = {'E', 'x', 'i', 'f', 0, 0};
        for (const std::byte b : options.exif) marker.push_back(std::to_integer<JOCTET>(b));
        jpeg_write_marker(&info, JPEG_APP0 + 1, marker.data(), static_cast<unsigned int>(marker.size()));
    }
    if (!options.icc.empty()) {
        jpeg_write_icc_profile(&info, reinterpret_cast<const JOCTET*>(options.icc.data()),
                               static_cast<unsigned int>(options.icc.size()));
    }
}

/// Where each coefficient of the zigzag order lies in a block; ITU-T T.81, figure A.6.
constexpr std::array<std::size_t, 64> zigzag = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                                12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                                35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                                58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

JpegTables::Huffman huffmanOf(const JHUFF_TBL& table) {
    JpegTables::Huffman result;
    std::copy(std::begin(table.bits), std::end(table.bits), result.counts.begin());
    std::copy(std::begin(table.huffval), std::end(table.huffval), result.symbols.begin());
    return result;
}

int channelsOf(std::uint8_t colourType) {
    switch (colourType) {
    case SPNG_COLOR_TYPE_TRUECOLOR: return 3;
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA: return 2;
    case SPNG_COLOR_TYPE_TRUECOLOR_ALPHA: return 4;
    default: return 1;
    }
}

/// Samples as they lie in PNG's rows, 16-bit ones in host order (libspng's SPNG_FMT_PNG).
std::vector<std::uint8_t> packedRows(std::int32_t height, std::size_t rowSamples, std::uint8_t bitDepth,
                                     const std::vector<std::uint16_t>& samples) {
    std::vector<std::uint8_t> packed;
    for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
        std::size_t row = packed.size();
        packed.resize(row + (rowSamples * bitDepth + 7) / 8);
        for (std::size_t i = 0; i < rowSamples; ++i) {
            const std::uint16_t sample = samples[y * rowSamples + i];
            if (bitDepth == 16) {
                std::memcpy(&packed[row + 2 * i], &sample, 2);
            } else {
                const std::size_t bit = i * bitDepth;
                packed[row + bit / 8] =
                    static_cast<std::uint8_t>(packed[row + bit / 8] | sample << (8 - bitDepth - bit % 8));
            }
        }
    }
    return packed;
}

void setPalette(spng_ctx* context, const std::vector<std::uint8_t>& palette) {
    if (palette.empty()) return;
    spng_plte chunk{};
    chunk.n_entries = static_cast<std::uint32_t>(palette.size() / 3);
    for (std::size_t i = 0; i < chunk.n_entries; ++i) {
        chunk.entries[i] = {palette[3 * i], palette[3 * i + 1], palette[3 * i + 2], 0};
    }
    spng_set_plte(context, &chunk);
}

void setTransparency(spng_ctx* context, const PngOptions& options) {
    const auto& values = options.transparency;
    if (values.empty()) return;
    spng_trns chunk{};
    if (options.colourType == SPNG_COLOR_TYPE_INDEXED) {
        chunk.n_type3_entries = static_cast<std::uint32_t>(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) chunk.type3_alpha[i] = static_cast<std::uint8_t>(values[i]);
    } else if (options.colourType == SPNG_COLOR_TYPE_GRAYSCALE) {
        chunk.gray = values[0];
    } else {
        chunk.red = values[0], chunk.green = values[1], chunk.blue = values[2];
    }
    spng_set_trns(context, &chunk);
}

/// libspng keeps the pointers until the file is written, and only reads through them.
char* borrowed(const std::vector<std::byte>& data) {
    return const_cast<char*>(reinterpret_cast<const char*>(data.data()));
}

void setMetadata(spng_ctx* context, const PngOptions& options) {
    if (!options.icc.empty()) {
        spng_iccp chunk{};
        std::strcpy(chunk.profile_name, "test");
        chunk.profile = borrowed(options.icc);
        chunk.profile_len = options.icc.size();
        spng_set_iccp(context, &chunk);
    }
    if (!options.exif.empty()) {
        spng_exif chunk{options.exif.size(), borrowed(options.exif)};
        spng_set_exif(context, &chunk);
    }
}

}  // namespace

std::vector<std::byte> jpegFile(const Frame& frame, const JpegOptions& options) {
    jpeg_compress_struct info{};
    jpeg_error_mgr errors{};
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    unsigned char* data = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&info, &data, &size);
    configure(info, frame, options);
    jpeg_start_compress(&info, TRUE);
    writeMetadata(info, options);
    Frame copy = frame;  // libjpeg takes rows that are not const
    const MutableImageView view = copy.mutableView();
    for (std::int32_t y = 0; y < frame.shape.height; ++y) {
        auto row = reinterpret_cast<JSAMPROW>(view.planes[0].row(y));
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    const auto* begin = reinterpret_cast<const std::byte*>(data);
    std::vector<std::byte> file(begin, begin + size);
    std::free(data);
    return file;
}

JpegTables jpegTables(int quality) {
    jpeg_compress_struct info{};
    jpeg_error_mgr errors{};
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    JpegTables tables;
    for (std::size_t i = 0; i < 2; ++i) {
        tables.dc[i] = huffmanOf(*info.dc_huff_tbl_ptrs[i]);
        tables.ac[i] = huffmanOf(*info.ac_huff_tbl_ptrs[i]);
        for (std::size_t k = 0; k < 64; ++k) tables.steps[i][k] = info.quant_tbl_ptrs[i]->quantval[zigzag[k]];
    }
    jpeg_destroy_compress(&info);
    return tables;
}

std::vector<std::byte> pngFile(std::int32_t width, std::int32_t height, const PngOptions& options,
                               const std::vector<std::uint16_t>& samples) {
    spng_ctx* context = spng_ctx_new(SPNG_CTX_ENCODER);
    spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1);
    spng_ihdr header{};
    header.width = static_cast<std::uint32_t>(width);
    header.height = static_cast<std::uint32_t>(height);
    header.bit_depth = options.bitDepth;
    header.color_type = options.colourType;
    header.interlace_method = options.interlaced ? SPNG_INTERLACE_ADAM7 : SPNG_INTERLACE_NONE;
    spng_set_ihdr(context, &header);
    setPalette(context, options.palette);
    setTransparency(context, options);
    setMetadata(context, options);
    const auto rowSamples = static_cast<std::size_t>(width * channelsOf(options.colourType));
    const auto packed = packedRows(height, rowSamples, options.bitDepth, samples);
    int code = spng_encode_image(context, packed.data(), packed.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
    std::size_t size = 0;
    void* data = code == 0 ? spng_get_png_buffer(context, &size, &code) : nullptr;
    const auto* begin = static_cast<const std::byte*>(data);
    std::vector<std::byte> file(begin, begin + size);
    std::free(data);
    spng_ctx_free(context);
    return file;
}

}  // namespace lanewright::test
