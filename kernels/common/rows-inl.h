// SPDX-License-Identifier: GPL-3.0-or-later
// Per-target building blocks of separable filters: weighted sums of rows, and turning a block of rows so that the rows lie
// along the lanes of a vector, which makes the horizontal pass as simple as the vertical one. Included by cpu.cpp files
// inside Highway's foreach_target.
#if defined(LANEWRIGHT_KERNELS_COMMON_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LANEWRIGHT_KERNELS_COMMON_ROWS_INL_H
#undef LANEWRIGHT_KERNELS_COMMON_ROWS_INL_H
#else
#define LANEWRIGHT_KERNELS_COMMON_ROWS_INL_H
#endif

#include "kernels/common/fixed_weights.h"

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace lanewright {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using TagU8 = hn::ScalableTag<std::uint8_t>;
using TagI16 = hn::ScalableTag<std::int16_t>;
using TagI32 = hn::ScalableTag<std::int32_t>;
using TagU32 = hn::ScalableTag<std::uint32_t>;
using TagF32 = hn::ScalableTag<float>;
using VecI16 = hn::Vec<TagI16>;
using VecI32 = hn::Vec<TagI32>;
using VecF32 = hn::Vec<TagF32>;

/// Rows that are filtered together: one lane of 32 bits each.
inline constexpr std::size_t blockRows = hn::MaxLanes(TagI32());
/// Samples of 8 bits in a vector.
inline constexpr std::size_t vectorBytes = hn::MaxLanes(TagU8());

/// Two neighbouring weights in every 32-bit lane.
HWY_INLINE VecI16 weightPair(const std::int16_t* weights) {
    std::int32_t pair;
    std::memcpy(&pair, weights, sizeof pair);
    return hn::BitCast(TagI16(), hn::Set(TagI32(), pair));
}

/// Sums of products of pairs, whichever way a target keeps them until the end.
struct PairSum {
    VecI32 even;
    VecI32 odd;

    explicit HWY_INLINE PairSum(std::int32_t start) : even(hn::Set(TagI32(), start)), odd(hn::Zero(TagI32())) {}
    HWY_INLINE void add(VecI16 samples, VecI16 weights) {
        even = hn::ReorderWidenMulAccumulate(TagI32(), samples, weights, even, odd);
    }
    HWY_INLINE VecI32 sum() const { return hn::RearrangeToOddPlusEven(even, odd); }
};

/// What one output row of a vertical pass mixes: `pairs` pairs of rows and of weights with `bits` fraction bits. An odd
/// count ends with any valid row and the weight 0.
struct RowTaps {
    const std::uint8_t* const* rows;
    const std::int16_t* weights;
    std::size_t pairs;
    int bits;
};

/// 128-bit blocks a0 b0 a1 b1 ... in order of memory.
HWY_INLINE void storeAlternatingBlocks(VecI16 a, VecI16 b, std::int16_t* out) {
    const TagI16 d16;
    constexpr std::size_t lanes = hn::MaxLanes(TagI16());
    if constexpr (lanes == 8) {
        hn::StoreU(a, d16, out);
        hn::StoreU(b, d16, out + lanes);
    } else {
        auto low = hn::ConcatLowerLower(d16, b, a);
        auto high = hn::ConcatUpperUpper(d16, b, a);
        if constexpr (lanes == 32) {  // a0 a1 b0 b1 -> a0 b0 a1 b1
            const hn::Repartition<std::int64_t, TagI16> d64;
            alignas(64) static constexpr std::int64_t order[8] = {0, 1, 4, 5, 2, 3, 6, 7};
            const auto indices = hn::SetTableIndices(d64, order);
            low = hn::BitCast(d16, hn::TableLookupLanes(hn::BitCast(d64, low), indices));
            high = hn::BitCast(d16, hn::TableLookupLanes(hn::BitCast(d64, high), indices));
        }
        hn::StoreU(low, d16, out);
        hn::StoreU(high, d16, out + lanes);
    }
}

/// vectorBytes columns from `column` on as i16 with intermediateBits fraction bits.
HWY_INLINE void filterVector(const RowTaps& taps, std::size_t column, std::int16_t* out) {
    const TagU8 d8;
    const TagI16 d16;
    const int shift = taps.bits - intermediateBits;
    const auto zero = hn::Zero(d8);
    const std::int32_t half = 1 << (shift - 1);
    PairSum s0(half), s1(half), s2(half), s3(half);
    for (std::size_t p = 0; p < taps.pairs; ++p) {
        const VecI16 weights = weightPair(taps.weights + 2 * p);
        const auto a = hn::LoadU(d8, taps.rows[2 * p] + column);
        const auto b = hn::LoadU(d8, taps.rows[2 * p + 1] + column);
        const auto low = hn::InterleaveLower(d8, a, b);
        const auto high = hn::InterleaveUpper(d8, a, b);
        s0.add(hn::BitCast(d16, hn::InterleaveLower(d8, low, zero)), weights);
        s1.add(hn::BitCast(d16, hn::InterleaveUpper(d8, low, zero)), weights);
        s2.add(hn::BitCast(d16, hn::InterleaveLower(d8, high, zero)), weights);
        s3.add(hn::BitCast(d16, hn::InterleaveUpper(d8, high, zero)), weights);
    }
    const auto narrowed = [&](const PairSum& low, const PairSum& high) {
        return hn::ReorderDemote2To(d16, hn::ShiftRightSame(low.sum(), shift), hn::ShiftRightSame(high.sum(), shift));
    };
    storeAlternatingBlocks(narrowed(s0, s1), narrowed(s2, s3), out);
}

/// Columns [begin, end) of one output row; column c goes to out[c - begin]. Writes up to vectorBytes values in front of
/// `out` where [begin, end) is no multiple of a vector, and reads no column outside [0, end).
inline void filterRows(const RowTaps& taps, std::size_t begin, std::size_t end, std::int16_t* out) {
    std::size_t column = begin;
    for (; column + vectorBytes <= end; column += vectorBytes) filterVector(taps, column, out + (column - begin));
    if (column == end) return;
    if (end >= vectorBytes) {
        // The last vector once more, moved back to end at the edge.
        filterVector(taps, end - vectorBytes,
                     out + (static_cast<std::ptrdiff_t>(end - vectorBytes) - static_cast<std::ptrdiff_t>(begin)));
        return;
    }
    const int shift = taps.bits - intermediateBits;
    for (; column < end; ++column) {
        std::int32_t sum = 1 << (shift - 1);
        for (std::size_t k = 0; k < 2 * taps.pairs; ++k) sum += taps.weights[k] * taps.rows[k][column];
        out[column - begin] = static_cast<std::int16_t>(sum >> shift);
    }
}

/// samples[i] = bytes[i] as float.
inline void widenRow(const std::uint8_t* bytes, std::size_t count, float* samples) {
    const TagF32 df;
    const TagI32 di;
    const hn::Rebind<std::uint8_t, TagF32> d8;
    constexpr std::size_t lanes = blockRows;
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        hn::StoreU(hn::ConvertTo(df, hn::PromoteTo(di, hn::LoadU(d8, bytes + i))), df, samples + i);
    }
    for (; i < count; ++i) samples[i] = static_cast<float>(bytes[i]);
}

/// RGBA to floats with each colour multiplied by its pixel's alpha (0..65025), alpha as it is. `count` in samples.
inline void premultiplyRow(const std::uint8_t* bytes, std::size_t count, float* samples) {
    const TagF32 df;
    const TagI32 di;
    const hn::Rebind<std::uint8_t, TagF32> d8;
    constexpr std::size_t lanes = blockRows;
    const auto isAlpha = hn::Eq(hn::And(hn::Iota(di, 0), hn::Set(di, 3)), hn::Set(di, 3));
    const auto one = hn::Set(df, 1.0f);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const auto pixel = hn::ConvertTo(df, hn::PromoteTo(di, hn::LoadU(d8, bytes + i)));
        const auto factor = hn::IfThenElse(hn::RebindMask(df, isAlpha), one, hn::Broadcast<3>(pixel));
        hn::StoreU(hn::Mul(pixel, factor), df, samples + i);
    }
    for (; i < count; i += 4) {
        const float alpha = bytes[i + 3];
        for (std::size_t c = 0; c < 3; ++c) samples[i + c] = static_cast<float>(bytes[i + c]) * alpha;
        samples[i + 3] = alpha;
    }
}

/// Rows that addScaledRows() takes at once, so that the sums go through memory less often.
inline constexpr std::size_t scaledRows = 4;

/// sums[i] += weights[r] * rows[r * stride + i], in the order of the rows; a weight of 0 changes nothing. `count` is a
/// multiple of blockRows.
HWY_INLINE void addScaledRows(const float* weights, const float* rows, std::size_t stride, std::size_t count,
                              float* sums) {
    const TagF32 df;
    const auto w0 = hn::Set(df, weights[0]);
    const auto w1 = hn::Set(df, weights[1]);
    const auto w2 = hn::Set(df, weights[2]);
    const auto w3 = hn::Set(df, weights[3]);
    for (std::size_t i = 0; i < count; i += blockRows) {
        auto sum = hn::MulAdd(w0, hn::Load(df, rows + i), hn::Load(df, sums + i));
        sum = hn::MulAdd(w1, hn::Load(df, rows + stride + i), sum);
        sum = hn::MulAdd(w2, hn::Load(df, rows + 2 * stride + i), sum);
        sum = hn::MulAdd(w3, hn::Load(df, rows + 3 * stride + i), sum);
        hn::Store(sum, df, sums + i);
    }
}

/// `count` samples of a row as floats, premultiplied where asked, and zeros up to `padded`.
HWY_INLINE void loadRealRow(const std::uint8_t* bytes, bool straightAlpha, std::size_t count, std::size_t padded,
                            float* row) {
    straightAlpha ? premultiplyRow(bytes, count, row) : widenRow(bytes, count, row);
    for (std::size_t i = count; i < padded; ++i) row[i] = 0;
}

using TagBlock = hn::Full128<std::uint32_t>;
using Block = hn::Vec<TagBlock>;

/// Turns four rows of four 32-bit values into four columns.
HWY_INLINE void turn4x4(Block& a, Block& b, Block& c, Block& d) {
    const TagBlock d32;
    const hn::Full128<std::uint64_t> d64;
    const auto ab0 = hn::BitCast(d64, hn::InterleaveLower(d32, a, b));
    const auto ab1 = hn::BitCast(d64, hn::InterleaveUpper(d32, a, b));
    const auto cd0 = hn::BitCast(d64, hn::InterleaveLower(d32, c, d));
    const auto cd1 = hn::BitCast(d64, hn::InterleaveUpper(d32, c, d));
    a = hn::BitCast(d32, hn::InterleaveLower(d64, ab0, cd0));
    b = hn::BitCast(d32, hn::InterleaveUpper(d64, ab0, cd0));
    c = hn::BitCast(d32, hn::InterleaveLower(d64, ab1, cd1));
    d = hn::BitCast(d32, hn::InterleaveUpper(d64, ab1, cd1));
}

/// Turns blockRows rows of i16 into pairs of horizontal neighbours: out[(pair * components + c) * blockRows + row] holds
/// component c of pixels 2*pair and 2*pair+1. rows[r] + 2 * components * pairs may be overread by 8 values, and `out`
/// overwritten by 4 * blockRows.
template <int components>
inline void turnPairs(const std::int16_t* const* rows, std::size_t pairs, std::uint32_t* out) {
    constexpr std::size_t pairsAtOnce = components == 1 ? 4 : components == 2 ? 2 : 1;
    constexpr std::size_t columns = pairsAtOnce * components;
    const TagBlock d32;
    const hn::Full128<std::uint8_t> d8;
    alignas(16) std::uint8_t order[16];
    for (std::size_t lane = 0; lane < 4; ++lane) {
        const std::size_t sample = lane / components * 2 * components + lane % components;
        for (std::size_t byte = 0; byte < 4; ++byte) {
            order[4 * lane + byte] = static_cast<std::uint8_t>((2 * (sample + byte / 2 * components) + byte % 2) % 16);
        }
    }
    const auto indices = hn::Load(d8, order);
    const auto load = [&](const std::int16_t* from) {
        const auto loaded = hn::LoadU(d32, reinterpret_cast<const std::uint32_t*>(from));
        if constexpr (components == 1) return loaded;
        return hn::BitCast(d32, hn::TableLookupBytes(hn::BitCast(d8, loaded), indices));
    };
    for (std::size_t row = 0; row < blockRows; row += 4) {
        std::uint32_t* to = out + row;
        for (std::size_t pair = 0; pair < pairs; pair += pairsAtOnce, to += columns * blockRows) {
            const std::size_t column = pair * 2 * components;
            Block a = load(rows[row] + column);
            Block b = load(rows[row + 1] + column);
            Block c = load(rows[row + 2] + column);
            Block d = load(rows[row + 3] + column);
            turn4x4(a, b, c, d);
            hn::Store(a, d32, to);
            hn::Store(b, d32, to + blockRows);
            hn::Store(c, d32, to + 2 * blockRows);
            if constexpr (columns == 4) hn::Store(d, d32, to + 3 * blockRows);
        }
    }
}

/// Turns blockRows rows of 32-bit values: out[column * blockRows + row]. `columns` is rounded up to a multiple of 4.
inline void turnRows(const float* const* rows, std::size_t columns, float* out) {
    const TagBlock d32;
    for (std::size_t row = 0; row < blockRows; row += 4) {
        for (std::size_t column = 0; column < columns; column += 4) {
            const auto load = [&](std::size_t r) {
                return hn::LoadU(d32, reinterpret_cast<const std::uint32_t*>(rows[row + r] + column));
            };
            Block turned[4] = {load(0), load(1), load(2), load(3)};
            turn4x4(turned[0], turned[1], turned[2], turned[3]);
            auto* to = reinterpret_cast<std::uint32_t*>(out + column * blockRows + row);
            for (std::size_t i = 0; i < 4; ++i) hn::Store(turned[i], d32, to + i * blockRows);
        }
    }
}

/// Turns back: packed[(byte / 4) * blockRows + row] holds 4 bytes of each row. Writes bytes [0, count) of `rowCount` rows;
/// `packed` is read up to the next multiple of 16 bytes.
template <class RowAt>
inline void storePacked(const std::uint32_t* packed, std::size_t rowCount, std::size_t count, RowAt rowAt) {
    const TagBlock d32;
    for (std::size_t row = 0; row < rowCount; row += 4) {
        const std::size_t rows = rowCount - row < 4 ? rowCount - row : 4;
        std::uint8_t* to[4];
        for (std::size_t r = 0; r < rows; ++r) to[r] = rowAt(row + r);
        for (std::size_t byte = 0; byte < count; byte += 16) {
            const std::uint32_t* from = packed + byte / 4 * blockRows + row;
            Block turned[4] = {hn::Load(d32, from), hn::Load(d32, from + blockRows),
                               hn::Load(d32, from + 2 * blockRows), hn::Load(d32, from + 3 * blockRows)};
            turn4x4(turned[0], turned[1], turned[2], turned[3]);
            for (std::size_t r = 0; r < rows; ++r) {
                if (byte + 16 <= count) {
                    hn::StoreU(turned[r], d32, reinterpret_cast<std::uint32_t*>(to[r] + byte));
                } else {
                    alignas(16) std::uint32_t last[4];
                    hn::Store(turned[r], d32, last);
                    std::memcpy(to[r] + byte, last, count - byte);
                }
            }
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace lanewright
HWY_AFTER_NAMESPACE();

#endif  // LANEWRIGHT_KERNELS_COMMON_ROWS_INL_H
