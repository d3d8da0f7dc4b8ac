// SPDX-License-Identifier: GPL-3.0-or-later
// Plans from a few lines of text, on a machine with CPU workers, storage and fake devices; no files are needed.
#pragma once

#include "engine/cost/cost_model.h"
#include "engine/plan/make_plan.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lanewright::test {

struct RigMachine {
    int workers = 2;
    int fakeDevices = 0;
    int queueDepth = 2;
    ByteCount deviceMemory{std::uint64_t{64} << 20};
};
Machine rigMachine(const RigMachine& shape);

struct RigPlan {
    /// "decode:test_source; add:test_add<decode@fake:0; sink:test_sink<add": id:kind, inputs in port order, devices
    /// separated by '|', with shares as "cpu*1|fake:0*3".
    std::string stages;
    std::size_t images = 4;
    std::int32_t width = 64;
    std::int32_t height = 48;
    RunSettings settings;
    RigMachine machine;
    std::vector<std::size_t> unreadable;          ///< images with an error
    std::function<void(InputSet&)> editInput;     ///< real files, for instance
    std::function<void(Pipeline&)> editPipeline;  ///< parameters, for instance
};
Result<Plan> makeRigPlan(const RigPlan& description);

/// Every operation takes 1000 ns and 1 ns a sample of its first output; copies 500 ns and 1 ns for 4 bytes; reads and writes
/// 300 ns.
class RigCosts : public CostModel {
public:
    CostEstimate cost(const StepQuery& query) const override;
    ByteCount encodedBytes(const StepQuery& query) const override;
    double spread = 0;
};

}  // namespace lanewright::test
