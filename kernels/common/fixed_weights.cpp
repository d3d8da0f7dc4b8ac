// SPDX-License-Identifier: GPL-3.0-or-later
// Rounding of weights by largest remainders.
#include "kernels/common/fixed_weights.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace lanewright {

int weightBits(double largest, int limit) {
    int bits = limit;
    while (bits > 0 && std::fabs(largest) * std::ldexp(1.0, bits) > 32766) --bits;
    return bits;
}

double roundWeights(std::span<const double> weights, std::int64_t sum, int bits, std::int16_t* rounded) {
    const double one = std::ldexp(1.0, bits);
    std::vector<double> remainders;
    std::int64_t missing = sum;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double floor = std::floor(weights[i] * one);
        rounded[i] = static_cast<std::int16_t>(floor);
        remainders.push_back(weights[i] * one - floor);
        missing -= static_cast<std::int64_t>(floor);
    }
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
    for (std::size_t i = 0; i < order.size() && missing > 0; ++i, --missing) ++rounded[order[i]];
    return roundingError(weights, bits, rounded);
}

double roundingError(std::span<const double> weights, int bits, const std::int16_t* rounded) {
    double error = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) error += std::fabs(weights[i] - std::ldexp(rounded[i], -bits));
    return error * 127.5;
}

}  // namespace lanewright
