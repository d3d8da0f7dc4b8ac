// SPDX-License-Identifier: GPL-3.0-or-later
// The data source over bytes in memory, and what the header says.
#include "kernels/codecs/jpeg_reader.h"

#include "kernels/codecs/checks.h"

#include <jerror.h>

#include <algorithm>
#include <array>
#include <string>

namespace lanewright {
namespace {

constexpr unsigned int wholeMarker = 0xFFFF;

std::uint64_t ceilingQuotient(std::uint64_t value, std::uint64_t divisor) { return (value + divisor - 1) / divisor; }

}  // namespace

JpegReader::JpegReader(std::span<const std::byte> bytes, DamagePolicy policy) : m_errors(policy) {
    m_source.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
    m_source.bytes_in_buffer = bytes.size();
    m_source.init_source = onInit;
    m_source.fill_input_buffer = onFill;
    m_source.skip_input_data = onSkip;
    m_source.resync_to_restart = jpeg_resync_to_restart;
    m_source.term_source = onTerm;
    m_info.err = &m_errors;
    m_created = m_errors.guard([this] { jpeg_create_decompress(&m_info); });
    m_info.client_data = this;
    m_info.src = &m_source;
}

JpegReader::~JpegReader() { jpeg_destroy_decompress(&m_info); }

JpegReader::Header JpegReader::readHeader(bool keepMetadata) {
    if (!m_created) return Header::failed;
    int outcome = JPEG_SUSPENDED;
    const bool returned = m_errors.guard([&] {
        if (keepMetadata) {
            jpeg_save_markers(&m_info, JPEG_APP0 + 1, wholeMarker);
            jpeg_save_markers(&m_info, JPEG_APP0 + 2, wholeMarker);
        }
        outcome = jpeg_read_header(&m_info, TRUE);
    });
    if (!returned) return Header::failed;
    if (outcome == JPEG_SUSPENDED) return Header::incomplete;
    m_headerRead = true;
    m_errors.beginPixels();
    return Header::complete;
}

Result<ImageShape> JpegReader::shape() const {
    if (Status size = checkedSize(m_info.image_width, m_info.image_height); !size) return size.error();
    PixelFormat format = rgb8;
    switch (m_info.jpeg_color_space) {
    case JCS_GRAYSCALE: format = gray8; break;
    case JCS_RGB:
    case JCS_YCbCr:
    case JCS_CMYK:
    case JCS_YCCK: break;
    default:
        return unsupportedMessage("JPEG with " + std::to_string(m_info.num_components) +
                                  " components of unknown colour");
    }
    return ImageShape{static_cast<std::int32_t>(m_info.image_width), static_cast<std::int32_t>(m_info.image_height),
                      format};
}

ByteCount JpegReader::memory() const {
    constexpr std::uint64_t rowsInFlight = 24;  // of each component: two groups of rows, their context, upsampled rows
    constexpr std::uint64_t fixedBytes = 128 * 1024;
    const auto components = static_cast<std::uint64_t>(m_info.num_components);
    std::uint64_t bytes = fixedBytes + components * rowsInFlight * m_info.image_width;
    const bool severalScans = m_info.progressive_mode || m_info.comps_in_scan < m_info.num_components;
    if (!severalScans) return ByteCount(bytes);
    for (int i = 0; i < m_info.num_components; ++i) {
        const jpeg_component_info& component = m_info.comp_info[i];
        const auto padded = [](JDIMENSION blocks, int sampling) {
            const auto factor = static_cast<std::uint64_t>(sampling);
            return ceilingQuotient(blocks, factor) * factor;
        };
        bytes += padded(component.width_in_blocks, component.h_samp_factor) *
                 padded(component.height_in_blocks, component.v_samp_factor) * sizeof(JBLOCK);
    }
    return ByteCount(bytes);
}

boolean JpegReader::onFill(j_decompress_ptr info) {
    // Suspends in the header, where more bytes may be fetched; later the file has ended too soon, and libjpeg wants an
    // end marker to go on with.
    if (!static_cast<JpegReader*>(info->client_data)->m_headerRead) return FALSE;
    static constexpr std::array<JOCTET, 2> endOfImage = {0xFF, JPEG_EOI};
    WARNMS(info, JWRN_JPEG_EOF);
    info->src->next_input_byte = endOfImage.data();
    info->src->bytes_in_buffer = endOfImage.size();
    return TRUE;
}

void JpegReader::onSkip(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    const std::size_t skipped = std::min(static_cast<std::size_t>(count), info->src->bytes_in_buffer);
    info->src->next_input_byte += skipped;
    info->src->bytes_in_buffer -= skipped;
}

}  // namespace lanewright
