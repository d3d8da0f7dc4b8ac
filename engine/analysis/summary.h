// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a run: what windows, command line and reports show, from one place so that they agree.
#pragma once

#include "engine/analysis/idle.h"
#include "engine/analysis/statistics.h"
#include "engine/run/run.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace lanewright {

/// `done` counts those with a warning too.
struct ImageCounts {
    std::size_t done = 0;
    std::size_t doneWithWarning = 0;
    std::size_t failed = 0;
    std::size_t skipped = 0;
    std::size_t cancelled = 0;

    std::size_t total() const { return done + failed + skipped + cancelled; }
};

struct LaneSummary {
    LaneId lane;
    std::string name;  ///< with its device: "cpu worker 1"
    Duration busy{0};
    double busyShare = 0;  ///< of the makespan
    std::array<Duration, idleReasonCount> idle{};
    ByteCount bytes;  ///< copied, read, written or encoded on it
    std::size_t steps = 0;
};

/// Copies from memory to memory.
struct LinkSummary {
    MemoryId from;
    MemoryId to;
    CopyKind kind = CopyKind::pageable;
    LaneId lane;
    std::size_t copies = 0;
    ByteCount bytes;
    Duration busy{0};
    double busyShare = 0;  ///< of the makespan

    /// Over the time that it was busy; 0 when it never was.
    double bytesPerSecond() const;
};

/// Steps of one kind on one device, from begin to end. Superseded attempts are counted apart.
struct StageSummary {
    SpanCategory category = SpanCategory::stage;
    std::string name;  ///< of the template: "resize", "read decode"
    std::string stageId;
    std::string letter;
    DeviceId device;
    Distribution durations;
    std::size_t superseded = 0;
};

struct TraceSummary {
    TraceOrigin origin = TraceOrigin::measured;
    ImageCounts images;
    Duration makespan{0};
    double imagesPerSecond = 0;        ///< done images
    double megapixelsPerSecond = 0;    ///< of their source images
    Duration setup{0};                 ///< from the first set-up span to the run's start
    std::vector<LaneSummary> lanes;    ///< by LaneId
    std::vector<LinkSummary> links;    ///< those that copied something
    std::vector<StageSummary> stages;  ///< those that ran, in the order of their templates
};

/// `imageCount` images of `megapixels` together; a plan's constants (their image index is higher) are not counted.
TraceSummary summarize(const TraceIndex& index, std::size_t imageCount, double megapixels);
TraceSummary summarize(const Trace& trace, std::size_t imageCount, double megapixels);

/// The first repeat (cold caches) stands apart; when it is the only one, it is the median.
struct RepeatSummary {
    std::size_t count = 0;
    Duration first{0};
    Duration median{0};  ///< of the others
    Duration spread{0};  ///< their interquartile range
};
RepeatSummary summarizeRepeats(const std::vector<Duration>& makespans);

/// Makespan and rates are those of the median repeat; `trace` is the last one.
struct RunSummary {
    RepeatSummary repeats;
    Duration makespan{0};
    double imagesPerSecond = 0;
    double megapixelsPerSecond = 0;
    TraceSummary trace;
    std::optional<Duration> predictedMakespan;
    std::optional<double> predictionError;  ///< (predicted - measured) / measured
};

/// A run without measured traces (predicted only) is summed up from its prediction, without an error.
RunSummary summarize(const Run& run);

}  // namespace lanewright
