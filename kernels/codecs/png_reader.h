// SPDX-License-Identifier: GPL-3.0-or-later
// A libspng context over bytes in memory, as far as the chunks before the pixels: what probe and decoder have in
// common.
#pragma once

#include "kernels/api/image_meta.h"
#include "kernels/api/result.h"

#include <spng.h>

#include <cstddef>
#include <memory>
#include <span>

namespace lanewright {

struct SpngDeleter {
    void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};
using SpngContext = std::unique_ptr<spng_ctx, SpngDeleter>;

/// libspng's code as a Message: image.truncated, image.memory, image.damaged with its text.
Message pngMessage(int code);

/// How libspng delivers a row, and what becomes of it.
struct PngRows {
    ImageShape shape;           ///< of the picture we deliver
    int format = SPNG_FMT_PNG;  ///< of libspng's rows
    int flags = 0;              ///< SPNG_DECODE_TRNS or none
    std::size_t rowBytes = 0;   ///< of libspng's rows
    bool wide = false;          ///< 16-bit samples, to be rounded to 8
    bool interlaced = false;    ///< rows come in passes and need a frame of their own
};

class PngReader {
public:
    explicit PngReader(std::span<const std::byte> bytes);

    /// Reads all chunks before the pixels. Errors: image.truncated when the bytes end before, image.damaged,
    /// image.tooLarge, image.memory.
    Result<PngRows> readHeader();

    /// Profile, EXIF and orientation, after readHeader(); nullptr when there are none.
    std::shared_ptr<const ImageMeta> meta();

    spng_ctx* context() { return m_context.get(); }

private:
    SpngContext m_context;
    std::span<const std::byte> m_bytes;
};

}  // namespace lanewright
