// SPDX-License-Identifier: GPL-3.0-or-later
// What a trace can say about itself.
#include "engine/trace/trace.h"

namespace lanewright {

std::size_t Trace::spanCount() const {
    std::size_t count = 0;
    for (const auto& chunk : chunks) count += chunk->size();
    return count;
}

}  // namespace lanewright
