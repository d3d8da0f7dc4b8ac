// SPDX-License-Identifier: GPL-3.0-or-later
// Weights of a normal distribution.
#include "kernels/common/gaussian.h"

#include <cmath>

namespace lanewright {

int gaussianRadius(double sigma) { return static_cast<int>(std::ceil(3 * sigma)); }

std::vector<double> gaussianWeights(double sigma) {
    const int radius = gaussianRadius(sigma);
    std::vector<double> weights;
    double sum = 0;
    for (int k = -radius; k <= radius; ++k) {
        weights.push_back(std::exp(-k * k / (2 * sigma * sigma)));
        sum += weights.back();
    }
    for (double& w : weights) w /= sum;
    return weights;
}

}  // namespace lanewright
