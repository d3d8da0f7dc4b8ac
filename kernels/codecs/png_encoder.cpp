// SPDX-License-Identifier: GPL-3.0-or-later
// Encodes PNG from the caller's rows into the caller's room, and bounds how much room that takes.
#include "kernels/codecs/checks.h"
#include "kernels/codecs/png.h"
#include "kernels/codecs/png_reader.h"

#include <cassert>
#include <cstring>

namespace lanewright {
namespace {

class PngEncoder final : public Encoder {
public:
    explicit PngEncoder(std::span<std::byte> room) : m_context(spng_ctx_new(SPNG_CTX_ENCODER)), m_room(room) {}

    Status open(const ImageShape& shape, const EncodeSettings& settings) {
        if (!m_context) return memoryMessage();
        m_rowBytes = shape.plane(0).rowBytes();
        m_height = shape.height;
        spng_ihdr header{};
        header.width = static_cast<std::uint32_t>(shape.width);
        header.height = static_cast<std::uint32_t>(shape.height);
        header.bit_depth = 8;
        header.color_type = shape.format == gray8  ? SPNG_COLOR_TYPE_GRAYSCALE
                            : shape.format == rgb8 ? SPNG_COLOR_TYPE_TRUECOLOR
                                                   : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
        int code = spng_set_png_stream(m_context.get(), write, this);
        if (code == SPNG_OK) code = spng_set_ihdr(m_context.get(), &header);
        if (code == SPNG_OK) {
            code = spng_set_option(m_context.get(), SPNG_IMG_COMPRESSION_LEVEL, settings.compressionLevel);
        }
        if (code == SPNG_OK) {
            const int flags = SPNG_ENCODE_PROGRESSIVE | SPNG_ENCODE_FINALIZE;
            code = spng_encode_image(m_context.get(), nullptr, 0, SPNG_FMT_PNG, flags);
        }
        return statusOf(code);
    }

    Status writeRows(const ImageView& image, RowRange rows) override {
        for (std::int32_t y = rows.begin; y < rows.end; ++y) {
            const int code = spng_encode_row(m_context.get(), image.planes[0].row(y), m_rowBytes);
            if (code == SPNG_EOI && y + 1 == m_height) return {};
            if (code != SPNG_OK) return statusOf(code);
        }
        return {};
    }

    Result<std::size_t> finish() override {
        assert(m_height > 0);
        return m_written;  // the last row completed the file
    }

private:
    static int write(spng_ctx*, void* user, void* data, std::size_t size) {
        auto& encoder = *static_cast<PngEncoder*>(user);
        if (size > encoder.m_room.size() - encoder.m_written) return SPNG_IO_ERROR;
        std::memcpy(encoder.m_room.data() + encoder.m_written, data, size);
        encoder.m_written += size;
        return SPNG_OK;
    }

    static Status statusOf(int code) {
        if (code == SPNG_OK) return {};
        if (code == SPNG_IO_ERROR) return Message{"encode.overflow", {}};
        if (code == SPNG_EMEM) return memoryMessage();
        return Message{"encode.failed", {{"detail", spng_strerror(code)}}};
    }

    SpngContext m_context;
    std::span<std::byte> m_room;
    std::size_t m_written = 0;
    std::size_t m_rowBytes = 0;
    std::int32_t m_height = 0;
};

}  // namespace

/// Filtered rows have one byte more. zlib grows data that it cannot compress by at most an eighth and some
/// (deflateBound for any window and memory level); each IDAT chunk of 8 KiB or more adds 12 bytes.
ByteCount pngEncodedBound(const ImageShape& shape, const EncodeSettings&) {
    constexpr std::uint64_t headerBytes = 4096;
    const std::uint64_t raw = static_cast<std::uint64_t>(shape.height) * (shape.plane(0).rowBytes() + 1);
    const std::uint64_t deflated = raw + raw / 8 + raw / 256 + raw / 512;
    return ByteCount(headerBytes + deflated + deflated / 256);
}

Result<std::unique_ptr<Encoder>> openPngEncoder(const ImageShape& shape, const EncodeSettings& settings,
                                                std::span<std::byte> room) {
    auto encoder = std::make_unique<PngEncoder>(room);
    if (Status opened = encoder->open(shape, settings); !opened) return opened.error();
    return std::unique_ptr<Encoder>(std::move(encoder));
}

}  // namespace lanewright
