// SPDX-License-Identifier: GPL-3.0-or-later
// What a resize does to an image: its size, and which part of the source each axis covers.
#pragma once

#include "kernels/api/image_shape.h"
#include "kernels/api/parameters.h"
#include "kernels/common/resampling.h"

#include <cstdint>

namespace lanewright::resize {

/// exact: width x height. fit: the largest size within width x height with the source's aspect. fill: covers width x height
/// and is cut to it about the centre. longestSide: the longer side becomes `width`, the aspect is kept.
enum class Fit : std::uint8_t { exact, fit, fill, longestSide };

/// `enlarge` off: no side grows, as if the wanted scale were at most 1.
struct Settings {
    std::int32_t width = 1024;
    std::int32_t height = 1024;
    Fit fit = Fit::longestSide;
    ResampleFilter filter = ResampleFilter::lanczos3;
    bool antialias = true;
    bool enlarge = true;
};

const ParameterTable<Settings>& settingsTable();

/// Output size and the axes of plane 0. Sides that the aspect decides are rounded half up, and at least 1.
struct Geometry {
    ImageShape output;
    AxisGeometry x;
    AxisGeometry y;
};

Geometry geometryOf(const Settings& settings, const ImageShape& input);

/// The axes of one plane: subsampled planes follow the scale of plane 0, with samples centred among those they stand for.
struct PlaneGeometry {
    AxisGeometry x;
    AxisGeometry y;
    std::int32_t components = 1;
    bool straightAlpha = false;  ///< the last component is alpha, and colours are mixed multiplied by it

    friend bool operator==(const PlaneGeometry&, const PlaneGeometry&) = default;
};

PlaneGeometry planeGeometry(const Geometry& geometry, const ImageShape& input, std::size_t plane);

}  // namespace lanewright::resize
