// SPDX-License-Identifier: GPL-3.0-or-later
// CPU kernel of "resize": a block of output rows at a time, the vertical pass first (it leaves few rows for the horizontal
// one), in tiles of columns so that the source rows of a block stay in the nearest cache. The tiles are turned so that
// the rows of the block lie along the lanes, and the horizontal pass is again a sum of vectors times broadcast weights.
#include "kernels/common/image_ports.h"
#include "kernels/common/plane_rows.h"
#include "kernels/common/scratch.h"
#include "kernels/resize/cpu_plan.h"
#include "kernels/resize/kernels.h"

#include "kernels/api/cpu_kernel.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/resize/cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/common/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lanewright::resize {
namespace HWY_NAMESPACE {

using namespace lanewright::HWY_NAMESPACE;

/// Columns of a tile: whole vectors and whole pairs of pixels of 1, 3 or 4 components. Few enough for the source rows of a
/// block to stay in the second cache, and enough for the hardware to fetch rows ahead; narrow for floats, whose sums lie in
/// memory.
constexpr std::size_t tileColumns(Method method) { return method == Method::fixed ? 3072 : 384; }

/// Scratch of one block of rows.
struct BlockMemory {
    std::uint32_t* turned;  ///< the vertically filtered block, rows along lanes
    std::uint32_t* packed;  ///< the finished block, four bytes of each row in a vector
    const std::uint8_t** rowPointers;
    std::int16_t* fixedTile;
    float* realTile;
    float* realRow;
};

/// Offsets of the parts of BlockMemory in one block of scratch, and its size.
struct BlockLayout {
    std::size_t turned;
    std::size_t packed;
    std::size_t pointers;
    std::size_t tile;
    std::size_t row;
    std::size_t size;
};

BlockLayout blockLayout(const PlanePlan& plan, std::int32_t inputWidth) {
    const auto components = static_cast<std::size_t>(plan.components);
    const std::size_t columns = (static_cast<std::size_t>(inputWidth) + 1) * components;
    const std::size_t turnedColumns = plan.method == Method::fixed ? columns / 2 : columns;
    ScratchLayout layout;
    const std::size_t turned = layout.add<std::uint32_t>((turnedColumns + 8) * blockRows);
    const std::size_t packed = layout.add<std::uint32_t>(((plan.x.first.size() / 4 + 1) * components + 4) * blockRows);
    const std::size_t pointers = layout.add<const std::uint8_t*>(plan.y.stride * blockRows);
    const std::size_t tile = layout.add<std::int16_t>((tileColumns(Method::fixed) + 2 * vectorBytes) * blockRows);
    const std::size_t row = layout.add<float>(tileColumns(Method::real) * scaledRows);
    return {turned, packed, pointers, tile, row, layout.size()};
}

std::size_t scratchSize(const PlanePlan& plan, std::int32_t inputWidth) { return blockLayout(plan, inputWidth).size; }

BlockMemory takeMemory(const PlanePlan& plan, std::int32_t inputWidth) {
    const BlockLayout layout = blockLayout(plan, inputWidth);
    std::byte* block = threadScratch(layout.size);
    return {reinterpret_cast<std::uint32_t*>(block + layout.turned),
            reinterpret_cast<std::uint32_t*>(block + layout.packed),
            reinterpret_cast<const std::uint8_t**>(block + layout.pointers),
            reinterpret_cast<std::int16_t*>(block + layout.tile),
            reinterpret_cast<float*>(block + layout.tile),
            reinterpret_cast<float*>(block + layout.row)};
}

const std::uint8_t* rowOf(const PlaneView& input, std::int32_t y) {
    return reinterpret_cast<const std::uint8_t*>(input.row(y));
}

/// Vertical pass over one block with 16-bit weights, turned into memory.turned.
template <int components>
void filterBlockFixed(const PlanePlan& plan, const PlaneView& input, RowRange rows, const BlockMemory& memory) {
    constexpr std::size_t tile = tileColumns(Method::fixed);
    constexpr std::size_t tileStride = tile + 2 * vectorBytes;
    const auto count = static_cast<std::size_t>(rows.count());
    RowTaps taps[blockRows];
    const std::int16_t* tileRows[blockRows];
    for (std::size_t r = 0; r < count; ++r) {
        const std::int32_t y = rows.begin + static_cast<std::int32_t>(r);
        const std::int32_t first = plan.y.first[static_cast<std::size_t>(y)];
        const std::int32_t last = first + plan.y.count[static_cast<std::size_t>(y)] - 1;
        const std::uint8_t** pointers = memory.rowPointers + r * plan.y.stride;
        const std::size_t pairs = (static_cast<std::size_t>(last - first) + 2) / 2;
        for (std::size_t k = 0; k < 2 * pairs; ++k)
            pointers[k] = rowOf(input, std::min(first + static_cast<std::int32_t>(k), last));
        taps[r] = {pointers, plan.y.fixedWeights(y), pairs, plan.y.bits};
    }
    for (std::size_t r = 0; r < blockRows; ++r) {
        tileRows[r] = memory.fixedTile + std::min(r, count - 1) * tileStride + vectorBytes;
    }
    const std::size_t end = input.shape.rowBytes();
    for (std::size_t begin = 0; begin < end; begin += tile) {
        const std::size_t tileEnd = std::min(begin + tile, end);
        for (std::size_t r = 0; r < count; ++r) {
            filterRows(taps[r], begin, tileEnd, memory.fixedTile + r * tileStride + vectorBytes);
        }
        const std::size_t pairs = (tileEnd - begin + 2 * components - 1) / (2 * components);
        turnPairs<components>(tileRows, pairs, memory.turned + begin / 2 * blockRows);
    }
}

/// The weights of `output` for scaledRows source rows from `y` on, 0 outside its window. False: all are.
HWY_INLINE bool weightsAt(const AxisPlan& axis, std::int32_t output, std::int32_t y, float* weights) {
    const std::int32_t first = y - axis.first[static_cast<std::size_t>(output)];
    const std::int32_t count = axis.count[static_cast<std::size_t>(output)];
    const auto rows = static_cast<std::int32_t>(scaledRows);
    if (first + rows <= 0 || first >= count) return false;
    for (std::int32_t i = 0; i < rows; ++i) {
        const std::int32_t tap = first + i;
        weights[i] = tap < 0 || tap >= count ? 0.0f : axis.realWeights(output)[tap];
    }
    return true;
}

/// Vertical pass over one block in floats, turned into memory.turned.
template <int components>
void filterBlockReal(const PlanePlan& plan, const PlaneView& input, RowRange rows, const BlockMemory& memory) {
    constexpr std::size_t tile = tileColumns(Method::real);
    const auto count = static_cast<std::size_t>(rows.count());
    const RowRange source = plan.rowsNeeded(rows);
    const float* tileRows[blockRows];
    for (std::size_t r = 0; r < blockRows; ++r) tileRows[r] = memory.realTile + std::min(r, count - 1) * tile;
    const std::size_t end = input.shape.rowBytes();
    for (std::size_t begin = 0; begin < end; begin += tile) {
        const std::size_t columns = std::min(tile, end - begin);
        const std::size_t padded = (columns + blockRows - 1) / blockRows * blockRows;
        std::fill_n(memory.realTile, count * tile, 0.0f);
        for (std::int32_t y = source.begin; y < source.end; y += static_cast<std::int32_t>(scaledRows)) {
            for (std::size_t i = 0; i < scaledRows; ++i) {
                const std::int32_t row = std::min(y + static_cast<std::int32_t>(i), source.end - 1);
                loadRealRow(rowOf(input, row) + begin, plan.straightAlpha, columns, padded, memory.realRow + i * tile);
            }
            for (std::size_t r = 0; r < count; ++r) {
                float weights[scaledRows];
                if (!weightsAt(plan.y, rows.begin + static_cast<std::int32_t>(r), y, weights)) continue;
                addScaledRows(weights, memory.realRow, tile, padded, memory.realTile + r * tile);
            }
        }
        turnRows(tileRows, columns, reinterpret_cast<float*>(memory.turned) + begin * blockRows);
    }
}

/// Four bytes of each row from four vectors of finished samples.
HWY_INLINE void packBytes(const VecI32* samples, std::uint32_t* out) {
    const auto low = hn::Or(samples[0], hn::ShiftLeft<8>(samples[1]));
    const auto high = hn::Or(hn::ShiftLeft<16>(samples[2]), hn::ShiftLeft<24>(samples[3]));
    hn::Store(hn::BitCast(TagU32(), hn::Or(low, high)), TagU32(), out);
}

/// One output pixel of all rows of a block; `out` gets one vector a component.
template <int components>
HWY_INLINE void mixFixed(const AxisPlan& axis, const std::uint32_t* turned, std::int32_t x, VecI32* out) {
    const TagI16 d16;
    const TagI32 d32;
    const int shift = axis.bits + intermediateBits;
    const auto index = static_cast<std::size_t>(x);
    const auto* from = reinterpret_cast<const std::int16_t*>(turned + static_cast<std::size_t>(axis.first[index] / 2) *
                                                                          components * blockRows);
    const std::int16_t* weights = axis.fixedWeights(x);
    const std::int16_t* end = weights + axis.count[index];
    const std::int32_t half = 1 << (shift - 1);
    PairSum c0(half), c1(half), c2(half), c3(half);
    for (; weights < end; weights += 2, from += 2 * components * blockRows) {
        const VecI16 w = weightPair(weights);
        c0.add(hn::Load(d16, from), w);
        if constexpr (components > 1) c1.add(hn::Load(d16, from + 2 * blockRows), w);
        if constexpr (components > 2) c2.add(hn::Load(d16, from + 4 * blockRows), w);
        if constexpr (components > 3) c3.add(hn::Load(d16, from + 6 * blockRows), w);
    }
    const auto finished = [&](const PairSum& sum) {
        return hn::Min(hn::Max(hn::ShiftRightSame(sum.sum(), shift), hn::Zero(d32)), hn::Set(d32, 255));
    };
    out[0] = finished(c0);
    if constexpr (components > 1) out[1] = finished(c1);
    if constexpr (components > 2) out[2] = finished(c2);
    if constexpr (components > 3) out[3] = finished(c3);
}

HWY_INLINE VecI32 roundedSample(VecF32 sample) {
    const TagF32 df;
    const auto clamped = hn::Min(hn::Max(sample, hn::Zero(df)), hn::Set(df, 255.0f));
    return hn::ConvertTo(TagI32(), hn::Add(clamped, hn::Set(df, 0.5f)));
}

template <int components>
HWY_INLINE void mixReal(const AxisPlan& axis, bool straightAlpha, const std::uint32_t* turned, std::int32_t x,
                        VecI32* out) {
    const TagF32 df;
    const TagI32 di;
    const auto index = static_cast<std::size_t>(x);
    const float* from =
        reinterpret_cast<const float*>(turned) + static_cast<std::size_t>(axis.first[index]) * components * blockRows;
    const float* weights = axis.realWeights(x);
    VecF32 c0 = hn::Zero(df), c1 = c0, c2 = c0, c3 = c0;
    for (std::int32_t k = 0; k < axis.count[index]; ++k, from += components * blockRows) {
        const auto w = hn::Set(df, weights[k]);
        c0 = hn::MulAdd(w, hn::Load(df, from), c0);
        if constexpr (components > 1) c1 = hn::MulAdd(w, hn::Load(df, from + blockRows), c1);
        if constexpr (components > 2) c2 = hn::MulAdd(w, hn::Load(df, from + 2 * blockRows), c2);
        if constexpr (components > 3) c3 = hn::MulAdd(w, hn::Load(df, from + 3 * blockRows), c3);
    }
    if constexpr (components == 4) {
        out[3] = roundedSample(c3);
        if (straightAlpha) {
            const auto visible = hn::RebindMask(df, hn::Gt(out[3], hn::Zero(di)));
            c0 = hn::IfThenElseZero(visible, hn::Div(c0, c3));
            c1 = hn::IfThenElseZero(visible, hn::Div(c1, c3));
            c2 = hn::IfThenElseZero(visible, hn::Div(c2, c3));
        }
    }
    out[0] = roundedSample(c0);
    if constexpr (components > 1) out[1] = roundedSample(c1);
    if constexpr (components > 2) out[2] = roundedSample(c2);
}

/// Horizontal pass over the turned block into memory.packed, four pixels at a time.
template <int components>
void mixBlock(const PlanePlan& plan, const BlockMemory& memory) {
    const auto width = static_cast<std::int32_t>(plan.x.first.size());
    std::uint32_t* out = memory.packed;
    for (std::int32_t x = 0; x < width; x += 4) {
        VecI32 samples[4 * components];
        for (std::int32_t i = 0; i < 4; ++i) {
            const std::int32_t pixel = std::min(x + i, width - 1);
            if (plan.method == Method::fixed) {
                mixFixed<components>(plan.x, memory.turned, pixel, samples + i * components);
            } else {
                mixReal<components>(plan.x, plan.straightAlpha, memory.turned, pixel, samples + i * components);
            }
        }
        for (std::size_t c = 0; c < components; ++c, out += blockRows) packBytes(samples + 4 * c, out);
    }
}

template <int components>
void filterPlane(const PlanePlan& plan, const PlaneView& input, const MutablePlaneView& output, RowRange rows) {
    const BlockMemory memory = takeMemory(plan, input.shape.width);
    for (std::int32_t y = rows.begin; y < rows.end; y += static_cast<std::int32_t>(blockRows)) {
        const RowRange block{y, std::min(y + static_cast<std::int32_t>(blockRows), rows.end)};
        if (plan.method == Method::fixed) {
            filterBlockFixed<components>(plan, input, block, memory);
        } else {
            filterBlockReal<components>(plan, input, block, memory);
        }
        mixBlock<components>(plan, memory);
        storePacked(memory.packed, static_cast<std::size_t>(block.count()), output.shape.rowBytes(),
                    [&](std::size_t r) {
                        return reinterpret_cast<std::uint8_t*>(output.row(y + static_cast<std::int32_t>(r)));
                    });
    }
}

void resizePlane(const PlanePlan& plan, const PlaneView& input, const MutablePlaneView& output, RowRange rows) {
    if (plan.components == 1) filterPlane<1>(plan, input, output, rows);
    if (plan.components == 3) filterPlane<3>(plan, input, output, rows);
    if (plan.components == 4) filterPlane<4>(plan, input, output, rows);
}

}  // namespace HWY_NAMESPACE
}  // namespace lanewright::resize
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lanewright::resize {
namespace {

HWY_EXPORT(resizePlane);
HWY_EXPORT(scratchSize);

template <int components>
void copyRow(const std::uint8_t* from, const std::vector<std::int32_t>& sources, std::uint8_t* to) {
    for (const std::int32_t source : sources) {
        std::memcpy(to, from + static_cast<std::ptrdiff_t>(source) * components, components);
        to += components;
    }
}

void copyPlane(const PlanePlan& plan, const PlaneView& input, const MutablePlaneView& output, RowRange rows) {
    for (std::int32_t y = rows.begin; y < rows.end; ++y) {
        const auto* from = reinterpret_cast<const std::uint8_t*>(input.row(plan.y.first[static_cast<std::size_t>(y)]));
        auto* to = reinterpret_cast<std::uint8_t*>(output.row(y));
        if (plan.components == 1) copyRow<1>(from, plan.x.first, to);
        if (plan.components == 3) copyRow<3>(from, plan.x.first, to);
        if (plan.components == 4) copyRow<4>(from, plan.x.first, to);
    }
}

class Kernel final : public CpuKernel {
public:
    struct PlaneState {
        std::shared_ptr<const PlanePlan> plan;
        std::int32_t outputDivisor;
        std::int32_t inputDivisor;
    };
    struct ImageState final : State {
        std::vector<PlaneState> planes;
        std::int32_t inputHeight = 0;
    };

    Result<std::unique_ptr<State>> begin(const OperationCall& call) const override {
        const auto& input = std::get<ImageShape>(call.inputs[0]);
        const Geometry geometry = geometryOf(settingsTable().bind(call.parameters), input);
        auto state = std::make_unique<ImageState>();
        state->inputHeight = input.height;
        for (std::size_t i = 0; i < input.planeCount(); ++i) {
            const std::int32_t divisor = planeDivisors(input.format, i).vertical;
            state->planes.push_back({planePlan(planeGeometry(geometry, input, i)), divisor, divisor});
        }
        return std::unique_ptr<State>(std::move(state));
    }

    Status run(State& state, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
               RowRange rows) const override {
        const auto& planes = static_cast<ImageState&>(state).planes;
        const auto& input = std::get<ImageView>(inputs[0]);
        const auto& output = std::get<MutableImageView>(outputs[0]);
        for (std::size_t i = 0; i < planes.size(); ++i) {
            const PlanePlan& plan = *planes[i].plan;
            const RowRange range = planeRows(rows, planes[i].outputDivisor);
            if (plan.method == Method::copy) {
                copyPlane(plan, input.planes[i], output.planes[i], range);
            } else {
                HWY_DYNAMIC_DISPATCH(resizePlane)(plan, input.planes[i], output.planes[i], range);
            }
        }
        return {};
    }

    RowRange rowsNeeded(const State& state, std::size_t, RowRange rows) const override {
        const auto& image = static_cast<const ImageState&>(state);
        RowRange needed;
        for (const PlaneState& plane : image.planes) {
            const RowRange source = plane.plan->rowsNeeded(planeRows(rows, plane.outputDivisor));
            needed = united(needed, rowsOfPlane0(source, plane.inputDivisor, image.inputHeight));
        }
        return needed;
    }

    ByteCount scratchBytes(const OperationCall& call) const override {
        const auto& input = std::get<ImageShape>(call.inputs[0]);
        const Geometry geometry = geometryOf(settingsTable().bind(call.parameters), input);
        std::size_t largest = 0;  // planes are done one after the other
        for (std::size_t i = 0; i < input.planeCount(); ++i) {
            const auto plan = planePlan(planeGeometry(geometry, input, i));
            if (plan->method == Method::copy) continue;
            largest = std::max(largest, HWY_DYNAMIC_DISPATCH(scratchSize)(*plan, input.plane(i).width));
        }
        return ByteCount(largest);
    }
};

}  // namespace

const CpuKernel* cpuKernel() {
    static const Kernel kernel;
    return &kernel;
}

}  // namespace lanewright::resize
#endif  // HWY_ONCE
