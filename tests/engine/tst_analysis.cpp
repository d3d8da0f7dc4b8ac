// SPDX-License-Identifier: GPL-3.0-or-later
// What analysis says about small traces that can be checked by hand: reasons, paths, bounds, figures.
#include "engine/analysis/bounds.h"
#include "engine/analysis/compare.h"
#include "engine/analysis/critical_path.h"
#include "engine/analysis/idle.h"
#include "engine/analysis/summary.h"
#include "engine/analysis/utilization.h"
#include "tests/support/plan_rig.h"
#include "tests/support/trace_fixture.h"

#include <gtest/gtest.h>

#include <map>

namespace lanewright::test {
namespace {

const std::string onCpu = "decode:test_source; add:test_add<decode; sink:test_sink<add";
const std::string onDevice = "decode:test_source; add:test_add<decode@fake:0; sink:test_sink<add";

Plan planOf(const std::string& stages, std::size_t images = 4, int devices = 1) {
    RigPlan description;
    description.stages = stages;
    description.images = images;
    description.machine.fakeDevices = devices;
    auto made = makeRigPlan(description);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().id);
    return std::move(made).value();
}

LaneId laneCalled(const Plan& plan, std::string_view name) {
    for (std::size_t i = 0; i < plan.machine->lanes.size(); ++i) {
        if (plan.machine->lanes[i].name == name) return LaneId(i);
    }
    ADD_FAILURE() << "no lane " << name;
    return LaneId(std::size_t{0});
}

/// The gaps of a lane: "0-5 waitingForFile, 5-9 device".
std::string gapsOf(const Plan& plan, const Trace& trace, std::string_view lane) {
    std::string text;
    const auto lanes = idleOf(trace);
    for (const IdleGap& gap : lanes[laneCalled(plan, lane).index()].gaps) {
        text += (text.empty() ? "" : ", ") + std::to_string(toNs(gap.begin)) + "-" + std::to_string(toNs(gap.end)) +
                " " + std::string(idleReasonName(gap.reason));
    }
    return text;
}

std::string gapsOf(const Plan& plan, std::string_view text, std::string_view lane) {
    return gapsOf(plan, traceFromText(plan, text), lane);
}

// Idle reasons, one by one.

TEST(Idle, WaitsForTheFileThenForNothing) {
    const Plan plan = planOf(onCpu);
    const char* const text = "read: rD0[0-5]\nworker 1: D0[5-9]\nend: 12";
    EXPECT_EQ(gapsOf(plan, text, "worker 1"), "0-5 waitingForFile, 9-12 nothingLeft");
    EXPECT_EQ(gapsOf(plan, text, "read"), "5-12 nothingLeft");
    EXPECT_EQ(gapsOf(plan, text, "worker 2"), "0-12 nothingLeft");
}

TEST(Idle, SplitsSchedulerAndDevice) {
    const Plan plan = planOf(onCpu);
    EXPECT_EQ(gapsOf(plan, "read: rD0[0-5]\nworker 1: D0[9-12 s7]", "worker 1"),
              "0-5 waitingForFile, 5-7 scheduler, 7-9 device");
}

TEST(Idle, WaitsForCopyAndBeforeThatForTheStage) {
    const Plan plan = planOf(onDevice);
    const char* const text =
        "read: rD0[0-5]\nworker 1: D0[5-15]\nfake:0 upload: >D0[15-20]\nfake:0 compute: A0[20-30]\n"
        "fake:0 download: <A0[30-35]\nworker 2: E0[35-45]\nwrite: wE0[45-50]";
    EXPECT_EQ(gapsOf(plan, text, "compute"), "0-5 waitingForFile, 5-15 dependency, 15-20 inputCopy, 30-50 nothingLeft");
    EXPECT_EQ(gapsOf(plan, text, "upload"), "0-5 waitingForFile, 5-15 dependency, 20-50 nothingLeft");
    EXPECT_EQ(
        gapsOf(plan, text, "worker 2"),
        "0-5 waitingForFile, 5-15 dependency, 15-20 inputCopy, 20-30 dependency, 30-35 inputCopy, 45-50 nothingLeft");
    EXPECT_EQ(gapsOf(plan, text, "write"), "0-5 waitingForFile, 5-15 dependency, 15-20 inputCopy, 20-30 dependency, "
                                           "30-35 inputCopy, 35-45 dependency");
}

/// The compute lane waits for the decode of image 1, which stands in line behind that of image 0.
TEST(Idle, ALineForALaneCountsAsTheStepThatStandsInIt) {
    const Plan plan = planOf(onDevice);
    const char* const text = "read: rD0[0-2] rD1[2-4]\nworker 1: D0[2-10] D1[10-18]\nfake:0 upload: >D1[18-20]\n"
                             "fake:0 compute: A1[20-25]";
    EXPECT_EQ(gapsOf(plan, text, "compute"), "0-4 waitingForFile, 4-18 dependency, 18-20 inputCopy");
}

/// A step queued on its device behind the copy of its input waits for the copy, not for the device.
TEST(Idle, AQueuedStepWaitsForItsMaker) {
    const Plan plan = planOf(onDevice);
    const char* const text =
        "read: rD0[0-2]\nworker 1: D0[2-10]\nfake:0 upload: >D0[10-16]\nfake:0 compute: A0[18-20 r10 s10]";
    EXPECT_EQ(gapsOf(plan, text, "compute"), "0-2 waitingForFile, 2-10 dependency, 10-16 inputCopy, 16-18 device");
}

TEST(Idle, WaitsForTheWindow) {
    const Plan plan = planOf(onCpu);
    const std::string text =
        "read: rD0[0-5] rD1[40-45 <wE0]\nworker 1: D0[5-10] A0[10-20] E0[20-30] D1[45-50]\nwrite: wE0[30-40]";
    EXPECT_EQ(gapsOf(plan, text, "read"), "5-30 outputSlotOrWindow, 30-40 write, 45-50 nothingLeft");
    EXPECT_EQ(gapsOf(plan, text, "worker 1"), "0-5 waitingForFile, 30-40 write, 40-45 waitingForFile");
    // Without a write at the end it is the window alone.
    const char* const failed = "read: rD0[0-5] rD1[30-35 <E0]\nworker 1: D0[5-10] A0[10-20] E0[20-30] D1[35-40]";
    EXPECT_EQ(gapsOf(plan, failed, "read"), "5-30 outputSlotOrWindow, 35-40 nothingLeft");
}

TEST(Idle, TheRestOfAReservationIsReserved) {
    const Plan plan = planOf(onCpu);
    const char* const text = "read: rD0[0-5]\nworker 1: D0[5-10] A0[10-20] E0[20-25]\nworker 2: A0[12-16]\n";
    EXPECT_EQ(gapsOf(plan, text, "worker 2"),
              "0-5 waitingForFile, 5-10 dependency, 10-12 reserved, 16-20 reserved, 20-25 nothingLeft");
    // Ready since 5, but the other lane that it needs was busy until 10.
    const char* const held = "read: rD0[0-3] rD1[3-5]\nworker 1: D0[3-10] A1[10-20]\nworker 2: D1[5-6] A1[10-20]\n";
    EXPECT_EQ(gapsOf(plan, held, "worker 2"), "0-5 waitingForFile, 6-10 reserved");
}

TEST(Idle, ASynchronousDeviceIsBusyWithSomethingElse) {
    Plan plan = planOf(onDevice);
    auto machine = std::make_shared<Machine>(*plan.machine);
    machine->devices[2].synchronous = true;
    plan.machine = machine;
    const char* const text = "read: rD0[0-2] rD1[2-4]\nworker 1: D0[2-4]\nworker 2: D1[4-6]\n"
                             "fake:0 upload: >D0[4-6] >D1[16-18]\nfake:0 compute: A0[6-16]";
    EXPECT_EQ(gapsOf(plan, text, "upload"), "0-2 waitingForFile, 2-4 dependency, 6-16 device");
}

TEST(Idle, GapsNameTheStepAfterThemAndTheOneWaitedFor) {
    const Plan plan = planOf(onDevice);
    const Trace trace = traceFromText(
        plan, "read: rD0[0-5]\nworker 1: D0[5-15]\nfake:0 upload: >D0[15-20]\nfake:0 compute: A0[22-30 s21]");
    const LaneIdle idle = idleOf(trace)[laneCalled(plan, "compute").index()];
    ASSERT_EQ(idle.gaps.size(), 5U);
    const StepId next = stepOf(plan, trace, "A0");
    for (const IdleGap& gap : idle.gaps) EXPECT_EQ(gap.next, next);
    EXPECT_EQ(idle.gaps[0].on, stepOf(plan, trace, "rD0"));
    EXPECT_EQ(idle.gaps[1].on, stepOf(plan, trace, "D0"));
    EXPECT_EQ(idle.gaps[2].on, stepOf(plan, trace, ">D0"));
    EXPECT_FALSE(idle.gaps[3].on.valid());
    EXPECT_EQ(idle.idleFor(IdleReason::inputCopy), Duration(5));
    EXPECT_EQ(idle.busy, Duration(8));
    EXPECT_EQ(idle.total(), trace.makespan());
}

TEST(Idle, ConstantsAreMadeOnceForAllImages) {
    Plan plan = planOf(onCpu);
    Trace trace = traceFromText(plan, "read: rD0[0-5]\nworker 1: D0[5-10]\nworker 2: A1[10-12] A2[12-14]");
    trace = withSpans(trace, [](std::vector<Span>& spans) {
        for (Span& span : spans) {
            if (span.lane != 1) span.image = ImageIndex(std::size_t{4});
        }
    });
    EXPECT_EQ(gapsOf(plan, trace, "worker 2"), "0-5 waitingForFile, 5-10 dependency");
}

// Critical path.

std::string pathOf(const Plan& plan, const Trace& trace) {
    const char* const kinds[] = {"", " scheduler", " device", " finishing"};
    std::map<StepId, std::string> names;
    for (const char* name : {"rD0", "D0", "A0", "E0", "wE0", "rD1", "D1", "A1", "E1", "wE1", ">D0", "<A0"}) {
        if (traceText(plan, trace).find(" " + std::string(name) + "[") != std::string::npos)
            names[stepOf(plan, trace, name)] = name;
    }
    std::string text;
    for (const PathPiece& piece : criticalPathOf(trace).pieces) {
        text += (text.empty() ? "" : ", ") + std::to_string(toNs(piece.begin)) + "-" + std::to_string(toNs(piece.end)) +
                " " + names[piece.step] + kinds[static_cast<std::size_t>(piece.kind)];
    }
    return text;
}

TEST(CriticalPath, GoesThroughDependenciesLanesAndWaits) {
    const Plan plan = planOf(onCpu);
    // E1 waits for the worker behind A0, which was late itself: submitted at 13, begun at 14.
    const char* const text =
        "read: rD0[0-5] rD1[5-6]\nworker 1: D0[5-12] A0[14-20 s13] E1[20-25]\nworker 2: D1[6-8] A1[8-10]\nend: 27";
    EXPECT_EQ(pathOf(plan, traceFromText(plan, text)),
              "0-5 rD0, 5-12 D0, 12-13 A0 scheduler, 13-14 A0 device, 14-20 A0, 20-25 E1, 25-27  finishing");
}

TEST(CriticalPath, SharesSumToTheMakespan) {
    const Plan plan = planOf(onCpu);
    const CriticalPath path = criticalPathOf(traceFromText(plan, "read: rD0[0-5]\nworker 1: D0[5-10] A0[11-20]\n"));
    ASSERT_EQ(path.shares.size(), 4U);
    EXPECT_EQ(path.shares[0].name, "add");
    EXPECT_EQ(path.shares[0].duration, Duration(9));
    EXPECT_DOUBLE_EQ(path.shares[0].share, 9.0 / 20);
    EXPECT_EQ(path.shares[3].duration, Duration(1));
    EXPECT_EQ(path.shares[3].kind, PathPieceKind::device);
}

TEST(CriticalPath, OfATraceWithoutStepsIsOneWait) {
    const Plan plan = planOf(onCpu);
    const CriticalPath path = criticalPathOf(traceFromText(plan, "end: 9"));
    ASSERT_EQ(path.pieces.size(), 1U);
    EXPECT_EQ(path.pieces[0].kind, PathPieceKind::finishing);
}

// Bounds.

TEST(Bounds, AreTheBusiestLanesOrTheLongestChain) {
    const Plan plan = planOf(onCpu);
    const char* const text = "read: rD0[0-1] rD1[1-2]\nworker 1: D0[1-11] A0[11-20]\nworker 2: D1[2-4] A1[4-9]\n";
    const Bounds bounds = boundsOf(traceFromText(plan, text));
    EXPECT_EQ(bounds.chain, Duration(20));
    EXPECT_EQ(bounds.chainImage, ImageIndex(std::size_t{0}));
    ASSERT_EQ(bounds.lanes.size(), 2U);
    EXPECT_EQ(bounds.lanes[0].work, Duration(26));
    EXPECT_EQ(bounds.lanes[0].bound, Duration(13));
    EXPECT_EQ(bounds.lanes[0].lanes, 2);
    EXPECT_EQ(bounds.makespan(), Duration(20));
    const char* const wide = "worker 1: A0[0-9]\nworker 2: A0[0-4]\n";
    EXPECT_EQ(boundsOf(traceFromText(plan, wide)).chain, Duration(6));
    EXPECT_EQ(boundsOf(traceFromText(plan, wide)).makespan(), Duration(7));
    const char* const superseded = "worker 1: A0[0-9] A0'[9-11]\nsuperseded: A0 refused 9\n";
    EXPECT_EQ(boundsOf(traceFromText(plan, superseded)).makespan(), Duration(2));
}

// Utilization.

TEST(Utilization, SplitsSpansAtEdges) {
    const Plan plan = planOf(onCpu);
    const Utilization use = utilizationOf(traceFromText(plan, "worker 1: D0[1-4] A0[4-9]\nend: 10"), 3);
    ASSERT_EQ(use.edges.size(), 4U);
    EXPECT_EQ(toNs(use.edges[1]), 3);
    EXPECT_EQ(toNs(use.edges[2]), 6);
    EXPECT_EQ(toNs(use.edges[3]), 10);
    EXPECT_EQ(use.busy[0], (std::vector<Duration>{Duration(2), Duration(3), Duration(3)}));
    EXPECT_DOUBLE_EQ(use.share(LaneId(std::size_t{0}), 2), 0.75);
    EXPECT_EQ(utilizationOf(traceFromText(plan, "end: 2"), 5).share(LaneId(std::size_t{0}), 0), 0);
}

// Figures.

TEST(Statistics, QuantilesInterpolate) {
    std::vector<Duration> values;
    for (int i = 10; i >= 0; --i) values.push_back(Duration(i * 10));
    const Distribution all = distributionOf(values);
    EXPECT_EQ(all.count, 11U);
    EXPECT_EQ(all.total, Duration(550));
    EXPECT_EQ(all.mean, Duration(50));
    EXPECT_EQ(all.min, Duration(0));
    EXPECT_EQ(all.median, Duration(50));
    EXPECT_EQ(all.p90, Duration(90));
    EXPECT_EQ(all.p99, Duration(99));
    EXPECT_EQ(all.max, Duration(100));
    EXPECT_EQ(distributionOf({Duration(1), Duration(4)}).median, Duration(3));
    EXPECT_EQ(distributionOf({}).p99, Duration(0));
    EXPECT_DOUBLE_EQ(*relativeError(Duration(115), Duration(100)), 0.15);
    EXPECT_FALSE(relativeError(Duration(1), Duration(0)).has_value());
}

const char* const chainText =
    "read: rD0[0-5]\nworker 1: D0[5-15] E0[35-45]\nfake:0 upload: >D0[15-20]\nfake:0 compute: A0[20-30]\n"
    "fake:0 download: <A0[30-35]\nwrite: wE0[45-50]\nend: 100\n";

TEST(Summary, CountsLanesLinksAndStages) {
    const Plan plan = planOf(onDevice, 1);
    const TraceSummary summary = summarize(traceFromText(plan, chainText), 1, 12.0);
    EXPECT_EQ(summary.images.done, 1U);
    EXPECT_DOUBLE_EQ(summary.imagesPerSecond, 1e7);
    EXPECT_DOUBLE_EQ(summary.megapixelsPerSecond, 12e7);
    const LaneSummary& worker = summary.lanes[laneCalled(plan, "worker 1").index()];
    EXPECT_EQ(worker.name, "cpu worker 1");
    EXPECT_EQ(worker.busy, Duration(20));
    EXPECT_DOUBLE_EQ(worker.busyShare, 0.2);
    EXPECT_EQ(worker.steps, 2U);
    ASSERT_EQ(summary.links.size(), 2U);
    EXPECT_EQ(summary.links[0].from, plan.machine->hostMemory);
    EXPECT_EQ(summary.links[0].bytes, ByteCount(64 * 48 * 3));
    EXPECT_DOUBLE_EQ(summary.links[0].bytesPerSecond(), 64 * 48 * 3 / 5e-9);
    EXPECT_DOUBLE_EQ(summary.links[0].busyShare, 0.05);
    std::vector<std::string> names;
    for (const StageSummary& stage : summary.stages) names.push_back(stage.name);
    EXPECT_EQ(std::count(names.begin(), names.end(), "add"), 1);
    EXPECT_EQ(names.front(), "read decode");
    EXPECT_EQ(names.size(), 7U);
}

TEST(Summary, TheWorstStageDecidesForAnImage) {
    const Plan plan = planOf(onCpu);
    Trace trace = traceFromText(plan, "worker 1: D0[0-1] D1[1-2] D2[2-3] D3[3-4]\n");
    const auto set = [&trace](std::size_t image, std::size_t stage, OutcomeKind kind) {
        for (Outcome& outcome : trace.outcomes) {
            if (outcome.image.index() == image && outcome.stage.index() == stage) outcome.kind = kind;
        }
    };
    set(1, 1, OutcomeKind::failed);
    set(1, 2, OutcomeKind::skipped);
    set(2, 2, OutcomeKind::cancelled);
    set(3, 2, OutcomeKind::skipped);
    trace.outcomes.push_back({ImageIndex(std::size_t{4}), StageIndex(std::size_t{0}), OutcomeKind::failed});
    const ImageCounts counts = summarize(trace, 4, 1).images;
    EXPECT_EQ(counts.done, 1U);
    EXPECT_EQ(counts.failed, 1U);
    EXPECT_EQ(counts.cancelled, 1U);
    EXPECT_EQ(counts.skipped, 1U);
    EXPECT_EQ(counts.total(), 4U);
}

TEST(Summary, SupersededAttemptsAreCountedApart) {
    const Plan plan = planOf(onCpu);
    const Trace trace = traceFromText(plan, "worker 1: A0[0-9] A0'[9-11]\nsuperseded: A0 refused 9\n");
    const TraceSummary summary = summarize(trace, 4, 1);
    ASSERT_EQ(summary.stages.size(), 1U);
    EXPECT_EQ(summary.stages[0].superseded, 1U);
    EXPECT_EQ(summary.stages[0].durations.count, 1U);
    EXPECT_EQ(summary.stages[0].durations.max, Duration(2));
    EXPECT_EQ(summary.lanes[0].busy, Duration(11));
}

TEST(Summary, TheFirstRepeatStandsApart) {
    const RepeatSummary repeats = summarizeRepeats({Duration(100), Duration(10), Duration(30), Duration(20)});
    EXPECT_EQ(repeats.count, 4U);
    EXPECT_EQ(repeats.first, Duration(100));
    EXPECT_EQ(repeats.median, Duration(20));
    EXPECT_EQ(repeats.spread, Duration(10));
    EXPECT_EQ(summarizeRepeats({Duration(7)}).median, Duration(7));
    EXPECT_EQ(summarizeRepeats({Duration(7)}).spread, Duration(0));
}

TEST(Summary, OfARunTakesTheMedianRepeatAndThePredictionsError) {
    const Plan plan = planOf(onDevice, 1);
    lanewright::Run run;
    run.images.resize(1);
    run.megapixels = 12;
    run.predicted = std::make_shared<const Trace>(traceFromText(plan, std::string(chainText) + "end: 120\n"));
    EXPECT_EQ(summarize(run).makespan, Duration(120));
    EXPECT_FALSE(summarize(run).predictionError.has_value());
    for (const char* end : {"900", "100", "100"}) {
        run.measured.push_back(
            std::make_shared<const Trace>(traceFromText(plan, std::string(chainText) + "end: " + end + "\n")));
    }
    const RunSummary summary = summarize(run);
    EXPECT_EQ(summary.makespan, Duration(100));
    EXPECT_EQ(summary.repeats.first, Duration(900));
    EXPECT_DOUBLE_EQ(*summary.predictionError, 0.2);
    EXPECT_DOUBLE_EQ(summary.imagesPerSecond, 1e7);
    run.images[0].outcome = ImageOutcome::failed;
    EXPECT_EQ(summarize(run).trace.images.failed, 1U);
    EXPECT_EQ(summarize(run).imagesPerSecond, 0);
}

TEST(Compare, PairsByTemplateImagesAndFirstAttempt) {
    const Plan plan = planOf(onCpu);
    const Trace predicted = traceFromText(plan, "worker 1: D0[0-10] D1[10-20] A0[20-25]\n");
    const Trace measured = traceFromText(plan, "worker 1: D0[0-8] D0'[8-20] D1[20-32]\nworker 2: A1[32-33]\nend: 40");
    const Comparison comparison = compare(predicted, measured);
    ASSERT_EQ(comparison.pairs.size(), 2U);
    EXPECT_EQ(comparison.pairs[0].measured, stepOf(plan, measured, "D0"));
    EXPECT_DOUBLE_EQ(*comparison.pairs[0].error(), 0.25);
    EXPECT_EQ(comparison.pairs[1].measured, stepOf(plan, measured, "D1"));
    EXPECT_EQ(comparison.unpairedPredicted, (std::vector{stepOf(plan, predicted, "A0")}));
    EXPECT_EQ(comparison.unpairedMeasured, (std::vector{stepOf(plan, measured, "D0'"), stepOf(plan, measured, "A1")}));
    ASSERT_EQ(comparison.groups.size(), 1U);
    EXPECT_EQ(comparison.groups[0].name, "decode");
    EXPECT_EQ(comparison.groups[0].pairs, 2U);
    EXPECT_DOUBLE_EQ(*comparison.groups[0].error(), 0.0);
    EXPECT_DOUBLE_EQ(*comparison.error(), -15.0 / 40);
}

TEST(Compare, BatchesPairWithEqualBatchesOnly) {
    const Plan plan = planOf(onDevice);
    const Trace predicted = traceFromText(plan, "fake:0 compute: A0+1[0-10] A2+3[10-20]\n");
    const Trace measured = traceFromText(plan, "fake:0 compute: A0+1[0-10] A2[10-15] A3[15-20]\n");
    const Comparison comparison = compare(predicted, measured);
    EXPECT_EQ(comparison.pairs.size(), 1U);
    EXPECT_EQ(comparison.unpairedPredicted.size(), 1U);
    EXPECT_EQ(comparison.unpairedMeasured.size(), 2U);
}

}  // namespace
}  // namespace lanewright::test
