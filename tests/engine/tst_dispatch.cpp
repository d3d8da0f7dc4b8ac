// SPDX-License-Identifier: GPL-3.0-or-later
// The rule book: every image and stage ends exactly once, with the copies, limits, batches and fallbacks that the rules say,
// in whatever order steps end and whatever goes wrong.
#include "tests/support/dispatch_driver.h"
#include "tests/support/plan_rig.h"

#include <gtest/gtest.h>

namespace lanewright::test {
namespace {

const std::string chain = "decode:test_source; add:test_add<decode; sink:test_sink<add";
const std::string onDevice =
    "decode:test_source; add:test_add<decode@fake:0; slow:test_slow<add@fake:0; sink:test_sink<slow";
const std::string free =
    "decode:test_source; add:test_add<decode@cpu|fake:0; slow:test_slow<add@cpu|fake:0; sink:test_sink<slow";
const std::string shares = "decode:test_source; add:test_add<decode@cpu*1|fake:0*1; sink:test_sink<add";
const std::string fan = "decode:test_source; a:test_add<decode; b:test_add<decode@fake:0; blend:test_blend<a,b; "
                        "sa:test_sink<a; sb:test_sink<blend";

Plan plan(RigPlan description) {
    auto made = makeRigPlan(description);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().id);
    return std::move(made).value();
}

RigPlan rig(const std::string& stages, std::size_t images = 6, int devices = 1) {
    RigPlan description;
    description.stages = stages;
    description.images = images;
    description.machine.fakeDevices = devices;
    return description;
}

void expectSound(const DriveResult& result) {
    for (const std::string& problem : result.problems) ADD_FAILURE() << problem;
}

TEST(Dispatch, RunsAChainOnTheCpu) {
    const DriveResult result = drive(plan(rig(chain)));
    expectSound(result);
    EXPECT_EQ(result.countOutcomes(OutcomeKind::done), 18U);
    EXPECT_EQ(result.countSubmitted("copy"), 0U);
    EXPECT_EQ(result.countSubmitted("read decode"), 6U);
    EXPECT_EQ(result.countSubmitted("write sink"), 6U);
    EXPECT_LE(result.mostInFlight, 4U);
}

TEST(Dispatch, CopiesOnceIntoADeviceAndOnceOut) {
    const DriveResult result = drive(plan(rig(onDevice)));
    expectSound(result);
    EXPECT_EQ(result.countOutcomes(OutcomeKind::done), 24U);
    EXPECT_EQ(result.countSubmitted("copy decode"), 6U);
    EXPECT_EQ(result.countSubmitted("copy slow"), 6U);
    EXPECT_EQ(result.countSubmitted("copy"), 12U);
    EXPECT_EQ(result.countSubmitted("add 0 @fake:0"), 1U);
}

TEST(Dispatch, SharesAreExact) {
    const DriveResult result = drive(plan(rig(shares, 8)));
    expectSound(result);
    std::size_t onCpu = 0;
    std::size_t onFake = 0;
    for (int i = 0; i < 8; ++i) {
        onCpu += result.countSubmitted("add " + std::to_string(i) + " @cpu");
        onFake += result.countSubmitted("add " + std::to_string(i) + " @fake:0");
    }
    EXPECT_EQ(onCpu, 4U);
    EXPECT_EQ(onFake, 4U);
}

TEST(Dispatch, FreeChoiceKeepsAnImageOnItsDevice) {
    const Plan made = plan(rig(free, 12));
    const DriveResult result = drive(made);
    expectSound(result);
    for (int i = 0; i < 12; ++i) {
        const std::string image = " " + std::to_string(i) + " @";
        EXPECT_EQ(result.countSubmitted("add" + image + "fake:0"), result.countSubmitted("slow" + image + "fake:0"));
    }
    EXPECT_GE(result.countSubmitted("add"), 12U);
    EXPECT_GE(result.countSubmitted("@fake:0"), 2U);
}

TEST(Dispatch, BranchesJoin) {
    const DriveResult result = drive(plan(rig(fan)));
    expectSound(result);
    EXPECT_EQ(result.countOutcomes(OutcomeKind::done), 36U);
}

TEST(Dispatch, AFailedBranchLeavesTheOthers) {
    DriveOptions options;
    options.fault = [](const Step& step, const Plan& p) {
        const bool hit =
            p.stepTemplate(step.stepTemplate).name == "b" && step.images.front() == ImageIndex(std::size_t{2});
        return Fault{hit ? Fault::Kind::fail : Fault::Kind::none};
    };
    const DriveResult result = drive(plan(rig(fan)), options);
    expectSound(result);
    EXPECT_EQ(result.outcomes.at({2, "b"}), OutcomeKind::failed);
    EXPECT_EQ(result.outcomes.at({2, "blend"}), OutcomeKind::skipped);
    EXPECT_EQ(result.outcomes.at({2, "sb"}), OutcomeKind::skipped);
    EXPECT_EQ(result.outcomes.at({2, "sa"}), OutcomeKind::done);
    EXPECT_EQ(result.countOutcomes(OutcomeKind::done), 33U);
}

TEST(Dispatch, UnreadableImagesFailWithoutSteps) {
    RigPlan description = rig(chain);
    description.unreadable = {0, 3};
    const DriveResult result = drive(plan(description));
    expectSound(result);
    EXPECT_EQ(result.outcomes.at({3, "decode"}), OutcomeKind::failed);
    EXPECT_EQ(result.outcomes.at({3, "sink"}), OutcomeKind::skipped);
    EXPECT_EQ(result.countSubmitted("read decode"), 4U);
}

TEST(Dispatch, ARefusedImageTakesTheFallbackAlone) {
    DriveOptions options;
    options.fault = [](const Step& step, const Plan& p) {
        const bool hit = p.stepTemplate(step.stepTemplate).name == "add" && step.images.front().value == 1 &&
                         p.machine->device(step.device).name == "fake:0";
        return Fault{hit ? Fault::Kind::refuse : Fault::Kind::none};
    };
    const DriveResult result = drive(plan(rig(onDevice)), options);
    expectSound(result);
    EXPECT_EQ(result.countOutcomes(OutcomeKind::done), 24U);
    EXPECT_GE(result.superseded, 1U);
    EXPECT_EQ(result.countSubmitted("add 1 @cpu"), 1U);
    EXPECT_EQ(result.countSubmitted("@cpu"), 6U * 2U + 1U);
}

TEST(Dispatch, BatchesFillAndCloseAtTheEnd) {
    RigPlan description = rig(onDevice, 10);
    description.settings.batch = 4;
    const DriveResult result = drive(plan(description));
    expectSound(result);
    EXPECT_EQ(result.countOutcomes(OutcomeKind::done), 40U);
    EXPECT_EQ(result.largestBatch, 4U);
}

TEST(Dispatch, OutOfMemoryHalvesTheBatchThenFallsBack) {
    RigPlan description = rig(onDevice, 8);
    description.settings.batch = 4;
    DriveOptions options;
    options.fault = [](const Step& step, const Plan& p) {
        const bool hit =
            p.machine->device(step.device).name == "fake:0" && p.stepTemplate(step.stepTemplate).name == "slow";
        return Fault{hit ? Fault::Kind::outOfMemory : Fault::Kind::none};
    };
    const DriveResult result = drive(plan(description), options);
    expectSound(result);
    EXPECT_EQ(result.countOutcomes(OutcomeKind::done), 32U);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(result.countSubmitted("slow " + std::to_string(i) + " @cpu"), 1U);
}

TEST(Dispatch, ASmallDeviceMemoryIsNeverExceeded) {
    RigPlan description = rig(onDevice, 12);
    const std::uint64_t frame = sizeOf(ImageShape{64, 48, rgb8}).value;
    description.machine.deviceMemory = ByteCount(frame * 3);
    description.settings.batch = 4;
    const DriveResult result = drive(plan(description));
    expectSound(result);
    EXPECT_EQ(result.countOutcomes(OutcomeKind::done), 48U);
    EXPECT_LE(result.mostDeviceBytes, frame * 3);
    EXPECT_GT(result.mostDeviceBytes, 0U);
}

TEST(Dispatch, ALostDeviceIsDoneAgainElsewhere) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        std::size_t count = 0;
        DriveOptions options;
        options.seed = seed;
        options.fault = [&](const Step& step, const Plan& p) {
            const bool there = p.machine->device(step.device).name == "fake:0";
            return Fault{there && ++count == seed ? Fault::Kind::lose : Fault::Kind::none};
        };
        const DriveResult result = drive(plan(rig(onDevice, 8)), options);
        expectSound(result);
        EXPECT_EQ(result.countOutcomes(OutcomeKind::done), 32U) << seed;
        if (seed < 24) {
            EXPECT_GE(result.superseded, 1U) << seed;
        }
    }
}

TEST(Dispatch, CancelEndsEverythingOnce) {
    for (std::size_t after = 0; after < 30; ++after) {
        DriveOptions options;
        options.seed = after + 1;
        options.cancelAfter = after;
        const DriveResult result = drive(plan(rig(onDevice, 20)), options);
        expectSound(result);
        EXPECT_EQ(result.outcomes.size(), 80U);
        EXPECT_GT(result.countOutcomes(OutcomeKind::cancelled), 0U);
    }
}

TEST(Dispatch, RowsAreSplitWhenImagesAreFewerThanWorkers) {
    RigPlan description = rig(chain, 1);
    description.machine.workers = 4;
    EXPECT_EQ(drive(plan(description)).widest, 4U);
    description.images = 100;
    EXPECT_EQ(drive(plan(rig(chain, 100))).widest <= 2U, true);
}

TEST(Dispatch, ConversionsAreVisibleStepsOnTheConsumersSide) {
    const DriveResult result =
        drive(plan(rig("decode:test_source; add:test_add<decode@fake:0; sink:test_sink<add", 3)));
    expectSound(result);
    EXPECT_EQ(result.countSubmitted("convert"), 0U);
}

TEST(Dispatch, TwoPhasesPassThroughTheHost) {
    const DriveResult result =
        drive(plan(rig("decode:test_source; split:test_split<decode@fake:0; sink:test_sink<split", 5)));
    expectSound(result);
    EXPECT_EQ(result.countSubmitted("test_split.host"), 5U * 2U);
    EXPECT_EQ(result.countOutcomes(OutcomeKind::done), 15U);
}

/// Random faults of every kind in random order: whatever happens, each (image, stage) ends once and nothing leaks.
TEST(Dispatch, SurvivesAnything) {
    const std::vector<std::string> pipelines{
        chain,
        onDevice,
        free,
        shares,
        fan,
        "decode:test_source; a:test_add<decode@fake:0; b:test_add<a@fake:1; c:test_blend<a,b@cpu|fake:0|fake:1; "
        "sink:test_sink<c@cpu; s2:test_sink<b"};
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        std::mt19937_64 random(seed);
        RigPlan description = rig(pipelines[seed % pipelines.size()], 1 + random() % 15, 2);
        description.settings.batch = static_cast<std::int32_t>(1 + random() % 4);
        description.settings.imagesInFlight = static_cast<std::int32_t>(random() % 6);
        description.machine.workers = static_cast<int>(1 + random() % 4);
        if (random() % 3 == 0)
            description.machine.deviceMemory = ByteCount(sizeOf(ImageShape{64, 48, rgb8}).value * (1 + random() % 6));
        const Plan made = plan(description);
        DriveOptions options;
        options.seed = seed;
        if (random() % 5 == 0) options.cancelAfter = random() % 60;
        const std::uint64_t rate = 2 + random() % 40;
        options.fault = [&](const Step& step, const Plan& p) {
            if (random() % rate != 0) return Fault{};
            const bool device = p.machine->device(step.device).kind == DeviceKind::fake;
            const bool operation = p.stepTemplate(step.stepTemplate).kind == TemplateKind::operation;
            switch (random() % 6) {
            case 0: return Fault{Fault::Kind::fail};
            case 1: return Fault{device && operation ? Fault::Kind::refuse : Fault::Kind::none};
            case 2:
            case 3: return Fault{Fault::Kind::outOfMemory};
            case 4: return Fault{device && random() % 4 == 0 ? Fault::Kind::lose : Fault::Kind::none};
            default: return Fault{};
            }
        };
        const DriveResult result = drive(made, options);
        for (const std::string& problem : result.problems) ADD_FAILURE() << "seed " << seed << ": " << problem;
        EXPECT_EQ(result.outcomes.size(), description.images * made.pipeline->stages.size()) << "seed " << seed;
        if (result.problems.size() > 3) break;
    }
}

}  // namespace
}  // namespace lanewright::test
