// SPDX-License-Identifier: GPL-3.0-or-later
// The decoder is opened at the first run(), because begin() has no bytes yet.
#include "kernels/codecs/decoding_kernel.h"

#include <utility>

namespace lanewright {
namespace {

struct DecodingState : CpuKernel::State {
    ImageShape shape;
    DamagePolicy policy = DamagePolicy::fail;
    const Codec* codec = nullptr;
    std::unique_ptr<Decoder> decoder;
};

Status open(DecodingState& state, std::span<const std::byte> file) {
    if (file.empty()) return Message{"image.empty", {}};
    if (!state.codec->recognises(file)) return Message{"image.changed", {}};
    auto decoder = state.codec->openDecoder(file, state.policy);
    if (!decoder) return std::move(decoder).error();
    if ((*decoder)->shape() != state.shape) return Message{"image.changed", {}};
    state.decoder = std::move(decoder).value();
    return {};
}

}  // namespace

Result<std::unique_ptr<CpuKernel::State>> DecodingKernel::begin(const OperationCall& call) const {
    const Codec* codec = call.image ? findCodec(call.image->codec) : nullptr;
    if (!codec) return Message{"image.unknownFormat", {}};
    auto state = std::make_unique<DecodingState>();
    state->shape = call.image->shape;
    state->policy = m_policyOf(call.parameters);
    state->codec = codec;
    return std::unique_ptr<State>(std::move(state));
}

Status DecodingKernel::run(State& opaque, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
                           RowRange rows) const {
    auto& state = static_cast<DecodingState&>(opaque);
    if (!state.decoder) {
        if (Status opened = open(state, std::get<BytesView>(inputs[0]).bytes); !opened) return opened;
    }
    if (Status read = state.decoder->readRows(std::get<MutableImageView>(outputs[0]), rows); !read) return read;
    if (rows.end < state.shape.height) return {};
    Status finished = state.decoder->finish();
    state.warnings = state.decoder->warnings();
    state.decoder.reset();
    return finished;
}

std::int32_t DecodingKernel::rowAlign(const State& state) const {
    return static_cast<const DecodingState&>(state).codec->rowAlign;
}

ByteCount DecodingKernel::scratchBytes(const OperationCall& call) const {
    return call.image ? call.image->decoderBytes : ByteCount{};
}

Result<std::vector<PortShape>> decodedShapes(const OperationCall& call) {
    if (!call.image) return Message{"image.unknownFormat", {}};
    return std::vector<PortShape>{call.image->shape};
}

WorkEstimate decodingWork(const OperationCall& call) {
    const Codec* codec = call.image ? findCodec(call.image->codec) : nullptr;
    if (!codec) return {};
    const auto fileBytes = static_cast<double>(call.image->fileBytes.value);
    const double pixels = call.image->shape.megapixels() * 1e6;
    return {codec->decodeOperationsPerByte * fileBytes + codec->decodeOperationsPerPixel * pixels,
            fileBytes + static_cast<double>(sizeOf(call.image->shape).value)};
}

}  // namespace lanewright
