// SPDX-License-Identifier: GPL-3.0-or-later
// Predicted traces hold the contract, repeat exactly, respect capacity groups, and planned order plays back what was frozen.
#include "engine/run/simulator.h"

#include "engine/trace/contract.h"
#include "tests/support/plan_rig.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace lanewright::test {
namespace {

const std::vector<std::string> pipelines{
    "decode:test_source; add:test_add<decode; sink:test_sink<add",
    "decode:test_source; add:test_add<decode@fake:0; slow:test_slow<add@fake:0; sink:test_sink<slow",
    "decode:test_source; add:test_add<decode@cpu|fake:0; slow:test_slow<add@cpu|fake:0; sink:test_sink<slow",
    "decode:test_source; add:test_add<decode@cpu*1|fake:0*3; sink:test_sink<add",
    "decode:test_source; a:test_add<decode; b:test_add<decode@fake:0; blend:test_blend<a,b; sa:test_sink<a; "
    "sb:test_sink<blend",
    "decode:test_source; a:test_add<decode@fake:0; b:test_add<a@fake:1; c:test_blend<a,b@cpu; sink:test_sink<c",
    "decode:test_source; split:test_split<decode@fake:0; sink:test_sink<split"};

Plan randomPlan(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    RigPlan description;
    description.stages = pipelines[seed % pipelines.size()];
    description.images = 1 + random() % 20;
    description.machine.fakeDevices = 2;
    description.machine.workers = static_cast<int>(1 + random() % 4);
    description.settings.batch = static_cast<std::int32_t>(1 + random() % 3);
    description.settings.imagesInFlight = static_cast<std::int32_t>(random() % 7);
    auto plan = makeRigPlan(description);
    EXPECT_TRUE(plan.ok());
    return std::move(*plan);
}

void expectContract(const Plan& plan, const Trace& trace, std::uint64_t seed) {
    for (const ContractViolation& violation : checkContract(plan, trace)) {
        ADD_FAILURE() << "seed " << seed << ": " << violation.text;
    }
}

/// What a trace did, apart from which step had which number.
std::multimap<std::string, std::pair<std::int64_t, std::int64_t>> doings(const Trace& trace) {
    std::multimap<std::string, std::pair<std::int64_t, std::int64_t>> list;
    trace.forEach([&](const Span& span) {
        const std::string key = trace.templates[span.stepTemplate].name + " " + std::to_string(span.image.value) + " " +
                                std::to_string(span.lane);
        list.emplace(key, std::pair(toNs(span.begin), toNs(span.end)));
    });
    return list;
}

TEST(Simulator, PredictionsHoldTheContract) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Plan plan = randomPlan(seed);
        const auto trace = simulate(plan, RigCosts());
        ASSERT_TRUE(trace.ok()) << seed << " " << trace.error().id;
        expectContract(plan, *trace, seed);
        if (HasFailure()) break;
    }
}

TEST(Simulator, SimulatedRunsHoldTheContractAndRepeatWithTheirSeed) {
    RigCosts costs;
    costs.spread = 0.3;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Plan plan = randomPlan(seed);
        const auto first = simulate(plan, costs, {seed, {}});
        const auto again = simulate(plan, costs, {seed, {}});
        const auto other = simulate(plan, costs, {seed + 1, {}});
        ASSERT_TRUE(first.ok() && again.ok() && other.ok());
        expectContract(plan, *first, seed);
        EXPECT_EQ(first->origin, TraceOrigin::simulated);
        EXPECT_EQ(doings(*first), doings(*again));
        EXPECT_NE(doings(*first), doings(*other));
    }
}

TEST(Simulator, PlannedOrderPlaysBackExactly) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Plan plan = randomPlan(seed);
        const auto dynamic = simulate(plan, RigCosts());
        ASSERT_TRUE(freeze(plan, RigCosts()).ok());
        const auto planned = simulate(plan, RigCosts());
        ASSERT_TRUE(dynamic.ok() && planned.ok());
        EXPECT_EQ(doings(*dynamic), doings(*planned)) << "seed " << seed;
        if (HasFailure()) break;
    }
}

/// With other durations the same steps run on the same lanes in the same order.
TEST(Simulator, PlannedOrderHoldsUnderOtherDurations) {
    RigCosts noisy;
    noisy.spread = 0.8;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Plan plan = randomPlan(seed);
        ASSERT_TRUE(freeze(plan, RigCosts()).ok());
        const auto planned = simulate(plan, RigCosts());
        const auto drawn = simulate(plan, noisy, {seed, {}});
        ASSERT_TRUE(drawn.ok()) << seed;
        expectContract(plan, *drawn, seed);
        const auto keys = [](const Trace& trace) {
            std::vector<std::string> list;
            for (const auto& [key, times] : doings(trace)) list.push_back(key);
            return list;
        };
        EXPECT_EQ(keys(*planned), keys(*drawn)) << "seed " << seed;
        if (HasFailure()) break;
    }
}

TEST(Simulator, SharedGroupsStretchWhatRunsTogether) {
    RigPlan description;
    description.stages = pipelines[0];
    description.images = 40;
    auto plan = makeRigPlan(description);
    ASSERT_TRUE(plan.ok());
    const auto alone = simulate(*plan, RigCosts());
    Machine machine = *plan->machine;
    CapacityGroup cores{"cores", GroupRule::shared, 1, {}};
    for (const LaneId lane : machine.lanesOf(machine.hostDevice, LaneRole::worker)) cores.members.push_back({lane, 1});
    machine.groups.push_back(cores);
    plan->machine = std::make_shared<Machine>(machine);
    const auto together = simulate(*plan, RigCosts());
    ASSERT_TRUE(alone.ok() && together.ok());
    const double ratio =
        static_cast<double>(together->makespan().count()) / static_cast<double>(alone->makespan().count());
    EXPECT_NEAR(ratio, 2.0, 0.05);
}

TEST(Simulator, ExclusiveGroupsNeverOverlap) {
    RigPlan description;
    description.stages = pipelines[1];
    description.images = 30;
    description.machine.fakeDevices = 1;
    auto plan = makeRigPlan(description);
    ASSERT_TRUE(plan.ok());
    Machine machine = *plan->machine;
    CapacityGroup device{"device", GroupRule::exclusive, 1, {}};
    for (const LaneId lane : machine.device(*machine.findDevice("fake:0")).lanes) device.members.push_back({lane, 1});
    machine.groups.push_back(device);
    plan->machine = std::make_shared<Machine>(machine);
    const auto trace = simulate(*plan, RigCosts());
    ASSERT_TRUE(trace.ok());
    expectContract(*plan, *trace, 0);
    std::vector<std::pair<Instant, Instant>> spans;
    trace->forEach([&](const Span& span) {
        for (const GroupMember& member : device.members) {
            if (member.lane.value == span.lane) spans.emplace_back(span.begin, span.end);
        }
    });
    std::sort(spans.begin(), spans.end());
    ASSERT_GT(spans.size(), 100U);
    for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_GE(spans[i].first, spans[i - 1].second);
}

TEST(Simulator, ASynchronousDeviceRunsOneStepAtATime) {
    RigPlan description;
    description.stages = pipelines[1];
    description.images = 10;
    description.machine.fakeDevices = 1;
    auto plan = makeRigPlan(description);
    ASSERT_TRUE(plan.ok());
    const auto overlapped = simulate(*plan, RigCosts());
    Machine machine = *plan->machine;
    machine.devices[machine.findDevice("fake:0")->index()].synchronous = true;
    plan->machine = std::make_shared<Machine>(machine);
    const auto synchronous = simulate(*plan, RigCosts());
    ASSERT_TRUE(overlapped.ok() && synchronous.ok());
    expectContract(*plan, *synchronous, 0);
    EXPECT_GT(synchronous->makespan(), overlapped->makespan());
}

}  // namespace
}  // namespace lanewright::test
