// SPDX-License-Identifier: GPL-3.0-or-later
// Filter tables for changing the number of samples along one axis. Every device computes with tables made here.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lanewright {

enum class ResampleFilter : std::uint8_t { nearest, bilinear, bicubic, lanczos3, area };

/// One axis. Source sample k covers [k, k+1) of a continuous coordinate, output sample i covers [begin + i*scale,
/// begin + (i+1)*scale) of it; so centres lie at begin + (i+0.5)*scale. The window that the outputs cover lies within
/// [0, inputSize]; `antialias` widens the filter by `scale` when shrinking (it does not concern nearest and area).
struct AxisGeometry {
    ResampleFilter filter = ResampleFilter::lanczos3;
    bool antialias = true;
    std::int32_t inputSize = 1;
    std::int32_t outputSize = 1;
    double begin = 0;
    double scale = 1;

    friend auto operator<=>(const AxisGeometry&, const AxisGeometry&) = default;
};

/// For each output sample the `count` source samples from `first` on that it mixes, and their weights, which sum to 1.
/// Source samples beyond the image are left out and the rest renormalised, as Pillow does.
struct FilterTable {
    std::int32_t taps = 1;  ///< room for each output's weights: the greatest count
    std::vector<std::int32_t> first;
    std::vector<std::int32_t> count;
    std::vector<double> weights;  ///< outputs x taps, zeros behind count

    std::int32_t outputs() const { return static_cast<std::int32_t>(first.size()); }
    std::span<const double> weightsOf(std::int32_t output) const {
        const auto index = static_cast<std::size_t>(output);
        return {weights.data() + index * static_cast<std::size_t>(taps), static_cast<std::size_t>(count[index])};
    }
    std::int32_t end(std::int32_t output) const {
        return first[static_cast<std::size_t>(output)] + count[static_cast<std::size_t>(output)];
    }
};

/// nearest: the sample that holds the centre. bilinear: triangle of radius 1. bicubic: Keys with a = -0.5 (Catmull-Rom),
/// radius 2. lanczos3: radius 3. area: the mean over what the output sample covers, by exact coverage; when enlarging that
/// is one sample, or two where their boundary falls inside. Weights of 0 at the ends of a window are left out, so `first`
/// may step back where a centre falls on a sample.
FilterTable makeFilterTable(const AxisGeometry& geometry);

}  // namespace lanewright
