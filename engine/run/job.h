// SPDX-License-Identifier: GPL-3.0-or-later
// From a project to a run in three calls: what the command line and the window share. Values in, values out; nothing here
// prints, and every call may come from a worker thread.
#pragma once

#include "engine/cost/cost_model.h"
#include "engine/machine/machine.h"
#include "engine/plan/plan.h"
#include "engine/project/project.h"
#include "engine/run/executor.h"
#include "engine/run/run.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace lanewright {

/// What to plan, and for which machine. `project` has all overrides in it.
struct JobRequest {
    Project project;
    /// The machine of this file; empty: the machine that is here. The project's own machine file does not count: whether
    /// it does is the caller's choice (it does for predictions, so that a project for absent devices can still be run
    /// here after its stages were placed elsewhere).
    std::filesystem::path machineFile;
    std::optional<std::uint64_t> seed;                 ///< of simulated repeats; none: a random one, recorded
    std::filesystem::path costFolder = cacheFolder();  ///< what earlier runs taught
    std::shared_ptr<const Machine> machine;            ///< set: taken as it is, neither found nor read
    std::shared_ptr<const InputSet> input;             ///< set: taken as it is, not collected again
};

/// A project made ready: input probed, machine known, plan made (in planned order: frozen).
struct Job {
    Project project;
    const Catalog* catalog = nullptr;
    std::shared_ptr<const Machine> machine;
    std::shared_ptr<const InputSet> input;
    std::shared_ptr<MeasuredCostModel> costs;
    std::shared_ptr<const Plan> plan;
    std::uint64_t seed = 0;

    /// The machine is not here: runs of this job are drawn, not measured, and write no outputs.
    bool simulated() const { return !machine->present; }
};

enum class JobPhase : std::uint8_t { findingDevices, readingInput, planning, predicting, running };

/// What a job tells while it works; every function may be empty and is called from the calling or a worker thread.
struct JobEvents {
    std::function<void(JobPhase)> phase;
    std::function<void(std::int32_t repeat)> repeat;  ///< repeat 0, 1, ... begins
    std::function<void(const Progress&)> progress;    ///< of the current repeat
    std::function<void(const Trace&)> snapshot;       ///< of the current repeat
    std::stop_token stop;
};

/// Errors: those of the machine file, of collectInput(), of makePlan() and freeze(); run.cancelled.
Result<Job> prepareJob(JobRequest request, const Catalog& catalog, const JobEvents& events = {});

/// A run that holds the prediction only. Nothing is written. Errors: those of simulate().
Result<Run> predictJob(const Job& job, const JobEvents& events = {});

/// Predicts, then runs as many repeats as the settings say; learns from each (a failure to keep what was learned is a
/// message of the run). A stop gives the run so far, interrupted. On a machine that is not here the repeats are simulated
/// with seeds from job.seed upwards. Errors: output.* (nothing was started), devices that cannot be opened, run.cancelled
/// before anything started.
Result<Run> runJob(const Job& job, const JobEvents& events = {});

}  // namespace lanewright
