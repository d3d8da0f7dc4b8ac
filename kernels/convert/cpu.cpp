// SPDX-License-Identifier: GPL-3.0-or-later
// Conversions on the CPU, a row at a time. Same arithmetic as the reference: results are equal.
#include "kernels/convert/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/convert/cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace lanewright::convert::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

const hn::ScalableTag<std::uint16_t> wide;
const hn::Rebind<std::uint8_t, decltype(wide)> narrow;
using Wide = hn::Vec<decltype(wide)>;
using Narrow = hn::Vec<decltype(narrow)>;

HWY_INLINE Narrow demoted(Wide v) {
    // At most 255, so that the sign does not matter.
    return hn::DemoteTo(narrow, hn::BitCast(hn::RebindToSigned<decltype(wide)>(), v));
}

/// luma() in 32-bit lanes: even and odd pixels apart, so that their order stays.
HWY_INLINE Wide lumaOf(Wide red, Wide green, Wide blue) {
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(wide, luma(hn::GetLane(red), hn::GetLane(green), hn::GetLane(blue)));
#else
    const hn::RepartitionToWide<decltype(wide)> d32;
    const auto weighted = [d32](auto r, auto g, auto b) {
        const auto sum = hn::Add(hn::Add(hn::Mul(r, hn::Set(d32, redWeight)), hn::Mul(g, hn::Set(d32, greenWeight))),
                                 hn::Add(hn::Mul(b, hn::Set(d32, blueWeight)), hn::Set(d32, 32768u)));
        return hn::ShiftRight<16>(sum);
    };
    const auto even = [d32](Wide v) { return hn::And(hn::BitCast(d32, v), hn::Set(d32, 0xFFFFu)); };
    const auto odd = [d32](Wide v) { return hn::ShiftRight<16>(hn::BitCast(d32, v)); };
    const auto low = weighted(even(red), even(green), even(blue));
    const auto high = weighted(odd(red), odd(green), odd(blue));
    return hn::BitCast(wide, hn::Or(low, hn::ShiftLeft<16>(high)));
#endif
}

HWY_INLINE Wide overWhiteOf(Wide sample, Wide alpha) {
    const Wide full = hn::Set(wide, 255);
    const Wide sum = hn::Add(hn::Add(hn::Mul(sample, alpha), hn::Mul(hn::Sub(full, alpha), full)), hn::Set(wide, 128));
    return hn::ShiftRight<8>(hn::Add(sum, hn::ShiftRight<8>(sum)));
}

void grayToRgb(const std::uint8_t* HWY_RESTRICT in, std::uint8_t* HWY_RESTRICT out, std::size_t pixels) {
    const hn::ScalableTag<std::uint8_t> d;
    std::size_t x = 0;
    for (; x + hn::Lanes(d) <= pixels; x += hn::Lanes(d)) {
        const auto v = hn::LoadU(d, in + x);
        hn::StoreInterleaved3(v, v, v, d, out + 3 * x);
    }
    for (; x < pixels; ++x) std::memset(out + 3 * x, in[x], 3);
}

void grayToRgba(const std::uint8_t* HWY_RESTRICT in, std::uint8_t* HWY_RESTRICT out, std::size_t pixels) {
    const hn::ScalableTag<std::uint8_t> d;
    const auto opaque = hn::Set(d, 255);
    std::size_t x = 0;
    for (; x + hn::Lanes(d) <= pixels; x += hn::Lanes(d)) {
        const auto v = hn::LoadU(d, in + x);
        hn::StoreInterleaved4(v, v, v, opaque, d, out + 4 * x);
    }
    for (; x < pixels; ++x) {
        std::memset(out + 4 * x, in[x], 3);
        out[4 * x + 3] = 255;
    }
}

void rgbToRgba(const std::uint8_t* HWY_RESTRICT in, std::uint8_t* HWY_RESTRICT out, std::size_t pixels) {
    const hn::ScalableTag<std::uint8_t> d;
    const auto opaque = hn::Set(d, 255);
    std::size_t x = 0;
    for (; x + hn::Lanes(d) <= pixels; x += hn::Lanes(d)) {
        hn::Vec<decltype(d)> red, green, blue;
        hn::LoadInterleaved3(d, in + 3 * x, red, green, blue);
        hn::StoreInterleaved4(red, green, blue, opaque, d, out + 4 * x);
    }
    for (; x < pixels; ++x) {
        std::memcpy(out + 4 * x, in + 3 * x, 3);
        out[4 * x + 3] = 255;
    }
}

void rgbToGray(const std::uint8_t* HWY_RESTRICT in, std::uint8_t* HWY_RESTRICT out, std::size_t pixels) {
    std::size_t x = 0;
    for (; x + hn::Lanes(wide) <= pixels; x += hn::Lanes(wide)) {
        Narrow red, green, blue;
        hn::LoadInterleaved3(narrow, in + 3 * x, red, green, blue);
        const Wide gray = lumaOf(hn::PromoteTo(wide, red), hn::PromoteTo(wide, green), hn::PromoteTo(wide, blue));
        hn::StoreU(demoted(gray), narrow, out + x);
    }
    for (; x < pixels; ++x) out[x] = luma(in[3 * x], in[3 * x + 1], in[3 * x + 2]);
}

struct WhiteBacked {
    Wide red, green, blue;
};

HWY_INLINE WhiteBacked loadOverWhite(const std::uint8_t* HWY_RESTRICT in) {
    Narrow red, green, blue, alpha;
    hn::LoadInterleaved4(narrow, in, red, green, blue, alpha);
    const Wide weight = hn::PromoteTo(wide, alpha);
    return {overWhiteOf(hn::PromoteTo(wide, red), weight), overWhiteOf(hn::PromoteTo(wide, green), weight),
            overWhiteOf(hn::PromoteTo(wide, blue), weight)};
}

void rgbaToRgb(const std::uint8_t* HWY_RESTRICT in, std::uint8_t* HWY_RESTRICT out, std::size_t pixels) {
    std::size_t x = 0;
    for (; x + hn::Lanes(wide) <= pixels; x += hn::Lanes(wide)) {
        const WhiteBacked v = loadOverWhite(in + 4 * x);
        hn::StoreInterleaved3(demoted(v.red), demoted(v.green), demoted(v.blue), narrow, out + 3 * x);
    }
    for (; x < pixels; ++x) {
        for (std::size_t c = 0; c < 3; ++c) out[3 * x + c] = overWhite(in[4 * x + c], in[4 * x + 3]);
    }
}

void rgbaToGray(const std::uint8_t* HWY_RESTRICT in, std::uint8_t* HWY_RESTRICT out, std::size_t pixels) {
    std::size_t x = 0;
    for (; x + hn::Lanes(wide) <= pixels; x += hn::Lanes(wide)) {
        const WhiteBacked v = loadOverWhite(in + 4 * x);
        hn::StoreU(demoted(lumaOf(v.red, v.green, v.blue)), narrow, out + x);
    }
    for (; x < pixels; ++x) {
        const std::uint8_t* pixel = in + 4 * x;
        out[x] = luma(overWhite(pixel[0], pixel[3]), overWhite(pixel[1], pixel[3]), overWhite(pixel[2], pixel[3]));
    }
}

template <std::size_t bytes>
void copyRow(const std::uint8_t* HWY_RESTRICT in, std::uint8_t* HWY_RESTRICT out, std::size_t pixels) {
    std::memcpy(out, in, bytes * pixels);
}

}  // namespace

RowFunctions rowFunctions() {
    return {
        {{copyRow<1>, grayToRgb, grayToRgba}, {rgbToGray, copyRow<3>, rgbToRgba}, {rgbaToGray, rgbaToRgb, copyRow<4>}}};
}

}  // namespace lanewright::convert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lanewright::convert {
namespace {

HWY_EXPORT(rowFunctions);

struct ConvertState : CpuKernel::State {
    RowFunction convertRow = nullptr;
};

class ConvertKernel final : public CpuKernel {
public:
    Result<std::unique_ptr<State>> begin(const OperationCall& call) const override {
        const RowFunctions functions = HWY_DYNAMIC_DISPATCH(rowFunctions)();
        const auto& from = std::get<ImageShape>(call.inputs[0]).format;
        const auto& to = std::get<ImageShape>(call.outputs[0]).format;
        auto state = std::make_unique<ConvertState>();
        state->convertRow = functions[*formatIndex(from)][*formatIndex(to)];
        return std::unique_ptr<State>(std::move(state));
    }

    Status run(State& opaque, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
               RowRange rows) const override {
        const auto& state = static_cast<ConvertState&>(opaque);
        const auto& in = std::get<ImageView>(inputs[0]).planes[0];
        const auto& out = std::get<MutableImageView>(outputs[0]).planes[0];
        for (std::int32_t y = rows.begin; y < rows.end; ++y) {
            state.convertRow(reinterpret_cast<const std::uint8_t*>(in.row(y)),
                             reinterpret_cast<std::uint8_t*>(out.row(y)), static_cast<std::size_t>(in.shape.width));
        }
        return {};
    }

    RowRange rowsNeeded(const State&, std::size_t, RowRange rows) const override { return rows; }
};

}  // namespace

const CpuKernel* cpuKernel() {
    static const ConvertKernel kernel;
    return &kernel;
}

}  // namespace lanewright::convert
#endif  // HWY_ONCE
