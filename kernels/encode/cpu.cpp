// SPDX-License-Identifier: GPL-3.0-or-later
// Encoding on the CPU: libjpeg-turbo and libspng, row by row, straight into the room that was handed in.
#include "kernels/encode/kernels.h"

namespace lanewright::encode {
namespace {

struct EncodingState : CpuKernel::State {
    ImageShape shape;
    Choice choice{};
    std::unique_ptr<Encoder> encoder;
};

class EncodingKernel final : public CpuKernel {
public:
    Result<std::unique_ptr<State>> begin(const OperationCall& call) const override {
        auto state = std::make_unique<EncodingState>();
        state->shape = std::get<ImageShape>(call.inputs[0]);
        state->choice = choiceOf(call.parameters);
        return std::unique_ptr<State>(std::move(state));
    }

    /// The room must be the same in every call of one image.
    Status run(State& opaque, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
               RowRange rows) const override {
        auto& state = static_cast<EncodingState&>(opaque);
        const auto& bytes = std::get<MutableBytesView>(outputs[0]);
        if (!state.encoder) {
            auto encoder = state.choice.codec->openEncoder(state.shape, state.choice.settings, bytes.room);
            if (!encoder) return std::move(encoder).error();
            state.encoder = std::move(encoder).value();
        }
        if (Status written = state.encoder->writeRows(std::get<ImageView>(inputs[0]), rows); !written) return written;
        if (rows.end < state.shape.height) return {};
        const auto size = state.encoder->finish();
        state.encoder.reset();
        if (!size) return size.error();
        *bytes.actual = *size;
        return {};
    }

    RowRange rowsNeeded(const State&, std::size_t, RowRange rows) const override { return rows; }

    bool inOrder() const override { return true; }

    /// libjpeg holds a few rows of each component, zlib its window and hash chains and libspng some rows.
    ByteCount scratchBytes(const OperationCall& call) const override {
        constexpr std::uint64_t fixedBytes = 512 * 1024;
        constexpr std::uint64_t rows = 24;
        return ByteCount(fixedBytes + rows * std::get<ImageShape>(call.inputs[0]).plane(0).rowBytes());
    }
};

}  // namespace

const CpuKernel* cpuKernel() {
    static const EncodingKernel kernel;
    return &kernel;
}

}  // namespace lanewright::encode
