// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU kernel of the stages that decode: one file in, rows of one image out, in order.
#pragma once

#include "kernels/api/operation.h"
#include "kernels/codecs/codec.h"

namespace lanewright {

/// Errors of run(): those of the codec, image.changed when the file is no longer the one that was probed.
class DecodingKernel final : public CpuKernel {
public:
    using PolicyOf = DamagePolicy (*)(const Parameters&);

    explicit DecodingKernel(PolicyOf policyOf) : m_policyOf(policyOf) {}

    Result<std::unique_ptr<State>> begin(const OperationCall& call) const override;
    Status run(State& state, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
               RowRange rows) const override;
    RowRange rowsNeeded(const State&, std::size_t, RowRange) const override { return {0, 0}; }
    std::int32_t rowAlign(const State& state) const override;
    bool inOrder() const override { return true; }
    ByteCount scratchBytes(const OperationCall& call) const override;

private:
    PolicyOf m_policyOf;
};

/// What probing promised is what decoding delivers. Errors: image.unknownFormat without a probed image.
Result<std::vector<PortShape>> decodedShapes(const OperationCall& call);

WorkEstimate decodingWork(const OperationCall& call);

}  // namespace lanewright
