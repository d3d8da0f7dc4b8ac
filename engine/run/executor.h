// SPDX-License-Identifier: GPL-3.0-or-later
// Drives Dispatch with real devices and the run's steady clock.
#pragma once

#include "engine/devices/driver.h"
#include "engine/plan/plan.h"
#include "engine/run/run.h"
#include "engine/trace/trace.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>

namespace lanewright {

struct Progress {
    std::size_t imagesEnded = 0;
    std::size_t imagesFailed = 0;
    std::size_t images = 0;
    Duration elapsed{0};
};

struct ExecutionOptions {
    std::filesystem::path outputFolder;
    /// Output files by image and sink stage, relative to the folder (from engine/input/output_names.h).
    std::function<std::filesystem::path(ImageIndex, StageIndex)> outputName;
    std::function<void(const Progress&)> progress;  ///< every 50 ms and at the end, from execute()'s thread
    std::function<void(const Trace&)> snapshot;     ///< at most every 100 ms, from execute()'s thread; may be empty
    std::stop_token stop;                           ///< cancel
    /// Replaces the driver of a device (tests: the scripted fake).
    std::function<std::unique_ptr<DeviceDriver>(DeviceId)> driverOverride;
};

struct ExecutionResult {
    Trace trace;
    std::vector<ImageRecord> images;
    std::vector<Message> messages;
    bool interrupted = false;
};

/// Drivers opened once, then as many repeats as wanted.
class Executor {
public:
    /// Errors: a device of the plan cannot be opened.
    static Result<std::unique_ptr<Executor>> open(std::shared_ptr<const Plan> plan, const Catalog& catalog,
                                                  const ExecutionOptions& options);
    ~Executor();
    /// One repeat.
    Result<ExecutionResult> execute();

private:
    class Impl;
    explicit Executor(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lanewright
