// SPDX-License-Identifier: GPL-3.0-or-later
// A libjpeg decompressor over bytes in memory, as far as the header: what probe and decoder have in common.
#pragma once

#include "kernels/codecs/jpeg_errors.h"

#include <cstddef>
#include <span>

namespace lanewright {

/// The library points into it: it never moves.
class JpegReader {
public:
    JpegReader(std::span<const std::byte> bytes, DamagePolicy policy);
    ~JpegReader();
    JpegReader(const JpegReader&) = delete;
    JpegReader& operator=(const JpegReader&) = delete;

    enum class Header { complete, incomplete, failed };

    /// Reads up to the first scan. `keepMetadata`: APP1 and APP2 markers stay in info().marker_list. incomplete: the
    /// bytes end before the header does. failed: see errors().failure().
    Header readHeader(bool keepMetadata);

    /// Shape of the decoded picture. Errors: image.unsupported, image.tooLarge.
    Result<ImageShape> shape() const;

    /// Host memory that libjpeg takes for it, about: rows in flight, and for files of several scans all coefficients.
    ByteCount memory() const;

    jpeg_decompress_struct& info() { return m_info; }
    JpegErrors& errors() { return m_errors; }

private:
    static void onInit(j_decompress_ptr) {}
    static boolean onFill(j_decompress_ptr info);
    static void onSkip(j_decompress_ptr info, long count);
    static void onTerm(j_decompress_ptr) {}

    JpegErrors m_errors;
    jpeg_source_mgr m_source{};
    jpeg_decompress_struct m_info{};
    bool m_created = false;
    bool m_headerRead = false;
};

}  // namespace lanewright
