// SPDX-License-Identifier: GPL-3.0-or-later
// The sampled Gaussian that blurring stages mix with.
#pragma once

#include <vector>

namespace lanewright {

/// 2r+1 weights exp(-k^2 / (2 sigma^2)), k = -r..r with r = ceil(3 sigma), divided by their sum. Beyond r lies 0.27 % of
/// the curve. `sigma` > 0, in pixels.
std::vector<double> gaussianWeights(double sigma);

}  // namespace lanewright
