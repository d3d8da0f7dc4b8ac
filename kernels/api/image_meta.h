// SPDX-License-Identifier: GPL-3.0-or-later
// What a probe reads of an image file beside its pixels. Stays on the host, beside the image, until encode.
#pragma once

#include "kernels/api/image_shape.h"
#include "kernels/api/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lanewright {

/// EXIF orientation 1..8; profile and EXIF block as they stood in the file.
struct ImageMeta {
    std::uint8_t orientation = 1;
    std::vector<std::byte> icc;
    std::vector<std::byte> exif;
    std::vector<Message> warnings;
};

/// One image of an input set, read from the head of its file.
struct ProbedImage {
    std::string codec;  ///< "jpeg", "png"
    ImageShape shape;   ///< as decode delivers it by default
    ByteCount fileBytes;
    std::shared_ptr<const ImageMeta> meta;  ///< none when there is nothing to say
    ByteCount decoderBytes{};  ///< host memory that decoding takes beside file and picture (progressive JPEG: much)
};

}  // namespace lanewright
