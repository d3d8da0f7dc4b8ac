// SPDX-License-Identifier: GPL-3.0-or-later
// Runs rig plans (tests/support/plan_rig.h) for real: files in a folder of their own, CPU workers, scripted fake devices.
#pragma once

#include "engine/devices/fake.h"
#include "engine/run/executor.h"
#include "tests/support/plan_rig.h"
#include "tests/support/temporary_folder.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lanewright::test {

class ExecutorRig {
public:
    /// `images` test files of `description.width` x `height` with different contents.
    explicit ExecutorRig(RigPlan description);

    /// Of the fake device with this name; before run().
    FakeScript& script(const std::string& device) { return m_scripts[device]; }
    FakeRecord& record(const std::string& device) { return *m_records.at(device); }
    ExecutionOptions& options() { return m_options; }
    const Plan& plan() const { return *m_plan; }
    void setPlan(std::shared_ptr<const Plan> plan) { m_plan = std::move(plan); }

    /// Opens an executor.
    std::unique_ptr<Executor> open();
    /// Opens one, runs one repeat, checks the trace against the contract and that no temporary file is left.
    ExecutionResult run();
    void check(const ExecutionResult& result) const;

    std::filesystem::path inputFile(std::size_t image) const;
    std::filesystem::path outputFile(std::size_t image, const std::string& sink = "sink") const;
    /// Samples of the input, each + `added`.
    std::vector<std::byte> expectedPixels(std::size_t image, int added) const;
    /// Samples that a sink wrote; empty: no such file.
    std::vector<std::byte> writtenPixels(std::size_t image, const std::string& sink = "sink") const;
    std::size_t outputFiles() const;
    std::size_t partialFiles() const;

private:
    TemporaryFolder m_folder;
    std::map<std::string, FakeScript> m_scripts;
    std::map<std::string, std::shared_ptr<FakeRecord>> m_records;
    ExecutionOptions m_options;
    std::shared_ptr<const Plan> m_plan;
};

/// A plan description of three workers at most and what tests of the executor need most often.
RigPlan executorPlan(std::string stages, std::size_t images, int workers = 2, int fakeDevices = 0);

/// Sets a parameter of a stage; for RigPlan::editPipeline.
void setParameter(Pipeline& pipeline, std::string_view stage, std::string_view parameter, ParameterValue value);

std::size_t countOutcomes(const ExecutionResult& result, ImageOutcome outcome);

}  // namespace lanewright::test
