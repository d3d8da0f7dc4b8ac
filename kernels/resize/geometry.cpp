// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes and source windows of a resize.
#include "kernels/resize/geometry.h"

#include "kernels/common/plane_rows.h"

#include <algorithm>
#include <cmath>

namespace lanewright::resize {
namespace {

struct Size {
    double width;
    double height;
};

std::int32_t roundedSide(double side) { return std::max(1, static_cast<std::int32_t>(std::floor(side + 0.5))); }

/// The factor by which the source is scaled when its aspect is kept.
double factorOf(const Settings& settings, const Size& input) {
    const double horizontal = settings.width / input.width;
    const double vertical = settings.height / input.height;
    double factor = 1;
    switch (settings.fit) {
    case Fit::exact: return 1;
    case Fit::fit: factor = std::min(horizontal, vertical); break;
    case Fit::fill: factor = std::max(horizontal, vertical); break;
    case Fit::longestSide: factor = settings.width / std::max(input.width, input.height); break;
    }
    return settings.enlarge ? factor : std::min(factor, 1.0);
}

AxisGeometry axisOf(const Settings& settings, std::int32_t input, std::int32_t output, double window) {
    return {settings.filter, settings.antialias, input, output, (input - window) / 2, window / output};
}

}  // namespace

Geometry geometryOf(const Settings& settings, const ImageShape& input) {
    const Size source{static_cast<double>(input.width), static_cast<double>(input.height)};
    const double factor = factorOf(settings, source);
    Size window = source;
    ImageShape output = input;
    if (settings.fit == Fit::exact) {
        output.width = settings.enlarge ? settings.width : std::min(settings.width, input.width);
        output.height = settings.enlarge ? settings.height : std::min(settings.height, input.height);
    } else {
        output.width = roundedSide(source.width * factor);
        output.height = roundedSide(source.height * factor);
    }
    if (settings.fit == Fit::fill && output.width > settings.width) {
        output.width = settings.width;
        window.width = std::min(output.width / factor, source.width);
    }
    if (settings.fit == Fit::fill && output.height > settings.height) {
        output.height = settings.height;
        window.height = std::min(output.height / factor, source.height);
    }
    return {output, axisOf(settings, input.width, output.width, window.width),
            axisOf(settings, input.height, output.height, window.height)};
}

PlaneGeometry planeGeometry(const Geometry& geometry, const ImageShape& input, std::size_t plane) {
    const PlaneDivisors divisors = planeDivisors(input.format, plane);
    const PlaneShape from = input.plane(plane);
    const PlaneShape to = geometry.output.plane(plane);
    PlaneGeometry result{geometry.x, geometry.y, from.components, input.format.alpha == AlphaMode::straight};
    result.x.inputSize = from.width;
    result.x.outputSize = to.width;
    result.x.begin /= divisors.horizontal;
    result.y.inputSize = from.height;
    result.y.outputSize = to.height;
    result.y.begin /= divisors.vertical;
    return result;
}

}  // namespace lanewright::resize
