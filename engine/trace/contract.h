// SPDX-License-Identifier: GPL-3.0-or-later
// What every trace of a plan must hold, predicted, simulated or measured: the contract between the rules of dispatch and
// those who read traces. Tests check each trace that they make.
#pragma once

#include "engine/plan/plan.h"
#include "engine/trace/trace.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

enum class ContractRule : std::uint8_t {
    references,      ///< spans, batches and outcomes name lanes, templates, images and stages of the plan
    place,           ///< a step runs on a lane that its template and its stage's devices allow
    times,           ///< ready <= submitted <= begin <= end, submitted <= returned
    range,           ///< set-up ends before the trace's start, all else lies between start and end
    parts,           ///< part spans of one step: other lanes of one device, equal but for begin and end
    cause,           ///< what made a step ready had ended by then
    laneOverlap,     ///< one step at a time on a lane
    deviceOverlap,   ///< one step at a time on a synchronous device
    groupOverlap,    ///< one step at a time in an exclusive group
    queueDepth,      ///< no more steps submitted and unfinished than the lane takes
    inputs,          ///< every input was in the memory where the step ran before it began
    bytes,           ///< copies, reads and writes move as many bytes as there are
    copyNeeded,      ///< no copy of what was already there or of what nobody used
    outcomeMissing,  ///< each stage of each image has an outcome
    outcomeTwice,    ///< and only one
    outcomeLate,     ///< outcomes are written when their image ends, not after
    imageEnd,        ///< each image ends once, after all its steps
    chain,           ///< a done stage has a complete chain of steps of one variant that count
    repeated,        ///< no step of an image counts twice
    superseded,      ///< records of superseded attempts are within the run and not for steps after it
    lostDevice,      ///< nothing begins on a device after it was lost
    imagesInFlight,  ///< never more images between their first step and their end than the limit
    liveBytes,       ///< no memory holds more than its limit, as counted and as the steps imply
    idleSum,         ///< per lane, busy and idle by reason sum exactly to the makespan
};

/// Stable name: "laneOverlap".
std::string_view contractRuleName(ContractRule rule);

/// `text` is for people who read test reports, in English.
struct ContractViolation {
    ContractRule rule = ContractRule::references;
    std::string text;
};

/// Empty: all is well. At most 20 violations of each rule are listed. When spans refer to what is not there, only that is
/// checked. Times of measured traces may differ by the clock uncertainty of the devices concerned. n log n in the spans.
std::vector<ContractViolation> checkContract(const Plan& plan, const Trace& trace);

/// One line a violation; empty when there are none.
std::string contractText(const std::vector<ContractViolation>& violations);

}  // namespace lanewright
