// SPDX-License-Identifier: GPL-3.0-or-later
// Real runs on CPU workers and scripted devices: outputs, records, traces that hold the contract, cancelling.
#include "engine/devices/checksum.h"
#include "engine/run/simulator.h"
#include "engine/trace/contract.h"
#include "tests/engine/executor_rig.h"
#include "tests/support/test_file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

namespace lanewright::test {
namespace {

namespace fs = std::filesystem;

const std::string chain = "decode:test_source; add:test_add<decode; sink:test_sink<add";
const std::string onDevice =
    "decode:test_source; add:test_add<decode@fake:0; more:test_add<add@fake:0; sink:test_sink<more";
const std::string onAny =
    "decode:test_source; add:test_add<decode@cpu|fake:0; more:test_add<add@cpu|fake:0; sink:test_sink<more";
const std::string shared =
    "decode:test_source; add:test_add<decode@cpu*1|fake:0*1; more:test_add<add@cpu*1|fake:0*1; sink:test_sink<more";

std::size_t spansOn(const ExecutionResult& result, std::string_view stage, DeviceId device) {
    std::size_t count = 0;
    result.trace.forEach([&](const Span& span) {
        const TraceTemplate& what = result.trace.templates[span.stepTemplate];
        const bool there = result.trace.machine->lanes[span.lane].device == device;
        if (what.category == SpanCategory::stage && what.stageId == stage && there) ++count;
    });
    return count;
}

TEST(Executor, RunsAChainOnTheCpu) {
    ExecutorRig rig(executorPlan(chain, 12));
    const ExecutionResult result = rig.run();
    EXPECT_EQ(countOutcomes(result, ImageOutcome::done), 12U);
    EXPECT_FALSE(result.interrupted);
    EXPECT_TRUE(result.messages.empty());
    for (std::size_t i = 0; i < 12; ++i) {
        EXPECT_EQ(rig.writtenPixels(i), rig.expectedPixels(i, 1));
        const ImageRecord& record = result.images[i];
        EXPECT_EQ(record.name, "image" + std::to_string(i) + ".lwt");
        ASSERT_EQ(record.outputs.size(), 1U);
        EXPECT_EQ(record.outputs[0].path, "sink/image" + std::to_string(i) + ".lwt");
        EXPECT_EQ(record.outputs[0].bytes.value, fs::file_size(rig.outputFile(i)));
        std::ifstream stream(rig.outputFile(i), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
        EXPECT_EQ(record.outputs[0].checksum, checksumOf(std::as_bytes(std::span(bytes))));
    }
}

TEST(Executor, RowsOfOneImageGoToAllWorkers) {
    RigPlan description = executorPlan("decode:test_source; slow:test_slow<decode; sink:test_sink<slow", 1, 3);
    description.editPipeline = [](Pipeline& p) { setParameter(p, "slow", "milliseconds", 60.0); };
    ExecutorRig rig(std::move(description));
    const ExecutionResult result = rig.run();
    EXPECT_EQ(spansOn(result, "slow", rig.plan().machine->hostDevice), 3U);
    EXPECT_EQ(rig.writtenPixels(0), rig.expectedPixels(0, 0));
}

TEST(Executor, ADeviceGivesTheSameImages) {
    ExecutorRig rig(executorPlan(onDevice, 10, 2, 1));
    const ExecutionResult result = rig.run();
    EXPECT_EQ(countOutcomes(result, ImageOutcome::done), 10U);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(rig.writtenPixels(i), rig.expectedPixels(i, 2));
    EXPECT_EQ(rig.record("fake:0").uploads, 10U);
    EXPECT_EQ(rig.record("fake:0").downloads, 10U);
    EXPECT_EQ(rig.record("fake:0").liveBytes, 0U);
}

TEST(Executor, SharesAreExact) {
    ExecutorRig rig(executorPlan(shared, 10, 2, 1));
    const ExecutionResult result = rig.run();
    EXPECT_EQ(countOutcomes(result, ImageOutcome::done), 10U);
    EXPECT_EQ(spansOn(result, "add", *rig.plan().machine->findDevice("fake:0")), 5U);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(rig.writtenPixels(i), rig.expectedPixels(i, 2));
}

TEST(Executor, WhicheverIsFree) {
    ExecutorRig rig(executorPlan(onAny, 24, 1, 1));
    rig.script("fake:0").sleepPerStep = std::chrono::milliseconds(1);
    const ExecutionResult result = rig.run();
    EXPECT_EQ(countOutcomes(result, ImageOutcome::done), 24U);
    for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(rig.writtenPixels(i), rig.expectedPixels(i, 2));
}

TEST(Executor, FanOutAndJoin) {
    RigPlan description = executorPlan("decode:test_source; a:test_add<decode; b:test_add<decode@fake:0; "
                                       "blend:test_blend<a,b@fake:0; left:test_sink<a; right:test_sink<blend",
                                       8, 2, 1);
    description.editPipeline = [](Pipeline& p) { setParameter(p, "b", "value", std::int64_t{3}); };
    ExecutorRig rig(std::move(description));
    const ExecutionResult result = rig.run();
    EXPECT_EQ(countOutcomes(result, ImageOutcome::done), 8U);
    EXPECT_EQ(result.images[0].outputs.size(), 2U);
    EXPECT_EQ(rig.writtenPixels(5, "left"), rig.expectedPixels(5, 1));
    EXPECT_FALSE(rig.writtenPixels(5, "right").empty());
}

const std::string withOverlay = "decode:test_source; overlay:test_picture; more:test_add<overlay@fake:0; "
                                "blend:test_blend<decode,more@cpu|fake:0; sink:test_sink<blend";

RigPlan overlayPlan(const fs::path& overlay, std::size_t images) {
    RigPlan description = executorPlan(withOverlay, images, 2, 1);
    description.editPipeline = [overlay](Pipeline& p) { setParameter(p, "overlay", "file", overlay.string()); };
    return description;
}

TEST(Executor, ConstantsAreMadeOnceARun) {
    const TemporaryFolder folder;
    const auto file = testFile(7, 5, 3, std::vector<std::byte>(1, std::byte{9}));
    const fs::path overlay = folder.write("overlay.lwt", file);
    ExecutorRig rig(overlayPlan(overlay, 9));
    const auto executor = rig.open();
    for (int repeat = 0; repeat < 2; ++repeat) {
        auto result = executor->execute();
        ASSERT_TRUE(result.ok());
        rig.check(*result);
        EXPECT_EQ(countOutcomes(*result, ImageOutcome::done), 9U);
        const Machine& machine = *rig.plan().machine;
        EXPECT_EQ(spansOn(*result, "overlay", machine.hostDevice), 1U);
        EXPECT_EQ(spansOn(*result, "more", *machine.findDevice("fake:0")), 1U);
        auto expected = rig.expectedPixels(4, 0);
        for (std::byte& sample : expected) sample = static_cast<std::byte>((std::to_integer<int>(sample) + 10) / 2);
        EXPECT_TRUE(rig.writtenPixels(4) == expected);
    }
}

TEST(Executor, AConstantThatFailsSkipsWhatNeedsIt) {
    const TemporaryFolder folder;
    const fs::path overlay = folder.write("overlay.lwt", testFile(7, 5, 3, 1U));
    ExecutorRig rig(overlayPlan(overlay, 5));
    fs::remove(overlay);
    const ExecutionResult result = rig.run();
    EXPECT_EQ(countOutcomes(result, ImageOutcome::skipped), 5U);
    ASSERT_EQ(result.messages.size(), 1U);
    EXPECT_EQ(result.messages[0].id, "file.unreadable");
    ASSERT_FALSE(result.images[0].messages.empty());
    EXPECT_EQ(result.images[0].messages[0].id, "stage.skipped");
}

TEST(Executor, WarningsOfTheProbeStayWithTheImage) {
    RigPlan description = executorPlan(chain, 3);
    description.editInput = [](InputSet& input) {
        auto meta = std::make_shared<ImageMeta>();
        meta->warnings.push_back({"image.truncated", {}});
        input.images[1].meta = std::move(meta);
    };
    ExecutorRig rig(std::move(description));
    const ExecutionResult result = rig.run();
    EXPECT_EQ(countOutcomes(result, ImageOutcome::done), 2U);
    EXPECT_EQ(result.images[1].outcome, ImageOutcome::doneWithWarning);
}

TEST(Executor, ThreadsAreLanesAndFewMore) {
    RigPlan description =
        executorPlan("decode:test_source; slow:test_slow<decode@fake:0|cpu; sink:test_sink<slow", 20, 3, 1);
    description.editPipeline = [](Pipeline& p) { setParameter(p, "slow", "milliseconds", 10.0); };
    ExecutorRig rig(std::move(description));
    std::size_t most = 0;
    rig.options().progress = [&](const Progress&) {
        const fs::directory_iterator tasks("/proc/self/task");
        most = std::max(most, static_cast<std::size_t>(std::distance(begin(tasks), end(tasks))));
    };
    rig.run();
    EXPECT_LE(most, rig.plan().machine->lanes.size() + 3);
}

TEST(Executor, BatchesGoTogether) {
    RigPlan description = executorPlan(onDevice, 9, 2, 1);
    description.settings.batch = 3;
    ExecutorRig rig(std::move(description));
    rig.script("fake:0").sleepPerStep = std::chrono::milliseconds(3);  // an idle device takes what there is
    const ExecutionResult result = rig.run();
    EXPECT_FALSE(result.trace.batches.empty());
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(rig.writtenPixels(i), rig.expectedPixels(i, 2));
}

TEST(Executor, PlannedOrder) {
    RigPlan description = executorPlan(onDevice, 8, 2, 1);
    description.settings.order = Order::planned;
    ExecutorRig rig(std::move(description));
    Plan plan = rig.plan();
    ASSERT_TRUE(freeze(plan, RigCosts()).ok());
    rig.setPlan(std::make_shared<const Plan>(std::move(plan)));
    const ExecutionResult result = rig.run();
    EXPECT_EQ(countOutcomes(result, ImageOutcome::done), 8U);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(rig.writtenPixels(i), rig.expectedPixels(i, 2));
}

TEST(Executor, RepeatsShareDriversAndSetUpIsInTheFirst) {
    ExecutorRig rig(executorPlan(onDevice, 6, 2, 1));
    const auto executor = rig.open();
    std::size_t setup[2] = {0, 0};
    Instant end[2];
    for (int repeat = 0; repeat < 2; ++repeat) {
        auto result = executor->execute();
        ASSERT_TRUE(result.ok());
        rig.check(*result);
        result->trace.forEach([&](const Span& span) {
            if (result->trace.templates[span.stepTemplate].category == SpanCategory::setup) ++setup[repeat];
        });
        end[repeat] = result->trace.end;
        if (repeat > 0) {
            EXPECT_GE(result->trace.start, end[0]);
        }
    }
    EXPECT_GT(setup[0], 0U);
    EXPECT_EQ(setup[1], 0U);
}

TEST(Executor, ProgressAndSnapshotsComeWhileItRuns) {
    RigPlan description = executorPlan("decode:test_source; slow:test_slow<decode; sink:test_sink<slow", 30);
    description.editPipeline = [](Pipeline& p) { setParameter(p, "slow", "milliseconds", 20.0); };
    ExecutorRig rig(std::move(description));
    std::size_t calls = 0;
    std::size_t ended = 0;
    std::size_t snapshots = 0;
    rig.options().progress = [&](const Progress& progress) {
        ++calls;
        EXPECT_GE(progress.imagesEnded, ended);
        ended = progress.imagesEnded;
        EXPECT_EQ(progress.images, 30U);
    };
    rig.options().snapshot = [&](const Trace& trace) {
        ++snapshots;
        EXPECT_LE(trace.start, trace.end);
    };
    rig.run();
    EXPECT_EQ(ended, 30U);
    EXPECT_GE(calls, 3U);
    EXPECT_GE(snapshots, 1U);
}

// Cancelling.

TEST(Executor, AfterACancelNothingBegins) {
    RigPlan description = executorPlan("decode:test_source; slow:test_slow<decode; sink:test_sink<slow", 200);
    description.editPipeline = [](Pipeline& p) { setParameter(p, "slow", "milliseconds", 10.0); };
    ExecutorRig rig(std::move(description));
    std::stop_source stop;
    rig.options().stop = stop.get_token();
    const auto executor = rig.open();
    std::chrono::steady_clock::time_point asked;
    std::thread asker([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        asked = std::chrono::steady_clock::now();
        stop.request_stop();
    });
    auto result = executor->execute();
    const auto returned = std::chrono::steady_clock::now();
    asker.join();
    ASSERT_TRUE(result.ok());
    rig.check(*result);
    EXPECT_TRUE(result->interrupted);
    EXPECT_LT(returned - asked, std::chrono::milliseconds(200));
    EXPECT_GT(countOutcomes(*result, ImageOutcome::done), 0U);
    EXPECT_GT(countOutcomes(*result, ImageOutcome::cancelled), 100U);
    Instant last;
    result->trace.forEach([&](const Span& span) { last = std::max(last, span.begin); });
    EXPECT_LT(last, result->trace.start + std::chrono::milliseconds(150 + 50));
    EXPECT_LE(rig.outputFiles(), countOutcomes(*result, ImageOutcome::done) + 4);
}

TEST(Executor, CancelledBeforeItStartsItDoesNothing) {
    ExecutorRig rig(executorPlan(onDevice, 20, 2, 1));
    std::stop_source stop;
    stop.request_stop();
    rig.options().stop = stop.get_token();
    const ExecutionResult result = rig.run();
    EXPECT_TRUE(result.interrupted);
    EXPECT_EQ(countOutcomes(result, ImageOutcome::cancelled), 20U);
    EXPECT_EQ(rig.outputFiles(), 0U);
}

TEST(Executor, CancelFromTheProgressCallback) {
    RigPlan description =
        executorPlan("decode:test_source; slow:test_slow<decode@fake:0; sink:test_sink<slow", 100, 2, 1);
    description.editPipeline = [](Pipeline& p) { setParameter(p, "slow", "milliseconds", 5.0); };
    ExecutorRig rig(std::move(description));
    std::stop_source stop;
    rig.options().stop = stop.get_token();
    rig.options().progress = [&](const Progress&) { stop.request_stop(); };
    const ExecutionResult result = rig.run();
    EXPECT_TRUE(result.interrupted);
    EXPECT_GT(countOutcomes(result, ImageOutcome::cancelled), 0U);
}

}  // namespace
}  // namespace lanewright::test
