// SPDX-License-Identifier: GPL-3.0-or-later
// JPEG over libjpeg-turbo's libjpeg interface.
#pragma once

#include "kernels/codecs/codec.h"

namespace lanewright {

/// Gray comes as gray8, everything else as rgb8. Precision other than 8 bits and lossless JPEG are image.unsupported.
const Codec& jpegCodec();

Result<std::unique_ptr<Decoder>> openJpegDecoder(std::span<const std::byte> file, DamagePolicy policy);
Result<std::unique_ptr<Encoder>> openJpegEncoder(const ImageShape& shape, const EncodeSettings& settings,
                                                 std::span<std::byte> room);
ByteCount jpegEncodedBound(const ImageShape& shape, const EncodeSettings& settings);

}  // namespace lanewright
