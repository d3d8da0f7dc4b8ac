// SPDX-License-Identifier: GPL-3.0-or-later
// CPU kernel of "gaussian_blur": a block of rows at a time, vertically in tiles of columns so that the source rows stay in
// the cache, then horizontally along the finished rows, whose ends are extended by the edge rule. Weights are symmetric:
// samples at equal distance are added first.
#include "kernels/common/plane_rows.h"
#include "kernels/common/scratch.h"
#include "kernels/gaussian_blur/cpu_plan.h"

#include "kernels/api/cpu_kernel.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gaussian_blur/cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/common/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lanewright::gaussian_blur {
namespace HWY_NAMESPACE {

using namespace lanewright::HWY_NAMESPACE;

constexpr std::int32_t blockHeight = 16;
constexpr std::size_t tileColumns = 1024;
constexpr std::size_t realColumns = 384;  // sums lie in the nearest cache

/// Scratch of one block. Row r of the vertically blurred block begins `pad` samples behind r * stride.
struct BlockMemory {
    const std::uint8_t** rowPointers;  ///< of one output row
    std::int16_t* fixedRows;
    float* realRows;  ///< in place of fixedRows
    float* realRow;
    std::uint8_t* lastBytes;
    std::size_t stride;
    std::size_t pad;
};

struct BlockLayout {
    std::size_t pointers;
    std::size_t rows;
    std::size_t row;
    std::size_t last;
    std::size_t size;
    std::size_t stride;
    std::size_t pad;
};

BlockLayout blockLayout(const BlurPlan& plan, const PlaneShape& shape) {
    const auto components = static_cast<std::size_t>(shape.components);
    // One tap more than the radius: weights come in pairs.
    const std::size_t pad = ((static_cast<std::size_t>(plan.x.radius) + 1) * components + 63) / 64 * 64;
    const std::size_t stride = (shape.rowBytes() + 63) / 64 * 64 + 2 * pad + 2 * vectorBytes;
    ScratchLayout layout;
    const std::size_t pointers = layout.add<const std::uint8_t*>(plan.y.all.size());
    const bool fixed = plan.method == Method::fixed;
    const std::size_t rows =
        fixed ? layout.add<std::int16_t>(stride * blockHeight) : layout.add<float>(stride * blockHeight);
    const std::size_t row = layout.add<float>(realColumns * scaledRows);
    const std::size_t last = layout.add<std::uint8_t>(vectorBytes);
    return {pointers, rows, row, last, layout.size(), stride, pad};
}

std::size_t scratchSize(const BlurPlan& plan, const PlaneShape& shape) { return blockLayout(plan, shape).size; }

BlockMemory takeMemory(const BlurPlan& plan, const PlaneShape& shape) {
    const BlockLayout layout = blockLayout(plan, shape);
    std::byte* block = threadScratch(layout.size);
    return {reinterpret_cast<const std::uint8_t**>(block + layout.pointers),
            reinterpret_cast<std::int16_t*>(block + layout.rows),
            reinterpret_cast<float*>(block + layout.rows),
            reinterpret_cast<float*>(block + layout.row),
            reinterpret_cast<std::uint8_t*>(block + layout.last),
            layout.stride,
            layout.pad};
}

void filterBlockFixed(const BlurPlan& plan, const PlaneView& input, RowRange rows, const BlockMemory& memory) {
    const std::size_t end = input.shape.rowBytes();
    for (std::size_t begin = 0; begin < end; begin += tileColumns) {
        for (std::int32_t y = rows.begin; y < rows.end; ++y) {
            const auto taps = static_cast<std::int32_t>(plan.y.all.size());
            for (std::int32_t k = 0; k < taps; ++k) {
                const std::int32_t source = borderIndex(plan.edges, y - plan.y.radius + k, input.shape.height);
                memory.rowPointers[k] = reinterpret_cast<const std::uint8_t*>(input.row(source));
            }
            // Shares the last row with the weight of 0.
            memory.rowPointers[taps - 1] = memory.rowPointers[taps - 2];
            const RowTaps rowTaps{memory.rowPointers, plan.y.all.data(), plan.y.all.size() / 2, plan.y.bits};
            std::int16_t* out =
                memory.fixedRows + static_cast<std::size_t>(y - rows.begin) * memory.stride + memory.pad + begin;
            filterRows(rowTaps, begin, std::min(begin + tileColumns, end), out);
        }
    }
}

/// The weights of scaledRows source rows from `distance` rows behind the output row on, 0 beyond the radius. False: all are.
HWY_INLINE bool weightsAt(const AxisPlan& axis, std::int32_t distance, float* weights) {
    bool any = false;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(scaledRows); ++i) {
        const std::int32_t k = distance + i < 0 ? -distance - i : distance + i;
        weights[i] = k > axis.radius ? 0.0f : axis.real[static_cast<std::size_t>(k)];
        any = any || k <= axis.radius;
    }
    return any;
}

void filterBlockReal(const BlurPlan& plan, const PlaneView& input, RowRange rows, const BlockMemory& memory) {
    const std::size_t end = input.shape.rowBytes();
    const auto count = static_cast<std::size_t>(rows.count());
    for (std::size_t begin = 0; begin < end; begin += realColumns) {
        const std::size_t columns = std::min(realColumns, end - begin);
        const std::size_t padded = (columns + blockRows - 1) / blockRows * blockRows;
        float* tile = memory.realRows + memory.pad + begin;
        for (std::size_t r = 0; r < count; ++r) std::fill_n(tile + r * memory.stride, padded, 0.0f);
        const auto step = static_cast<std::int32_t>(scaledRows);
        const std::int32_t last = rows.end - 1 + plan.y.radius;
        for (std::int32_t y = rows.begin - plan.y.radius; y <= last; y += step) {
            for (std::int32_t i = 0; i < step; ++i) {
                const std::int32_t source = borderIndex(plan.edges, std::min(y + i, last), input.shape.height);
                const auto* row = reinterpret_cast<const std::uint8_t*>(input.row(source)) + begin;
                float* to = memory.realRow + static_cast<std::size_t>(i) * realColumns;
                loadRealRow(row, plan.straightAlpha, columns, padded, to);
            }
            for (std::size_t r = 0; r < count; ++r) {
                float weights[scaledRows];
                if (!weightsAt(plan.y, y - rows.begin - static_cast<std::int32_t>(r), weights)) continue;
                addScaledRows(weights, memory.realRow, realColumns, padded, tile + r * memory.stride);
            }
        }
    }
}

/// Fills `pad` samples on both sides of a row of `width` pixels that begins at `row`.
template <class Sample>
void extendRow(const BlurPlan& plan, std::int32_t width, std::int32_t components, Sample* row) {
    for (std::int32_t x = 1; x <= plan.x.radius + 1; ++x) {
        const Sample* left = row + static_cast<std::ptrdiff_t>(borderIndex(plan.edges, -x, width)) * components;
        const Sample* right =
            row + static_cast<std::ptrdiff_t>(borderIndex(plan.edges, width - 1 + x, width)) * components;
        std::copy_n(left, components, row - static_cast<std::ptrdiff_t>(x) * components);
        std::copy_n(right, components, row + static_cast<std::ptrdiff_t>(width - 1 + x) * components);
    }
}

/// One vector of intermediate columns at `from`, blurred horizontally, as 8-bit samples in 16-bit lanes.
HWY_INLINE VecI16 mixFixed(const AxisPlan& axis, std::size_t components, const std::int16_t* from) {
    const TagI16 d16;
    const int shift = axis.bits + intermediateBits;
    const std::int32_t half = 1 << (shift - 1);
    PairSum low(half), high(half);
    const auto pairAt = [&](std::size_t distance) {  // at most 2 * 16320: fits
        return hn::Add(hn::LoadU(d16, from - distance), hn::LoadU(d16, from + distance));
    };
    const auto add = [&](VecI16 a, VecI16 b, const std::int16_t* weights) {
        const VecI16 w = weightPair(weights);
        low.add(hn::InterleaveLower(d16, a, b), w);
        high.add(hn::InterleaveUpper(d16, a, b), w);
    };
    add(hn::LoadU(d16, from), pairAt(components), axis.fixed.data());
    for (std::size_t k = 2; k < axis.fixed.size(); k += 2) {
        add(pairAt(k * components), pairAt((k + 1) * components), axis.fixed.data() + k);
    }
    return hn::ReorderDemote2To(d16, hn::ShiftRightSame(low.sum(), shift), hn::ShiftRightSame(high.sum(), shift));
}

void mixRowFixed(const AxisPlan& axis, std::size_t components, const std::int16_t* row, std::size_t count,
                 std::uint8_t* lastBytes, std::uint8_t* out) {
    const hn::Rebind<std::uint8_t, TagI16> d8;
    constexpr std::size_t lanes = hn::MaxLanes(TagI16());
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(hn::DemoteTo(d8, mixFixed(axis, components, row + i)), d8, out + i);
    if (i == count) return;
    hn::Store(hn::DemoteTo(d8, mixFixed(axis, components, row + i)), d8, lastBytes);
    std::copy_n(lastBytes, count - i, out + i);
}

/// One vector of floats, blurred horizontally and finished, as 8-bit samples in 32-bit lanes.
HWY_INLINE VecI32 mixReal(const AxisPlan& axis, std::size_t components, bool straightAlpha, const float* from) {
    const TagF32 df;
    const TagI32 di;
    VecF32 sum = hn::Mul(hn::Set(df, axis.real[0]), hn::LoadU(df, from));
    for (std::size_t k = 1; k < axis.real.size(); ++k) {
        const auto pair = hn::Add(hn::LoadU(df, from - k * components), hn::LoadU(df, from + k * components));
        sum = hn::MulAdd(hn::Set(df, axis.real[k]), pair, sum);
    }
    const auto rounded = [&](VecF32 sample) {
        const auto clamped = hn::Min(hn::Max(sample, hn::Zero(df)), hn::Set(df, 255.0f));
        return hn::ConvertTo(di, hn::Add(clamped, hn::Set(df, 0.5f)));
    };
    if (!straightAlpha) return rounded(sum);
    const auto alpha = hn::Broadcast<3>(sum);
    const auto visible = hn::RebindMask(df, hn::Gt(rounded(alpha), hn::Zero(di)));
    const auto isAlpha = hn::RebindMask(df, hn::Eq(hn::And(hn::Iota(di, 0), hn::Set(di, 3)), hn::Set(di, 3)));
    return rounded(hn::IfThenElse(isAlpha, sum, hn::IfThenElseZero(visible, hn::Div(sum, alpha))));
}

void mixRowReal(const AxisPlan& axis, std::size_t components, bool straightAlpha, const float* row, std::size_t count,
                std::uint8_t* lastBytes, std::uint8_t* out) {
    const hn::Rebind<std::uint8_t, TagI32> d8;
    std::size_t i = 0;
    for (; i + blockRows <= count; i += blockRows) {
        hn::StoreU(hn::DemoteTo(d8, mixReal(axis, components, straightAlpha, row + i)), d8, out + i);
    }
    if (i == count) return;
    hn::Store(hn::DemoteTo(d8, mixReal(axis, components, straightAlpha, row + i)), d8, lastBytes);
    std::copy_n(lastBytes, count - i, out + i);
}

void blurPlane(const BlurPlan& plan, const PlaneView& input, const MutablePlaneView& output, RowRange rows) {
    const PlaneShape& shape = input.shape;
    const auto components = static_cast<std::size_t>(shape.components);
    const BlockMemory memory = takeMemory(plan, shape);
    for (std::int32_t begin = rows.begin; begin < rows.end; begin += blockHeight) {
        const RowRange block{begin, std::min(begin + blockHeight, rows.end)};
        const bool fixed = plan.method == Method::fixed;
        fixed ? filterBlockFixed(plan, input, block, memory) : filterBlockReal(plan, input, block, memory);
        for (std::int32_t y = block.begin; y < block.end; ++y) {
            const std::size_t offset = static_cast<std::size_t>(y - begin) * memory.stride + memory.pad;
            auto* out = reinterpret_cast<std::uint8_t*>(output.row(y));
            if (fixed) {
                std::int16_t* row = memory.fixedRows + offset;
                extendRow(plan, shape.width, shape.components, row);
                mixRowFixed(plan.x, components, row, shape.rowBytes(), memory.lastBytes, out);
            } else {
                float* row = memory.realRows + offset;
                extendRow(plan, shape.width, shape.components, row);
                mixRowReal(plan.x, components, plan.straightAlpha, row, shape.rowBytes(), memory.lastBytes, out);
            }
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace lanewright::gaussian_blur
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lanewright::gaussian_blur {
namespace {

HWY_EXPORT(blurPlane);
HWY_EXPORT(scratchSize);

struct PlaneState {
    std::shared_ptr<const BlurPlan> plan;
    std::int32_t divisor;
    std::int32_t height;
};

struct ImageState final : CpuKernel::State {
    std::vector<PlaneState> planes;
};

PlaneState planeState(const OperationCall& call, std::size_t plane) {
    const auto& input = std::get<ImageShape>(call.inputs[0]);
    const PlaneBlur blur = planeBlur(settingsTable().bind(call.parameters), input.format, plane);
    return {blurPlan(blur, input.format.alpha == AlphaMode::straight), planeDivisors(input.format, plane).vertical,
            input.plane(plane).height};
}

class Kernel final : public CpuKernel {
public:
    Result<std::unique_ptr<State>> begin(const OperationCall& call) const override {
        auto state = std::make_unique<ImageState>();
        const std::size_t planes = std::get<ImageShape>(call.inputs[0]).planeCount();
        for (std::size_t i = 0; i < planes; ++i) state->planes.push_back(planeState(call, i));
        return std::unique_ptr<State>(std::move(state));
    }

    Status run(State& state, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
               RowRange rows) const override {
        const auto& planes = static_cast<ImageState&>(state).planes;
        const auto& input = std::get<ImageView>(inputs[0]);
        const auto& output = std::get<MutableImageView>(outputs[0]);
        for (std::size_t i = 0; i < planes.size(); ++i) {
            const RowRange range = planeRows(rows, planes[i].divisor);
            HWY_DYNAMIC_DISPATCH(blurPlane)(*planes[i].plan, input.planes[i], output.planes[i], range);
        }
        return {};
    }

    RowRange rowsNeeded(const State& state, std::size_t, RowRange rows) const override {
        const auto& planes = static_cast<const ImageState&>(state).planes;
        RowRange needed;
        for (const PlaneState& plane : planes) {
            const RowRange range = planeRows(rows, plane.divisor);
            if (range.empty()) continue;
            const std::int32_t radius = plane.plan->y.radius;
            // Either edge rule mirrors or repeats rows that are within this range anyway.
            const RowRange source{std::max(0, range.begin - radius), std::min(plane.height, range.end + radius)};
            needed = united(needed, rowsOfPlane0(source, plane.divisor, planes[0].height));
        }
        return needed;
    }

    ByteCount scratchBytes(const OperationCall& call) const override {
        const auto& input = std::get<ImageShape>(call.inputs[0]);
        std::size_t largest = 0;  // planes are done one after the other
        for (std::size_t i = 0; i < input.planeCount(); ++i) {
            largest = std::max(largest, HWY_DYNAMIC_DISPATCH(scratchSize)(*planeState(call, i).plan, input.plane(i)));
        }
        return ByteCount(largest);
    }
};

}  // namespace

const CpuKernel* cpuKernel() {
    static const Kernel kernel;
    return &kernel;
}

}  // namespace lanewright::gaussian_blur
#endif  // HWY_ONCE
