// SPDX-License-Identifier: GPL-3.0-or-later
// PNG over libspng.
#pragma once

#include "kernels/codecs/codec.h"

namespace lanewright {

/// Gray comes as gray8, pictures with alpha or a transparent colour as rgba8, others as rgb8; 16 bits are rounded to 8.
const Codec& pngCodec();

Result<std::unique_ptr<Decoder>> openPngDecoder(std::span<const std::byte> file, DamagePolicy policy);
Result<std::unique_ptr<Encoder>> openPngEncoder(const ImageShape& shape, const EncodeSettings& settings,
                                                std::span<std::byte> room);
ByteCount pngEncodedBound(const ImageShape& shape, const EncodeSettings& settings);

}  // namespace lanewright
