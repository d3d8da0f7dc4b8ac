// SPDX-License-Identifier: GPL-3.0-or-later
// Which process, thread and moment each span of a run gets in a Chrome trace.
#pragma once

#include "engine/run/run.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanewright::chrome {

/// One span. Times in ns from the start of the file.
struct Slice {
    std::int64_t begin = 0;
    std::int64_t duration = 0;
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    const Span* span = nullptr;
    const Trace* trace = nullptr;
};

struct Thread {
    std::uint32_t tid = 0;
    std::string name;
};

struct Process {
    std::uint32_t pid = 0;
    std::string name;
    std::vector<Thread> threads;
};

/// A trace that is in the file, and where its counters go (pid 0: it has none).
struct Exported {
    const Trace* trace = nullptr;
    std::string origin;      ///< "measured"
    std::int64_t shift = 0;  ///< ns to add to its moments
    std::uint32_t counterPid = 0;
    std::uint32_t counterTid = 0;
};

/// All traces start at the same moment, `startNs` into the file (set-up lies before it). Processes: per device, measured
/// before predicted, storage last, then the counters of each trace; pids from 1, tids after them, so no tid is a pid.
/// Spans of a lane that overlap get numbered sub-rows. Slices are sorted by begin, then longest first.
struct Layout {
    std::vector<Exported> traces;
    std::vector<Process> processes;
    std::vector<Slice> slices;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;  ///< when the last slice ends
};

Layout layOut(const Run& run, bool withPrediction);

}  // namespace lanewright::chrome
