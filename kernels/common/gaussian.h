// SPDX-License-Identifier: GPL-3.0-or-later
// The sampled Gaussian that blurring stages mix with.
#pragma once

#include <vector>

namespace lanewright {

/// ceil(3 sigma): beyond lies 0.27 % of the curve.
int gaussianRadius(double sigma);

/// 2r+1 weights exp(-k^2 / (2 sigma^2)), k = -r..r with r = gaussianRadius(sigma), divided by their sum. `sigma` > 0, in
/// pixels.
std::vector<double> gaussianWeights(double sigma);

}  // namespace lanewright
