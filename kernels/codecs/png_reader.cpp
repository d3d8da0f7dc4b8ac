// SPDX-License-Identifier: GPL-3.0-or-later
// What the chunks before a PNG's pixels say.
#include "kernels/codecs/png_reader.h"

#include "kernels/codecs/checks.h"
#include "kernels/codecs/exif.h"

namespace lanewright {
namespace {

/// Profiles, texts and EXIF blocks beyond this are no help to anyone and could be made to fill memory.
constexpr std::size_t maximumChunkBytes = std::size_t{64} << 20;

PixelFormat formatOf(std::uint8_t colourType, bool transparent) {
    switch (colourType) {
    case SPNG_COLOR_TYPE_GRAYSCALE: return transparent ? rgba8 : gray8;
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
    case SPNG_COLOR_TYPE_TRUECOLOR_ALPHA: return rgba8;
    default: return transparent ? rgba8 : rgb8;
    }
}

/// libspng's own step from 16 to 8 bits drops the low byte: 16-bit rows are taken as they are and rounded by us.
int rowFormat(const PixelFormat& format, const spng_ihdr& header) {
    if (header.bit_depth == 16) return format == rgba8 ? SPNG_FMT_RGBA16 : SPNG_FMT_PNG;
    if (format == gray8) return SPNG_FMT_G8;
    return format == rgba8 ? SPNG_FMT_RGBA8 : SPNG_FMT_RGB8;
}

}  // namespace

Message pngMessage(int code) {
    switch (code) {
    case SPNG_EOF:
    case SPNG_IO_EOF:
    case SPNG_EIDAT_TOO_SHORT: return truncatedMessage();
    case SPNG_EMEM: return memoryMessage();
    default: return damagedMessage(spng_strerror(code));
    }
}

PngReader::PngReader(std::span<const std::byte> bytes) : m_context(spng_ctx_new(0)), m_bytes(bytes) {}

Result<PngRows> PngReader::readHeader() {
    if (!m_context) return memoryMessage();
    spng_set_chunk_limits(m_context.get(), maximumChunkBytes, maximumChunkBytes);
    spng_ihdr header{};
    int code = spng_set_png_buffer(m_context.get(), m_bytes.data(), m_bytes.size());
    if (code == SPNG_OK) code = spng_get_ihdr(m_context.get(), &header);
    if (code != SPNG_OK) return pngMessage(code);
    if (Status size = checkedSize(header.width, header.height); !size) return size.error();

    spng_trns transparency{};
    code = spng_get_trns(m_context.get(), &transparency);
    if (code != SPNG_OK && code != SPNG_ECHUNKAVAIL) return pngMessage(code);
    const bool transparent = code == SPNG_OK;

    PngRows rows;
    const PixelFormat format = formatOf(header.color_type, transparent);
    rows.shape = {static_cast<std::int32_t>(header.width), static_cast<std::int32_t>(header.height), format};
    rows.format = rowFormat(format, header);
    rows.flags = transparent ? SPNG_DECODE_TRNS : 0;
    rows.wide = header.bit_depth == 16;
    rows.rowBytes = rows.shape.plane(0).rowBytes() * (rows.wide ? 2 : 1);
    rows.interlaced = header.interlace_method != SPNG_INTERLACE_NONE;
    return rows;
}

std::shared_ptr<const ImageMeta> PngReader::meta() {
    const auto assign = [](std::vector<std::byte>& to, const char* data, std::size_t size) {
        const auto* begin = reinterpret_cast<const std::byte*>(data);
        to.assign(begin, begin + size);
    };
    auto meta = std::make_shared<ImageMeta>();
    spng_iccp profile{};
    if (spng_get_iccp(m_context.get(), &profile) == SPNG_OK) assign(meta->icc, profile.profile, profile.profile_len);
    spng_exif exif{};
    if (spng_get_exif(m_context.get(), &exif) == SPNG_OK) assign(meta->exif, exif.data, exif.length);
    if (meta->icc.empty() && meta->exif.empty()) return nullptr;
    meta->orientation = exifOrientation(meta->exif);
    return meta;
}

}  // namespace lanewright
