// SPDX-License-Identifier: GPL-3.0-or-later
// Equal shares in pieces of `align` rows, because every row of a kernel costs about the same.
#include "engine/run/strips.h"

#include <algorithm>

namespace lanewright {
namespace {

std::int32_t rowsOfPort(const PortShape& shape) {
    if (const auto* image = std::get_if<ImageShape>(&shape)) return image->height;
    if (const auto* coefficients = std::get_if<CoefficientsShape>(&shape)) return coefficients->image.height;
    return 0;
}

}  // namespace

std::int32_t rowsOf(std::span<const PortShape> inputs, std::span<const PortShape> outputs) {
    std::int32_t rows = outputs.empty() ? 0 : rowsOfPort(outputs.front());
    if (rows == 0 && !inputs.empty()) rows = rowsOfPort(inputs.front());
    return std::max(rows, 1);
}

std::vector<RowRange> splitRows(std::int32_t rows, std::int32_t align, std::size_t lanes) {
    rows = std::max(rows, 1);
    align = std::clamp(align, 1, rows);
    const std::int32_t pieces = (rows - 1) / align + 1;
    const auto parts = static_cast<std::int32_t>(std::clamp<std::size_t>(lanes, 1, static_cast<std::size_t>(pieces)));
    std::vector<RowRange> ranges;
    ranges.reserve(static_cast<std::size_t>(parts));
    std::int32_t piece = 0;
    for (std::int32_t part = 0; part < parts; ++part) {
        const std::int32_t count = pieces / parts + (part < pieces % parts ? 1 : 0);
        ranges.push_back({piece * align, std::min((piece + count) * align, rows)});
        piece += count;
    }
    return ranges;
}

}  // namespace lanewright
