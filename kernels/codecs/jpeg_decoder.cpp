// SPDX-License-Identifier: GPL-3.0-or-later
// Decodes JPEG with libjpeg-turbo's defaults (accurate integer transform, smooth chroma upsampling), straight into the
// caller's rows.
#include "kernels/codecs/checks.h"
#include "kernels/codecs/jpeg.h"
#include "kernels/codecs/jpeg_reader.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>
#include <vector>

namespace lanewright {
namespace {

constexpr std::int32_t rowsPerCall = 16;

/// A small file can hold very many scans of a very large picture; no encoder writes more than some dozens.
constexpr int maximumScans = 500;

void refuseEndlessScans(j_common_ptr info) {
    const auto* decompressor = reinterpret_cast<j_decompress_ptr>(info);
    if (decompressor->input_scan_number <= maximumScans) return;
    auto& errors = static_cast<JpegErrors&>(*info->err);
    errors.setFailure(damagedMessage("more than " + std::to_string(maximumScans) + " scans"));
    errors.jump();
}

/// Adobe's CMYK: samples are stored inverted, so that they are amounts of light. Files without Adobe's marker hold ink.
void lightFromInk(const JSAMPLE* ink, bool inverted, std::byte* rgb, std::size_t pixels) {
    const auto light = [inverted](JSAMPLE sample) { return static_cast<unsigned>(inverted ? sample : 255 - sample); };
    for (std::size_t i = 0; i < pixels; ++i) {
        const unsigned black = light(ink[4 * i + 3]);
        for (std::size_t c = 0; c < 3; ++c) {
            rgb[3 * i + c] = static_cast<std::byte>((light(ink[4 * i + c]) * black + 127) / 255);
        }
    }
}

class JpegDecoder final : public Decoder {
public:
    JpegDecoder(std::span<const std::byte> file, DamagePolicy policy) : m_reader(file, policy) {}

    Status open() {
        switch (m_reader.readHeader(false)) {
        case JpegReader::Header::failed: return m_reader.errors().failure();
        case JpegReader::Header::incomplete: return truncatedMessage();
        case JpegReader::Header::complete: break;
        }
        auto shape = m_reader.shape();
        if (!shape) return std::move(shape).error();
        m_shape = *shape;
        jpeg_decompress_struct& info = m_reader.info();
        const bool inks = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
        info.out_color_space = inks ? JCS_CMYK : m_shape.format == gray8 ? JCS_GRAYSCALE : JCS_RGB;
        if (inks) m_inkRow.resize(std::size_t{4} * info.image_width);
        m_progress.progress_monitor = refuseEndlessScans;
        if (jpeg_has_multiple_scans(&info)) info.progress = &m_progress;
        return {};
    }

    Status readRows(const MutableImageView& image, RowRange rows) override {
        const bool returned = m_reader.errors().guard([&] {
            jpeg_decompress_struct& info = m_reader.info();
            if (!m_started) jpeg_start_decompress(&info);
            m_started = true;
            assert(info.output_scanline == static_cast<JDIMENSION>(rows.begin));
            if (m_inkRow.empty()) {
                readDirectly(image.planes[0], rows);
            } else {
                readInks(image.planes[0], rows);
            }
        });
        return returned ? Status{} : Status(m_reader.errors().failure());
    }

    Status finish() override {
        const bool returned = m_reader.errors().guard([this] { jpeg_finish_decompress(&m_reader.info()); });
        if (!returned) return m_reader.errors().failure();
        m_warnings = m_reader.errors().damage();
        return {};
    }

private:
    void readDirectly(const MutablePlaneView& plane, RowRange rows) {
        std::array<JSAMPROW, rowsPerCall> pointers;
        for (std::int32_t y = rows.begin; y < rows.end;) {
            const std::int32_t count = std::min(rowsPerCall, rows.end - y);
            for (std::int32_t i = 0; i < count; ++i) {
                pointers[static_cast<std::size_t>(i)] = reinterpret_cast<JSAMPROW>(plane.row(y + i));
            }
            y += readScanlines(pointers.data(), count);
        }
    }

    void readInks(const MutablePlaneView& plane, RowRange rows) {
        const bool inverted = m_reader.info().saw_Adobe_marker;
        JSAMPROW pointer = m_inkRow.data();
        for (std::int32_t y = rows.begin; y < rows.end; ++y) {
            readScanlines(&pointer, 1);
            lightFromInk(m_inkRow.data(), inverted, plane.row(y), m_inkRow.size() / 4);
        }
    }

    std::int32_t readScanlines(JSAMPARRAY pointers, std::int32_t count) {
        const JDIMENSION read = jpeg_read_scanlines(&m_reader.info(), pointers, static_cast<JDIMENSION>(count));
        if (read == 0) {
            m_reader.errors().setFailure(damagedMessage("the picture has too few rows"));
            m_reader.errors().jump();
        }
        return static_cast<std::int32_t>(read);
    }

    JpegReader m_reader;
    jpeg_progress_mgr m_progress{};
    std::vector<JSAMPLE> m_inkRow;  ///< one row of CMYK; empty for other pictures
    bool m_started = false;
};

}  // namespace

Result<std::unique_ptr<Decoder>> openJpegDecoder(std::span<const std::byte> file, DamagePolicy policy) {
    auto decoder = std::make_unique<JpegDecoder>(file, policy);
    if (Status opened = decoder->open(); !opened) return opened.error();
    return std::unique_ptr<Decoder>(std::move(decoder));
}

}  // namespace lanewright
