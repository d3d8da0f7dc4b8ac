// SPDX-License-Identifier: GPL-3.0-or-later
// The options that `run`, `predict` and `convert` share: what to change in a project, and on which machine to work.
#pragma once

#include "engine/project/project.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lanewright::cli {

struct JobOptions {
    std::vector<std::string> inputs;
    std::string output;
    std::vector<std::string> placements;
    std::vector<std::string> parameters;
    std::optional<std::size_t> images;
    std::optional<std::int32_t> repeat;
    std::optional<std::string> order;
    std::optional<std::int32_t> workers;
    std::optional<std::int32_t> batch;
    std::optional<std::int32_t> inFlight;
    std::string machine;
    std::optional<std::uint64_t> seed;
    bool quiet = false;
};

/// Input, output, placement and parameters of a project: `run` and `predict`.
void declareProjectOptions(CLI::App& app, JobOptions& options);
/// How to run it, and on which machine: `convert` too.
void declareRunOptions(CLI::App& app, JobOptions& options);

/// Puts the options into `project`. Errors: those of applyPlacement() and applyParameter().
Status applyOptions(Project& project, const JobOptions& options);

}  // namespace lanewright::cli
