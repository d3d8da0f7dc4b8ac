// SPDX-License-Identifier: GPL-3.0-or-later
// Filters: R. Keys, "Cubic convolution interpolation for digital image processing", IEEE TASSP 29 (1981); C. Duchon,
// "Lanczos filtering in one and two dimensions", J. Appl. Meteorology 18 (1979).
#include "kernels/common/resampling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lanewright {
namespace {

// Weights below this share of the whole are rounding noise (sinc at whole numbers) and would only cost time.
constexpr double negligible = 1e-9;

double triangle(double x) { return std::max(0.0, 1.0 - std::fabs(x)); }

double keysCubic(double x) {
    constexpr double a = -0.5;
    x = std::fabs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return ((x - 5) * x + 8) * x * a - 4 * a;
    return 0;
}

double sinc(double x) {
    if (x == 0) return 1;
    x *= std::numbers::pi;
    return std::sin(x) / x;
}

double lanczos3(double x) { return std::fabs(x) < 3 ? sinc(x) * sinc(x / 3) : 0; }

struct Shape {
    double radius;
    double (*weight)(double);
};

Shape shapeOf(ResampleFilter filter) {
    switch (filter) {
    case ResampleFilter::bilinear: return {1, triangle};
    case ResampleFilter::bicubic: return {2, keysCubic};
    case ResampleFilter::lanczos3: return {3, lanczos3};
    case ResampleFilter::nearest:
    case ResampleFilter::area: break;
    }
    return {0, nullptr};
}

/// The weights of one output sample before they are trimmed and normalised.
struct Window {
    std::int32_t first = 0;
    std::vector<double> weights;
};

std::int32_t clampedIndex(double position, std::int32_t size) {
    return static_cast<std::int32_t>(std::clamp(std::floor(position), 0.0, static_cast<double>(size - 1)));
}

void nearestWindow(const AxisGeometry& axis, std::int32_t output, Window& window) {
    window.first = clampedIndex(axis.begin + (output + 0.5) * axis.scale, axis.inputSize);
    window.weights.assign(1, 1.0);
}

void areaWindow(const AxisGeometry& axis, std::int32_t output, Window& window) {
    const double low = axis.begin + output * axis.scale;
    const double high = axis.begin + (output + 1) * axis.scale;
    window.first = clampedIndex(low, axis.inputSize);
    window.weights.clear();
    for (std::int32_t k = window.first; k < axis.inputSize && (k < high || window.weights.empty()); ++k) {
        window.weights.push_back(std::min(high, k + 1.0) - std::max(low, static_cast<double>(k)));
    }
}

void filterWindow(const AxisGeometry& axis, const Shape& shape, std::int32_t output, Window& window) {
    const double width = axis.antialias ? std::max(1.0, axis.scale) : 1.0;
    const double centre = axis.begin + (output + 0.5) * axis.scale;
    const double reach = shape.radius * width;
    window.first = static_cast<std::int32_t>(std::max(0.0, std::floor(centre - reach)));
    const double last = std::min(std::ceil(centre + reach), static_cast<double>(axis.inputSize));
    window.weights.clear();
    for (std::int32_t k = window.first; k < last; ++k) {
        window.weights.push_back(shape.weight((k + 0.5 - centre) / width));
    }
}

/// Drops negligible weights at both ends and makes the rest sum to 1.
void trimAndNormalise(Window& window) {
    auto& weights = window.weights;
    double sum = 0;
    for (const double w : weights) sum += w;
    const auto matters = [sum](double w) { return std::fabs(w) > negligible * sum; };
    const auto begin = std::find_if(weights.begin(), weights.end(), matters);
    window.first += static_cast<std::int32_t>(begin - weights.begin());
    weights.erase(weights.begin(), begin);
    weights.erase(std::find_if(weights.rbegin(), weights.rend(), matters).base(), weights.end());
    sum = 0;
    for (const double w : weights) sum += w;
    for (double& w : weights) w /= sum;
}

}  // namespace

FilterTable makeFilterTable(const AxisGeometry& axis) {
    const Shape shape = shapeOf(axis.filter);
    std::vector<Window> windows(static_cast<std::size_t>(axis.outputSize));
    std::size_t taps = 1;
    for (std::int32_t i = 0; i < axis.outputSize; ++i) {
        Window& window = windows[static_cast<std::size_t>(i)];
        if (axis.filter == ResampleFilter::nearest) {
            nearestWindow(axis, i, window);
        } else if (axis.filter == ResampleFilter::area) {
            areaWindow(axis, i, window);
        } else {
            filterWindow(axis, shape, i, window);
        }
        trimAndNormalise(window);
        taps = std::max(taps, window.weights.size());
    }

    FilterTable table;
    table.taps = static_cast<std::int32_t>(taps);
    table.weights.assign(windows.size() * taps, 0.0);
    for (std::size_t i = 0; i < windows.size(); ++i) {
        table.first.push_back(windows[i].first);
        table.count.push_back(static_cast<std::int32_t>(windows[i].weights.size()));
        std::copy(windows[i].weights.begin(), windows[i].weights.end(),
                  table.weights.begin() + static_cast<std::ptrdiff_t>(i * taps));
    }
    return table;
}

}  // namespace lanewright
