// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of subsampled planes: kernels are asked for rows of plane 0 and compute the rows of the others that go with them.
#pragma once

#include "kernels/api/image_shape.h"
#include "kernels/api/units.h"

#include <algorithm>

namespace lanewright {

/// How many samples of plane 0 one sample of a plane stands for.
struct PlaneDivisors {
    std::int32_t horizontal = 1;
    std::int32_t vertical = 1;
};

inline PlaneDivisors planeDivisors(const PixelFormat& format, std::size_t plane) {
    constexpr std::int32_t side = 64;  // any multiple of all divisors
    const PlaneShape shape = ImageShape{side, side, format}.plane(plane);
    return {side / shape.width, side / shape.height};
}

/// The rows of a plane that belong to `rows` of plane 0: disjoint ranges of plane 0 give disjoint ranges.
inline RowRange planeRows(RowRange rows, std::int32_t divisor) {
    return {(rows.begin + divisor - 1) / divisor, (rows.end + divisor - 1) / divisor};
}

/// The rows of plane 0 that `rows` of a plane stand for, in an image of `height` rows.
inline RowRange rowsOfPlane0(RowRange rows, std::int32_t divisor, std::int32_t height) {
    return {rows.begin * divisor, std::min(rows.end * divisor, height)};
}

/// The smallest range that holds both.
inline RowRange united(RowRange a, RowRange b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

}  // namespace lanewright
