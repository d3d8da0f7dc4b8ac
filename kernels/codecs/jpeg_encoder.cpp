// SPDX-License-Identifier: GPL-3.0-or-later
// Encodes baseline JPEG straight from the caller's rows into the caller's room, and bounds how much room that takes.
#include "kernels/codecs/checks.h"
#include "kernels/codecs/jpeg.h"
#include "kernels/codecs/jpeg_errors.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace lanewright {
namespace {

constexpr std::int32_t rowsPerCall = 16;

struct SamplingFactors {
    int horizontal;
    int vertical;
};

SamplingFactors lumaFactors(const ImageShape& shape, ChromaSubsampling subsampling) {
    if (shape.format == gray8 || subsampling == ChromaSubsampling::none) return {1, 1};
    return {2, subsampling == ChromaSubsampling::s420 ? 2 : 1};
}

/// Writes into a room of fixed size. libjpeg asks for another buffer as soon as one is full, even when the file ends
/// there: what comes then goes to a few spare bytes, and is an overflow only if it comes.
class RoomDestination : public jpeg_destination_mgr {
public:
    explicit RoomDestination(std::span<std::byte> room) : jpeg_destination_mgr{}, m_room(room) {
        next_output_byte = reinterpret_cast<JOCTET*>(room.data());
        free_in_buffer = room.size();
        if (room.empty()) useSpare();
        init_destination = [](j_compress_ptr) {};
        empty_output_buffer = onFull;
        term_destination = [](j_compress_ptr info) {
            const auto& destination = static_cast<const RoomDestination&>(*info->dest);
            if (destination.m_full && destination.free_in_buffer < destination.m_spare.size()) overflow(info);
        };
    }

    std::size_t written() const { return m_full ? m_room.size() : m_room.size() - free_in_buffer; }

private:
    static boolean onFull(j_compress_ptr info) {
        auto& destination = static_cast<RoomDestination&>(*info->dest);
        if (destination.m_full) overflow(info);
        destination.useSpare();
        return TRUE;
    }

    [[noreturn]] static void overflow(j_compress_ptr info) {
        auto& errors = static_cast<JpegErrors&>(*info->err);
        errors.setFailure(Message{"encode.overflow", {}});
        errors.jump();
    }

    void useSpare() {
        m_full = true;
        next_output_byte = m_spare.data();
        free_in_buffer = m_spare.size();
    }

    std::span<std::byte> m_room;
    std::array<JOCTET, 16> m_spare{};
    bool m_full = false;
};

class JpegEncoder final : public Encoder {
public:
    explicit JpegEncoder(std::span<std::byte> room) : m_errors(DamagePolicy::keep), m_destination(room) {
        m_info.err = &m_errors;
    }

    ~JpegEncoder() override { jpeg_destroy_compress(&m_info); }

    Status open(const ImageShape& shape, const EncodeSettings& settings) {
        const bool returned = m_errors.guard([&] {
            jpeg_create_compress(&m_info);
            m_info.dest = &m_destination;
            m_info.image_width = static_cast<JDIMENSION>(shape.width);
            m_info.image_height = static_cast<JDIMENSION>(shape.height);
            m_info.input_components = shape.format.components();
            m_info.in_color_space = shape.format == gray8 ? JCS_GRAYSCALE : JCS_RGB;
            jpeg_set_defaults(&m_info);
            jpeg_set_quality(&m_info, settings.quality, TRUE);
            const SamplingFactors luma = lumaFactors(shape, settings.subsampling);
            m_info.comp_info[0].h_samp_factor = luma.horizontal;
            m_info.comp_info[0].v_samp_factor = luma.vertical;
            jpeg_start_compress(&m_info, TRUE);
        });
        return returned ? Status{} : Status(m_errors.failure());
    }

    Status writeRows(const ImageView& image, RowRange rows) override {
        const bool returned = m_errors.guard([&] {
            assert(m_info.next_scanline == static_cast<JDIMENSION>(rows.begin));
            std::array<JSAMPROW, rowsPerCall> pointers;
            for (std::int32_t y = rows.begin; y < rows.end;) {
                const std::int32_t count = std::min(rowsPerCall, rows.end - y);
                for (std::int32_t i = 0; i < count; ++i) {
                    // libjpeg only reads them, its type is older than const.
                    const auto* row = reinterpret_cast<const JSAMPLE*>(image.planes[0].row(y + i));
                    pointers[static_cast<std::size_t>(i)] = const_cast<JSAMPROW>(row);
                }
                jpeg_write_scanlines(&m_info, pointers.data(), static_cast<JDIMENSION>(count));
                y += count;
            }
        });
        return returned ? Status{} : Status(m_errors.failure());
    }

    Result<std::size_t> finish() override {
        const bool returned = m_errors.guard([this] { jpeg_finish_compress(&m_info); });
        if (!returned) return m_errors.failure();
        return m_destination.written();
    }

private:
    JpegErrors m_errors;
    RoomDestination m_destination;
    jpeg_compress_struct m_info{};
};

/// The most bytes that a block of 64 samples can take, by quality. Samples within -128..127 bound the energy of a
/// block's coefficients (Parseval), the quantisation table the energy that each Huffman code needs; the maximum over
/// all sequences of codes under that bound is found by Lagrangian relaxation, with every bit that can be a one counted
/// again for the zero byte that follows 0xFF. The test `JpegBound` computes it from libjpeg's tables and compares.
struct BlockBound {
    int quality;
    std::uint64_t bytes;
};
constexpr std::array blockBounds = {
    BlockBound{50, 88},  BlockBound{75, 110}, BlockBound{85, 132},  BlockBound{90, 150},
    BlockBound{95, 184}, BlockBound{98, 230}, BlockBound{100, 280},
};

std::uint64_t blocks(std::int32_t side, int factor) {
    const auto pixels = static_cast<std::uint64_t>(8 * factor);
    return (static_cast<std::uint64_t>(side) + pixels - 1) / pixels;
}

}  // namespace

ByteCount jpegEncodedBound(const ImageShape& shape, const EncodeSettings& settings) {
    constexpr std::uint64_t headerBytes = 1024;  // markers and tables are 623 bytes
    const SamplingFactors luma = lumaFactors(shape, settings.subsampling);
    const auto lumaBlocks = static_cast<std::uint64_t>(luma.horizontal * luma.vertical);
    const std::uint64_t unitBlocks = lumaBlocks + (shape.format == gray8 ? 0 : 2);
    const std::uint64_t units = blocks(shape.width, luma.horizontal) * blocks(shape.height, luma.vertical);
    const auto* bound = std::find_if(blockBounds.begin(), blockBounds.end() - 1,
                                     [&](const BlockBound& b) { return settings.quality <= b.quality; });
    return ByteCount(headerBytes + units * unitBlocks * bound->bytes);
}

Result<std::unique_ptr<Encoder>> openJpegEncoder(const ImageShape& shape, const EncodeSettings& settings,
                                                 std::span<std::byte> room) {
    auto encoder = std::make_unique<JpegEncoder>(room);
    if (Status opened = encoder->open(shape, settings); !opened) return opened.error();
    return std::unique_ptr<Encoder>(std::move(encoder));
}

}  // namespace lanewright
