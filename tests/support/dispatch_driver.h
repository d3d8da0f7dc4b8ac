// SPDX-License-Identifier: GPL-3.0-or-later
// Drives Dispatch in tests without time or devices: ends steps in a random possible order, injects faults, and checks at
// each decision what must hold.
#pragma once

#include "engine/run/dispatch.h"

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace lanewright::test {

/// What to do with a step that could end now.
struct Fault {
    enum class Kind { none, refuse, fail, outOfMemory, lose } kind = Kind::none;
};

struct DriveOptions {
    std::uint64_t seed = 1;
    std::function<Fault(const Step&, const Plan&)> fault;
    std::optional<std::size_t> cancelAfter;  ///< steps
};

struct DriveResult {
    std::map<std::pair<std::uint32_t, std::string>, OutcomeKind> outcomes;  ///< (image, stage id)
    std::map<std::uint32_t, std::string> messages;                          ///< image -> ids of messages
    std::vector<std::string> submitted;  ///< "resize 3 @fake:0" in order; copies with their direction
    std::vector<std::string> problems;   ///< what must hold and did not
    std::size_t superseded = 0;
    std::size_t widest = 0;  ///< lanes of the widest step
    std::size_t largestBatch = 0;
    std::size_t mostInFlight = 0;
    std::uint64_t mostDeviceBytes = 0;
    bool complete = false;

    std::size_t countOutcomes(OutcomeKind kind) const;
    std::size_t countSubmitted(const std::string& text) const;  ///< entries that contain `text`
};

DriveResult drive(const Plan& plan, const DriveOptions& options = {});

}  // namespace lanewright::test
