// SPDX-License-Identifier: GPL-3.0-or-later
// The codec table: how a file format is recognised, probed, decoded and encoded. Adding a codec is its file and one
// line in codecs(). Decoders and encoders take rows in order and write straight into, or read straight from, the
// caller's rows.
#pragma once

#include "kernels/api/image_meta.h"
#include "kernels/api/result.h"
#include "kernels/api/views.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

/// What happens to an image whose file is damaged but decodes in part.
enum class DamagePolicy : std::uint8_t {
    fail,  ///< the image fails at the first sign of damage
    keep,  ///< the picture comes out as well as it can, with a warning
};

/// Reads one picture, rows in order, all of them. One thread at a time.
class Decoder {
public:
    virtual ~Decoder() = default;
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    const ImageShape& shape() const { return m_shape; }

    /// Writes `rows`, which begin where the last call ended, into `image` of shape(). Errors: image.truncated,
    /// image.damaged, image.memory; nothing but destruction is allowed afterwards.
    virtual Status readRows(const MutableImageView& image, RowRange rows) = 0;

    /// After the last row: checks what follows it in the file. Errors as readRows().
    virtual Status finish() = 0;

    /// Damage that DamagePolicy::keep let pass, complete after finish().
    const std::vector<Message>& warnings() const { return m_warnings; }

protected:
    Decoder() = default;
    ImageShape m_shape;
    std::vector<Message> m_warnings;
};

/// Writes one picture, rows in order, all of them. One thread at a time.
class Encoder {
public:
    virtual ~Encoder() = default;
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;

    /// Encodes `rows`, which begin where the last call ended. Errors: encode.overflow (the room is full), image.memory.
    virtual Status writeRows(const ImageView& image, RowRange rows) = 0;

    /// After the last row: completes the file. How many bytes of the room it takes. Errors as writeRows().
    virtual Result<std::size_t> finish() = 0;

protected:
    Encoder() = default;
};

/// Settings of all codecs; each reads its own.
struct EncodeSettings {
    int quality = 85;                                         ///< JPEG, 1..100
    ChromaSubsampling subsampling = ChromaSubsampling::s420;  ///< JPEG: s420, s422 or none
    int compressionLevel = 6;                                 ///< PNG, 0..9
};

struct Codec {
    std::string_view name;                     ///< in files and parameters: "jpeg"
    std::string_view label;                    ///< "JPEG"
    std::vector<std::string_view> extensions;  ///< without the dot; files are written with the first
    std::vector<PixelFormat> encodedFormats;   ///< that the encoder takes, cheapest first
    std::int32_t maximumSide = 65535;          ///< that the encoder takes
    std::int32_t rowAlign = 1;                 ///< rows that decoding makes at a time

    /// By content; `head` may be shorter than a signature.
    bool (*recognises)(std::span<const std::byte> head) = nullptr;

    /// `head` is the beginning of a file of `fileBytes` bytes that recognises() holds for. Errors as ImageProber.
    Result<ProbedImage> (*probe)(std::span<const std::byte> head, ByteCount fileBytes) = nullptr;

    /// `file` is the whole file and must outlive the decoder. Errors: image.*
    Result<std::unique_ptr<Decoder>> (*openDecoder)(std::span<const std::byte> file, DamagePolicy policy) = nullptr;

    /// Writes into `room`, which must outlive the encoder. `shape` is one of encodedFormats and no larger than
    /// maximumSide.
    Result<std::unique_ptr<Encoder>> (*openEncoder)(const ImageShape& shape, const EncodeSettings& settings,
                                                    std::span<std::byte> room) = nullptr;

    /// Room that always suffices for openEncoder().
    ByteCount (*encodedBound)(const ImageShape& shape, const EncodeSettings& settings) = nullptr;

    /// Estimated operations, eight a cycle of a core: decoding per byte of the file and per pixel, encoding per pixel.
    double decodeOperationsPerByte = 0;
    double decodeOperationsPerPixel = 0;
    double (*encodeOperationsPerPixel)(const PixelFormat& format, const EncodeSettings& settings) = nullptr;

    /// The settings that matter to it, in words: "quality 85".
    std::string (*settingsText)(const EncodeSettings& settings) = nullptr;
};

/// Every codec of this build.
std::span<const Codec* const> codecs();

/// nullptr: no such codec.
const Codec* findCodec(std::string_view name);

/// The codec of a file that begins with `head`, or nullptr.
const Codec* recognisedCodec(std::span<const std::byte> head);

/// The catalog's ImageProber. Errors: image.empty, image.incompleteHeader, image.unknownFormat, image.truncated,
/// image.damaged, image.unsupported, image.tooLarge.
Result<ProbedImage> probeImage(std::span<const std::byte> head, ByteCount fileBytes);

/// Decodes a whole file into `image`, the truth of conformance tests; warnings are appended to `*warnings` unless it is
/// nullptr. Errors: those of the decoder, image.changed when the file does not hold an image of that shape.
Status decodeImage(std::span<const std::byte> file, DamagePolicy policy, const MutableImageView& image,
                   std::vector<Message>* warnings = nullptr);

}  // namespace lanewright
