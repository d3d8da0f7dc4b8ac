// SPDX-License-Identifier: GPL-3.0-or-later
// Traces that no plan would make, for what must hold of any trace whose lanes do one thing at a time.
#pragma once

#include "engine/trace/trace.h"

#include <cstddef>
#include <cstdint>

namespace lanewright::test {

/// About `spans` spans on the lanes of `machine` in order: images go through reads, stages, copies and writes on random
/// lanes, wait for their makers or not, for windows, for several lanes at once; some attempts are superseded, some times
/// are not in the order that they should be, some spans take no time.
Trace randomTrace(std::shared_ptr<const Machine> machine, std::size_t spans, std::uint64_t seed);

}  // namespace lanewright::test
