// SPDX-License-Identifier: GPL-3.0-or-later
// What goes wrong in real runs: bad files, full disks, devices that refuse, fail, run out of memory or go away. One bad
// image fails alone, everything else comes out right, and the trace holds the contract.
#include "engine/text/text.h"
#include "tests/engine/executor_rig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace lanewright::test {
namespace {

namespace fs = std::filesystem;

const std::string chain = "decode:test_source; add:test_add<decode; sink:test_sink<add";
const std::string onDevice =
    "decode:test_source; add:test_add<decode@fake:0; more:test_add<add@fake:0; sink:test_sink<more";

bool hasMessage(const ImageRecord& record, std::string_view id) {
    return std::any_of(record.messages.begin(), record.messages.end(), [id](const Message& m) { return m.id == id; });
}

void expectAllRight(const ExecutorRig& rig, const ExecutionResult& result, int added) {
    EXPECT_EQ(countOutcomes(result, ImageOutcome::done), result.images.size());
    for (std::size_t i = 0; i < result.images.size(); ++i) {
        EXPECT_TRUE(rig.writtenPixels(i) == rig.expectedPixels(i, added)) << "image " << i;
        for (const Message& message : result.images[i].messages) ADD_FAILURE() << i << ": " << textOf(message);
    }
}

TEST(ExecutorFaults, BadFilesFailAlone) {
    RigPlan description = executorPlan(chain, 8);
    description.unreadable = {6};
    ExecutorRig rig(std::move(description));
    fs::remove(rig.inputFile(1));
    std::ofstream(rig.inputFile(3), std::ios::app) << "more";
    fs::resize_file(rig.inputFile(4), 9);  // a header alone: decoding fails; but its size changed too
    const ExecutionResult result = rig.run();
    EXPECT_EQ(countOutcomes(result, ImageOutcome::done), 4U);
    EXPECT_EQ(countOutcomes(result, ImageOutcome::failed), 4U);
    EXPECT_TRUE(hasMessage(result.images[1], "file.unreadable"));
    EXPECT_TRUE(hasMessage(result.images[3], "image.changed"));
    EXPECT_TRUE(hasMessage(result.images[4], "image.changed"));
    EXPECT_TRUE(hasMessage(result.images[6], "image.unknownFormat"));
    for (const std::size_t i : {0U, 2U, 5U, 7U}) EXPECT_EQ(rig.writtenPixels(i), rig.expectedPixels(i, 1));
    EXPECT_EQ(rig.outputFiles(), 4U);
}

TEST(ExecutorFaults, ADamagedFileFailsInItsDecoder) {
    RigPlan description = executorPlan(chain, 4);
    description.editInput = [](InputSet& input) {
        const std::string header = [&] {
            std::ifstream stream(input.images[2].path, std::ios::binary);
            std::string bytes(9, '\0');
            stream.read(bytes.data(), 9);
            return bytes;
        }();
        std::ofstream(input.images[2].path, std::ios::binary | std::ios::trunc) << header;
        input.images[2].fileBytes = ByteCount(9);
    };
    ExecutorRig rig(std::move(description));
    const ExecutionResult result = rig.run();
    EXPECT_EQ(countOutcomes(result, ImageOutcome::done), 3U);
    EXPECT_TRUE(hasMessage(result.images[2], "image.damaged"));
}

TEST(ExecutorFaults, UnwritableOutputsFailTheirImages) {
    ExecutorRig rig(executorPlan(chain, 4));
    fs::create_directories(rig.outputFile(2));  // a folder where the file should be
    const ExecutionResult result = rig.run();
    EXPECT_EQ(countOutcomes(result, ImageOutcome::done), 3U);
    EXPECT_TRUE(hasMessage(result.images[2], "file.unwritable"));
    EXPECT_EQ(rig.outputFiles(), 3U);
}

TEST(ExecutorFaults, ARefusedImageTakesTheFallback) {
    ExecutorRig rig(executorPlan(onDevice, 8, 2, 1));
    rig.script("fake:0").refusedImages = {ImageIndex(2), ImageIndex(5)};
    const ExecutionResult result = rig.run();
    expectAllRight(rig, result, 2);
    EXPECT_FALSE(result.trace.superseded.empty());
}

TEST(ExecutorFaults, AFailedStepFailsItsImageOnly) {
    for (std::size_t step = 0; step < 16; ++step) {
        SCOPED_TRACE(step);
        ExecutorRig rig(executorPlan(onDevice, 5, 2, 1));
        rig.script("fake:0").failedSteps = {step};
        const ExecutionResult result = rig.run();
        EXPECT_EQ(countOutcomes(result, ImageOutcome::failed), 1U);
        EXPECT_EQ(countOutcomes(result, ImageOutcome::done), 4U);
        for (std::size_t i = 0; i < 5; ++i) {
            if (result.images[i].outcome == ImageOutcome::failed) {
                EXPECT_TRUE(hasMessage(result.images[i], "fake.failed"));
                EXPECT_FALSE(fs::exists(rig.outputFile(i)));
            } else {
                EXPECT_EQ(rig.writtenPixels(i), rig.expectedPixels(i, 2));
            }
        }
    }
}

TEST(ExecutorFaults, ADeviceThatWritesWrongDataIsSeenInTheOutput) {
    ExecutorRig rig(executorPlan(onDevice, 3, 2, 1));
    rig.script("fake:0").corruptSteps = {0};
    const ExecutionResult result = rig.run();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < 3; ++i) wrong += rig.writtenPixels(i) != rig.expectedPixels(i, 2) ? 1U : 0U;
    EXPECT_EQ(wrong, 1U);
}

TEST(ExecutorFaults, AnAllocationThatFailsIsTriedAgain) {
    for (std::size_t allocation = 0; allocation < 20; ++allocation) {
        SCOPED_TRACE(allocation);
        ExecutorRig rig(executorPlan(onDevice, 6, 2, 1));
        rig.script("fake:0").failedAllocations = {allocation, allocation + 1};
        expectAllRight(rig, rig.run(), 2);
    }
}

TEST(ExecutorFaults, StepsThatRunOutOfMemoryAreTriedAgain) {
    for (std::size_t step = 0; step < 16; ++step) {
        SCOPED_TRACE(step);
        ExecutorRig rig(executorPlan(onDevice, 6, 2, 1));
        rig.script("fake:0").outOfMemorySteps = {step, step + 3};
        expectAllRight(rig, rig.run(), 2);
    }
}

TEST(ExecutorFaults, LessMemoryThanTheMachineSaid) {
    for (const std::uint64_t kib : {1U, 10U, 20U, 40U, 60U}) {  // an image has 9 KiB
        SCOPED_TRACE(kib);
        RigPlan description = executorPlan(onDevice, 8, 2, 1);
        description.settings.batch = 4;
        ExecutorRig rig(std::move(description));
        rig.script("fake:0").memory = ByteCount(kib << 10);
        expectAllRight(rig, rig.run(), 2);
        EXPECT_LE(rig.record("fake:0").peakBytes, kib << 10);
    }
}

TEST(ExecutorFaults, ALostDeviceIsMadeUpForByTheFallback) {
    for (std::size_t step = 0; step < 24; ++step) {
        for (const bool after : {false, true}) {
            SCOPED_TRACE(std::to_string(step) + (after ? " after" : " at"));
            ExecutorRig rig(executorPlan(onDevice, 6, 2, 1));
            (after ? rig.script("fake:0").lostAfterStep : rig.script("fake:0").lostAtStep) = step;
            const ExecutionResult result = rig.run();
            expectAllRight(rig, result, 2);
            if (step >= 23) continue;
            ASSERT_EQ(result.messages.size(), 1U);
            EXPECT_EQ(result.messages[0].id, "device.lost");
        }
    }
}

TEST(ExecutorFaults, ALostDeviceStaysLostInTheNextRepeat) {
    ExecutorRig rig(executorPlan(onDevice, 4, 2, 1));
    rig.script("fake:0").lostAtStep = 3;
    const auto executor = rig.open();
    for (int repeat = 0; repeat < 2; ++repeat) {
        auto result = executor->execute();
        ASSERT_TRUE(result.ok());
        rig.check(*result);
        expectAllRight(rig, *result, 2);
        EXPECT_EQ(result->messages.size(), 1U);
    }
}

TEST(ExecutorFaults, TwoDevicesOneOfThemLost) {
    ExecutorRig rig(executorPlan("decode:test_source; add:test_add<decode@fake:0|fake:1; more:test_add<add@fake:1; "
                                 "sink:test_sink<more",
                                 10, 2, 2));
    rig.script("fake:1").lostAtStep = 7;
    rig.script("fake:0").sleepPerStep = std::chrono::milliseconds(1);
    expectAllRight(rig, rig.run(), 2);
}

}  // namespace
}  // namespace lanewright::test
