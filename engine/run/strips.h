// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows of a step run on which of its lanes: one rule, for simulator and executor.
#pragma once

#include "kernels/api/image_shape.h"

#include <cstddef>
#include <span>
#include <vector>

namespace lanewright {

/// Rows that a CPU kernel is asked to compute: of plane 0 of output 0; of input 0 where the output is bytes; 1 for bytes to
/// bytes.
std::int32_t rowsOf(std::span<const PortShape> inputs, std::span<const PortShape> outputs);

/// Splits rows [0, rows) over at most `lanes` parts, part i for the i-th lane of the step. Parts begin at multiples of
/// `align` and differ by at most one piece of that many rows; the first lanes take the larger parts. Fewer parts than lanes when there are
/// fewer pieces of `align` rows; never none.
std::vector<RowRange> splitRows(std::int32_t rows, std::int32_t align, std::size_t lanes);

}  // namespace lanewright
