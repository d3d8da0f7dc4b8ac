// SPDX-License-Identifier: GPL-3.0-or-later
// Predicted and simulated traces of many plans keep the contract.
#include "engine/run/simulator.h"
#include "engine/trace/contract.h"
#include "tests/support/plan_rig.h"
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

}  // namespace
}  // namespace lanewright::test
