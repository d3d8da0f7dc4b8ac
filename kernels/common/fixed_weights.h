// SPDX-License-Identifier: GPL-3.0-or-later
// Filter weights as 16-bit whole numbers, for kernels that multiply pairs of 16-bit samples into 32-bit sums.
#pragma once

#include <cstdint>
#include <span>

namespace lanewright {

/// Fraction bits of samples between two passes of a filter (SampleType::i16): 255 becomes 16320, which leaves room for
/// the overshoot of Lanczos (a factor of 1.27).
inline constexpr int intermediateBits = 6;

/// Most fraction bits of weights whose sums still fit 32 bits, over 8-bit samples and over intermediate ones, when the
/// positive weights of an output sum to at most 1.3.
inline constexpr int maxWeightBitsOver8Bit = 22;
inline constexpr int maxWeightBitsOverIntermediate = 16;

/// The most fraction bits, up to `limit`, with which `largest` fits 16 bits. At least 14 for |largest| < 2.
int weightBits(double largest, int limit);

/// Rounds weights so that the results sum to exactly `sum` (in units of 2^-bits; near the weights' own sum) and each is off
/// by less than 1 where that sum is the nearest (largest remainders): a flat area stays flat. Returns roundingError().
double roundWeights(std::span<const double> weights, std::int64_t sum, int bits, std::int16_t* rounded);

/// A bound on the error that rounded weights make in a sum over samples within [0, 255], when all weights of the sum are
/// exact as a whole: half that range times the sum of the weights' errors.
double roundingError(std::span<const double> weights, int bits, const std::int16_t* rounded);

}  // namespace lanewright
