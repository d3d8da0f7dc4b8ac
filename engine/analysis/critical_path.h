// SPDX-License-Identifier: GPL-3.0-or-later
// The chain of steps and waits that made the makespan as long as it is.
#pragma once

#include "engine/analysis/trace_index.h"

#include <string>
#include <vector>

namespace lanewright {

/// scheduler: everything was there and nobody had submitted it. device: submitted, and the device had not begun.
/// finishing: from the last step to the end of the run.
enum class PathPieceKind : std::uint8_t { step, scheduler, device, finishing };

/// [begin, end) of the path. `step`: what ran, or what waited (invalid: finishing).
struct PathPiece {
    Instant begin;
    Instant end;
    StepId step;
    PathPieceKind kind = PathPieceKind::step;
};

/// What a kind of step, or of wait, has of the path.
struct PathShare {
    PathPieceKind kind = PathPieceKind::step;
    SpanCategory category = SpanCategory::stage;  ///< of steps
    std::string name;                             ///< of the template ("decode"), of a wait its kind
    std::string stageId;
    Duration duration{0};
    double share = 0;  ///< of the makespan
};

/// Pieces follow each other without gap or overlap from the trace's start to its end. Shares: longest first.
struct CriticalPath {
    std::vector<PathPiece> pieces;
    std::vector<PathShare> shares;
};

/// Goes back from the step that ended last. What held a step up is, of its cause, the makers of its inputs and the step
/// before it on its lanes (or on a device that does one thing at a time), the one that ended last.
CriticalPath criticalPathOf(const TraceIndex& index);
CriticalPath criticalPathOf(const Trace& trace);

}  // namespace lanewright
