// SPDX-License-Identifier: GPL-3.0-or-later
// Predicted against measured, step by step.
#pragma once

#include "engine/analysis/statistics.h"
#include "engine/analysis/trace_index.h"

#include <string>
#include <vector>

namespace lanewright {

struct StepPair {
    StepId predicted;
    StepId measured;
    Duration predictedDuration{0};
    Duration measuredDuration{0};
    std::optional<double> error() const { return relativeError(predictedDuration, measuredDuration); }
};

/// All pairs of one kind of step.
struct GroupError {
    SpanCategory category = SpanCategory::stage;
    std::string name;  ///< of the template: "resize", "copy resize.image opencl:0>host"
    std::string stageId;
    std::size_t pairs = 0;
    Duration predicted{0};
    Duration measured{0};
    std::optional<double> error() const { return relativeError(predicted, measured); }
};

/// Pairs by predicted step id; groups: longest measured first.
struct Comparison {
    std::vector<StepPair> pairs;
    std::vector<StepId> unpairedPredicted;
    std::vector<StepId> unpairedMeasured;
    std::vector<GroupError> groups;
    Duration predictedMakespan{0};
    Duration measuredMakespan{0};
    std::optional<double> error() const { return relativeError(predictedMakespan, measuredMakespan); }
};

/// Two traces of one plan. Pairs steps of equal template and images; of several attempts the first that ran, the others
/// stay unpaired. Set-up is left out.
Comparison compare(const TraceIndex& predicted, const TraceIndex& measured);
Comparison compare(const Trace& predicted, const Trace& measured);

}  // namespace lanewright
