// SPDX-License-Identifier: GPL-3.0-or-later
// Which spans of a trace feed which: the arrows of a Chrome trace.
#pragma once

#include "engine/trace/trace.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace lanewright {

/// From the last part of the step that made a buffer to the first part of a step that reads it.
struct Dependency {
    const Span* producer = nullptr;
    const Span* consumer = nullptr;
};

/// All dependencies, or none when there are more than `limit`. `spans`: all of the trace, sorted by begin.
std::optional<std::vector<Dependency>> dependenciesOf(const Trace& trace, std::span<const Span* const> spans,
                                                      std::size_t limit);

}  // namespace lanewright
