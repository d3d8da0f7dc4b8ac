// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a run that was read is one that the rest of the program can work with.
#pragma once

#include "engine/run/run.h"

#include <optional>

namespace lanewright::runfile {

/// The first fault: an index that leads nowhere (run.reference), times that are no times of a run (run.times). Sums of
/// durations of a run without faults do not overflow.
std::optional<Message> faultOf(const Run& run);

}  // namespace lanewright::runfile
