// SPDX-License-Identifier: GPL-3.0-or-later
// Decodes PNG straight into the caller's rows where libspng makes them as we want them; through a row of our own for
// 16-bit files, through a frame of our own for interlaced ones.
#include "kernels/codecs/checks.h"
#include "kernels/codecs/png.h"
#include "kernels/codecs/png_reader.h"

#include <cassert>
#include <cstring>
#include <new>

namespace lanewright {
namespace {

/// Nearest 8-bit value of each 16-bit sample in host order: (v * 255 + 32895) >> 16 is v / 257 rounded, for every v.
void roundToBytes(const std::byte* wide, std::byte* narrow, std::size_t samples) {
    for (std::size_t i = 0; i < samples; ++i) {
        std::uint16_t value = 0;
        std::memcpy(&value, wide + 2 * i, sizeof value);
        narrow[i] = static_cast<std::byte>((std::uint32_t{value} * 255 + 32895) >> 16);
    }
}

class PngDecoder final : public Decoder {
public:
    explicit PngDecoder(std::span<const std::byte> file) : m_reader(file) {}

    Status open() {
        auto rows = m_reader.readHeader();
        if (!rows) return std::move(rows).error();
        m_rows = *rows;
        m_shape = m_rows.shape;
        return {};
    }

    Status readRows(const MutableImageView& image, RowRange rows) override {
        assert(rows.begin == m_nextRow);
        if (rows.begin == 0) {
            if (Status started = start(); !started) return started;
        }
        m_nextRow = rows.end;
        for (std::int32_t y = rows.begin; y < rows.end; ++y) {
            if (Status read = readRow(y, image.planes[0].row(y)); !read) return read;
        }
        return {};
    }

    Status finish() override {
        const int code = spng_decode_chunks(m_reader.context());
        return code == SPNG_OK ? Status{} : Status(pngMessage(code));
    }

private:
    Status start() {
        const int flags = m_rows.flags | SPNG_DECODE_PROGRESSIVE;
        const int code = spng_decode_image(m_reader.context(), nullptr, 0, m_rows.format, flags);
        if (code != SPNG_OK) return pngMessage(code);
        const std::size_t kept = m_rows.interlaced ? static_cast<std::size_t>(m_shape.height) : m_rows.wide ? 1 : 0;
        // Not a vector: a large frame need not be cleared, every row of it is written before it is read.
        if (kept > 0) m_kept.reset(new (std::nothrow) std::byte[kept * m_rows.rowBytes]);
        if (kept > 0 && !m_kept) return memoryMessage();
        return m_rows.interlaced ? readPasses() : Status{};
    }

    Status readPasses() {
        for (;;) {
            spng_row_info place{};
            int code = spng_get_row_info(m_reader.context(), &place);
            if (code == SPNG_OK) {
                code = spng_decode_row(m_reader.context(), m_kept.get() + place.row_num * m_rows.rowBytes,
                                       m_rows.rowBytes);
            }
            if (code == SPNG_EOI) return {};
            if (code != SPNG_OK) return pngMessage(code);
        }
    }

    Status readRow(std::int32_t y, std::byte* out) {
        const std::byte* made = m_kept.get();
        if (m_rows.interlaced) {
            made += static_cast<std::size_t>(y) * m_rows.rowBytes;
        } else {
            std::byte* target = m_rows.wide ? m_kept.get() : out;
            const int code = spng_decode_row(m_reader.context(), target, m_rows.rowBytes);
            if (code != SPNG_OK && code != SPNG_EOI) return pngMessage(code);
        }
        if (m_rows.wide) {
            roundToBytes(made, out, m_rows.rowBytes / 2);
        } else if (m_rows.interlaced) {
            std::memcpy(out, made, m_rows.rowBytes);
        }
        return {};
    }

    PngReader m_reader;
    PngRows m_rows;
    std::unique_ptr<std::byte[]> m_kept;  ///< one row, or the frame of an interlaced file
    std::int32_t m_nextRow = 0;
};

}  // namespace

Result<std::unique_ptr<Decoder>> openPngDecoder(std::span<const std::byte> file, DamagePolicy) {
    auto decoder = std::make_unique<PngDecoder>(file);
    if (Status opened = decoder->open(); !opened) return opened.error();
    return std::unique_ptr<Decoder>(std::move(decoder));
}

}  // namespace lanewright
