// SPDX-License-Identifier: GPL-3.0-or-later
// The list of codecs and what is done with it.
#include "kernels/codecs/codec.h"

#include "kernels/codecs/checks.h"
#include "kernels/codecs/jpeg.h"
#include "kernels/codecs/png.h"

#include <algorithm>
#include <array>

namespace lanewright {
namespace {

/// Enough of a file to tell every codec's signature.
constexpr std::size_t signatureBytes = 16;

}  // namespace

std::span<const Codec* const> codecs() {
    static const std::array list = {
        &jpegCodec(),
        &pngCodec(),
    };
    return list;
}

const Codec* findCodec(std::string_view name) {
    const auto list = codecs();
    const auto found =
        std::find_if(list.begin(), list.end(), [name](const Codec* codec) { return codec->name == name; });
    return found == list.end() ? nullptr : *found;
}

const Codec* recognisedCodec(std::span<const std::byte> head) {
    const auto list = codecs();
    const auto found =
        std::find_if(list.begin(), list.end(), [head](const Codec* codec) { return codec->recognises(head); });
    return found == list.end() ? nullptr : *found;
}

Result<ProbedImage> probeImage(std::span<const std::byte> head, ByteCount fileBytes) {
    if (fileBytes.value == 0) return Message{"image.empty", {}};
    if (const Codec* codec = recognisedCodec(head)) return codec->probe(head, fileBytes);
    if (head.size() < signatureBytes && head.size() < fileBytes.value) return Message{"image.incompleteHeader", {}};
    return Message{"image.unknownFormat", {}};
}

Status decodeImage(std::span<const std::byte> file, DamagePolicy policy, const MutableImageView& image,
                   std::vector<Message>* warnings) {
    if (file.empty()) return Message{"image.empty", {}};
    const Codec* codec = recognisedCodec(file);
    if (!codec) return Message{"image.unknownFormat", {}};
    auto decoder = codec->openDecoder(file, policy);
    if (!decoder) return std::move(decoder).error();
    Decoder& open = **decoder;
    if (open.shape() != image.shape) return Message{"image.changed", {}};
    if (Status read = open.readRows(image, {0, image.shape.height}); !read) return read;
    if (Status finished = open.finish(); !finished) return finished;
    if (warnings) warnings->insert(warnings->end(), open.warnings().begin(), open.warnings().end());
    return {};
}

Status checkedSize(std::uint64_t width, std::uint64_t height) {
    if (width == 0 || height == 0) return damagedMessage("a side of the picture is 0 pixels long");
    if (width <= maximumSide && height <= maximumSide && width * height <= maximumPixels) return {};
    return Message{"image.tooLarge",
                   {{"width", std::to_string(width)},
                    {"height", std::to_string(height)},
                    {"maximumSide", std::to_string(maximumSide)},
                    {"maximumPixels", std::to_string(maximumPixels)}}};
}

Message damagedMessage(const std::string& detail) { return {"image.damaged", {{"detail", detail}}}; }

Message unsupportedMessage(const std::string& detail) { return {"image.unsupported", {{"detail", detail}}}; }

Message truncatedMessage() { return {"image.truncated", {}}; }

Message memoryMessage() { return {"image.memory", {}}; }

}  // namespace lanewright
