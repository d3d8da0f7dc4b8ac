// SPDX-License-Identifier: GPL-3.0-or-later
// Predicted and simulated traces of many plans keep the contract.
#include "engine/analysis/summary.h"
#include "engine/run/simulator.h"
#include "engine/trace/contract.h"
#include "tests/support/plan_rig.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_file.h"
#include "tests/support/test_stages.h"
#include "tests/support/trace_fixture.h"

#include <gtest/gtest.h>

#include <optional>

namespace lanewright::test {
namespace {

Plan makePlanOf(const RigPlan& description) {
    auto made = makeRigPlan(description);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().id);
    return std::move(made).value();
}

struct Case {
    const char* name;
    const char* stages;
    int devices;
};

class SimulatedContract : public testing::TestWithParam<Case> {};

TEST_P(SimulatedContract, Holds) {
    for (const std::int32_t batch : {1, 3}) {
        for (const Order order : {Order::dynamic, Order::planned}) {
            for (const std::size_t images : {std::size_t{1}, std::size_t{2}, std::size_t{9}}) {
                RigPlan description;
                description.stages = GetParam().stages;
                description.images = images;
                description.machine.fakeDevices = GetParam().devices;
                description.settings.batch = batch;
                description.settings.order = order;
                description.machine.deviceMemory = ByteCount(200'000);
                Plan plan = makePlanOf(description);
                RigCosts costs;
                costs.spread = 0.3;
                if (order == Order::planned) {
                    ASSERT_TRUE(freeze(plan, costs).ok());
                }
                for (const std::optional<std::uint64_t> seed :
                     {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(7)}) {
                    const auto trace = simulate(plan, costs, {.seed = seed, .stop = {}});
                    ASSERT_TRUE(trace.ok()) << trace.error().id;
                    EXPECT_EQ(contractText(checkContract(plan, *trace)), "")
                        << images << " images, batches of " << batch << "\n"
                        << traceText(plan, *trace);
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Pipelines, SimulatedContract,
    testing::Values(
        Case{"Chain", "decode:test_source; add:test_add<decode; sink:test_sink<add", 0},
        Case{"Device", "decode:test_source; add:test_add<decode@fake:0; slow:test_slow<add@fake:0; sink:test_sink<slow",
             1},
        Case{"Free",
             "decode:test_source; add:test_add<decode@cpu|fake:0; slow:test_slow<add@cpu|fake:0; sink:test_sink<slow",
             1},
        Case{"Shares", "decode:test_source; add:test_add<decode@cpu*1|fake:0*1; sink:test_sink<add", 1},
        Case{"TwoDevices",
             "decode:test_source; add:test_add<decode@fake:0; slow:test_slow<add@fake:1; sink:test_sink<slow", 2},
        Case{"FanOut",
             "decode:test_source; a:test_add<decode; b:test_add<decode@fake:0; blend:test_blend<a,b; sa:test_sink<a; "
             "sb:test_sink<blend",
             1},
        Case{"Phases", "decode:test_source; split:test_split<decode@fake:0; sink:test_sink<split", 1}),
    [](const auto& info) { return std::string(info.param.name); });

/// A picture is read and decoded once, copied once to each device that uses it, and ends with the run.
TEST(SimulatedConstants, HoldTheContract) {
    const Catalog catalog = makeTestCatalog();
    const TemporaryFolder folder;
    Pipeline pipeline;
    Placement placement;
    const auto add = [&](const char* id, const char* kind, const char* device) {
        const StageKind* found = catalog.find(kind);
        pipeline.stages.push_back({id, found, Parameters(found->description().parameters)});
        placement.stages.push_back({{device}, {}});
        return StageIndex(pipeline.stages.size() - 1);
    };
    const StageIndex decode = add("decode", "test_source", "cpu");
    const StageIndex logo = add("logo", "test_picture", "cpu");
    const StageIndex blend = add("blend", "test_blend", "fake:0");
    const StageIndex sink = add("sink", "test_sink", "cpu");
    pipeline.stages[logo.index()].parameters.set(0, folder.write("logo.lwt", testFile(8, 8, 3, 1U)).string());
    pipeline.edges = {{decode, 0, blend, 0}, {logo, 0, blend, 1}, {blend, 0, sink, 0}};
    RigPlan like;
    like.stages = "decode:test_source; sink:test_sink<decode";
    like.images = 7;
    like.machine.fakeDevices = 1;
    const Plan rig = makePlanOf(like);
    PlanRequest request;
    request.pipeline = std::make_shared<Pipeline>(pipeline);
    request.input = rig.input;
    request.machine = rig.machine;
    request.placement = placement;
    request.catalog = &catalog;
    const auto plan = makePlan(request);
    ASSERT_TRUE(plan.ok()) << plan.error().id;
    auto trace = simulate(*plan, RigCosts());
    ASSERT_TRUE(trace.ok()) << trace.error().id;
    EXPECT_EQ(contractText(checkContract(*plan, *trace)), "");
    EXPECT_EQ(summarize(*trace, plan->imageCount(), 1).images.done, 7U);
    std::size_t copies = 0;
    const TraceIndex index(*trace);
    for (const StepRecord& step : index.steps()) {
        copies +=
            step.image == plan->constantsImage() && index.templateOf(step).category == SpanCategory::copy ? 1U : 0U;
    }
    EXPECT_EQ(copies, 1U);
    // The picture's own outcome is asked for too.
    std::erase_if(trace->outcomes, [&](const Outcome& outcome) { return outcome.image == plan->constantsImage(); });
    EXPECT_NE(contractText(checkContract(*plan, *trace)).find("outcomeMissing: logo"), std::string::npos);
}

}  // namespace
}  // namespace lanewright::test
