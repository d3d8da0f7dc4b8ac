// SPDX-License-Identifier: GPL-3.0-or-later
// Devices through the program: OpenCL, stages split over two devices, absent devices, and machines that are not here.
#include "tests/cli/cli_fixture.h"

#include "engine/devices/driver.h"
#include "engine/machine/machine_file.h"
#include "engine/text/text.h"

#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace lanewright::test {
namespace {

using CliDevices = CliTest;

/// How many images `stage` ran on each device, as the trace says.
std::map<std::string, std::size_t> imagesByDevice(const Trace& trace, const std::string& stage) {
    std::map<std::string, std::set<std::uint32_t>> images;
    std::map<std::uint32_t, std::vector<ImageIndex>> batches;
    for (const Batch& batch : trace.batches) batches[batch.step.value] = batch.images;
    trace.forEach([&](const Span& span) {
        const TraceTemplate& description = trace.templates[span.stepTemplate];
        if (description.category != SpanCategory::stage || description.name != stage) return;
        auto& set = images[trace.machine->device(trace.machine->lanes[span.lane].device).name];
        set.insert(span.image.value);
        for (const ImageIndex image : batches[span.step.value]) set.insert(image.value);
    });
    std::map<std::string, std::size_t> counts;
    for (const auto& [device, set] : images) counts[device] = set.size();
    return counts;
}

/// This machine, written to a file as one that is not here.
fs::path writeThisMachine(const fs::path& file) {
    Machine machine = discoverMachine(cliCatalog());
    machine.name = "elsewhere";
    machine.present = false;
    const Status written = writeMachine(machine, file);
    EXPECT_TRUE(written) << textOf(written.error());
    return file;
}

TEST_F(CliDevices, ListsTheCpuAndWhyOthersAreAbsent) {
    const auto result = cli({"devices"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_TRUE(contains(result.out, "cpu"));
    EXPECT_TRUE(contains(result.out, "worker"));
    EXPECT_TRUE(contains(result.out, "cuda")) << "without a CUDA device the reason is listed";
}

TEST_F(CliDevices, JsonHasWhatScriptsNeed) {
    const auto result = cli({"devices", "--json"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out, nullptr, false);
    ASSERT_TRUE(json.is_object()) << result.out;
    bool cpu = false;
    for (const auto& device : json["devices"]) {
        EXPECT_TRUE(device["name"].is_string());
        EXPECT_TRUE(device["kind"].is_string());
        ASSERT_TRUE(device["present"].is_boolean());
        if (!device["present"].get<bool>()) {
            EXPECT_GT(device["reason"].get<std::string>().size(), 10u);
            continue;
        }
        EXPECT_FALSE(device["lanes"].empty());
        if (device["name"] == "cpu") {
            cpu = true;
            EXPECT_GE(device["workers"].get<int>(), 1);
            EXPECT_GT(device["memory_bytes"].get<std::uint64_t>(), 1u << 20);
        }
    }
    EXPECT_TRUE(cpu);
}

TEST_F(CliDevices, RunsOnOpenCl) {
    LANEWRIGHT_NEEDS_OPENCL();
    writePictures(6);
    const std::string project = writeChain({.blur = 1, .device = "opencl:0"});
    const auto result = cli({"run", project, "--save", "kept.lwrun"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(filesBelow(out()).size(), 6u);
    EXPECT_TRUE(contains(result.out, "host > opencl:0"));
    EXPECT_TRUE(contains(result.out, "GB/s"));
    const auto run = readBack(folder() / "kept.lwrun");
    const auto counts = imagesByDevice(*run.measured.at(0), "resize");
    EXPECT_EQ(counts, (std::map<std::string, std::size_t>{{"opencl:0", 6}}));
}

TEST_F(CliDevices, SharesSplitExactly) {
    LANEWRIGHT_NEEDS_OPENCL();
    writePictures(8);
    const auto result = cli({"run", writeChain(), "--place", "resize=cpu@1,opencl:0@1", "--save", "kept.lwrun"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(filesBelow(out()).size(), 8u);
    const auto run = readBack(folder() / "kept.lwrun");
    const std::map<std::string, std::size_t> half = {{"cpu", 4}, {"opencl:0", 4}};
    EXPECT_EQ(imagesByDevice(*run.measured.at(0), "resize"), half);
    EXPECT_EQ(imagesByDevice(*run.predicted, "resize"), half);
}

TEST_F(CliDevices, WhicheverIsFreeUsesBoth) {
    LANEWRIGHT_NEEDS_OPENCL();
    writePictures(24, 640, 480);
    const auto result = cli({"run", writeChain({.sizes = {200}}), "--place", "resize=cpu,opencl:0", "--order",
                             "dynamic", "--save", "kept.lwrun"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    const auto run = readBack(folder() / "kept.lwrun");
    auto counts = imagesByDevice(*run.measured.at(0), "resize");
    EXPECT_GE(counts["cpu"], 1u);
    EXPECT_GE(counts["opencl:0"], 1u);
    EXPECT_EQ(counts["cpu"] + counts["opencl:0"], 24u);
}

TEST_F(CliDevices, PlannedOrderOnOpenCl) {
    LANEWRIGHT_NEEDS_OPENCL();
    writePictures(6);
    const auto result =
        cli({"run", writeChain({.blur = 1, .device = "opencl:0"}), "--order", "planned", "--batch", "2"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(filesBelow(out()).size(), 6u);
}

TEST_F(CliDevices, AnAbsentDeviceIsRefusedWithTheWayOut) {
    if (absenceOf("cuda:0").empty()) GTEST_SKIP() << "this machine has a CUDA device";
    writePictures(2);
    const auto result = cli({"run", writeChain(), "--place", "resize=cuda:0"});
    EXPECT_EQ(result.exitCode, 3);
    EXPECT_FALSE(fs::exists(out()));
    EXPECT_EQ(errorsOf(result).size(), 1u) << result.err;
    for (const char* part : {"cuda:0", "--place resize=cpu", "--machine"}) EXPECT_TRUE(contains(result.err, part));
}

TEST_F(CliDevices, AProjectWithAnAbsentDeviceRunsElsewhere) {
    if (absenceOf("cuda:0").empty()) GTEST_SKIP() << "this machine has a CUDA device";
    writePictures(2);
    const std::string project = writeChain({.device = "cuda:0"});
    EXPECT_EQ(cli({"run", project}).exitCode, 3);
    EXPECT_EQ(cli({"run", project, "--place", "resize=cpu"}).exitCode, 0);
}

TEST_F(CliDevices, AMachineFileIsSimulated) {
    writePictures(4);
    const std::string machine = writeThisMachine(folder() / "machine.json");
    const std::string project = writeChain();
    // Costs of its own: what other tests teach meanwhile would change the simulation.
    const CliOptions options{.cache = folder() / "cache"};
    const auto result = cli({"run", project, "--machine", machine, "--seed", "7", "--save", "kept.lwrun"}, options);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_FALSE(fs::exists(out())) << "a simulated run writes no outputs";
    EXPECT_TRUE(contains(result.out, "simulated"));
    EXPECT_TRUE(contains(result.out, "seed 7"));
    const auto run = readBack(folder() / "kept.lwrun");
    ASSERT_EQ(run.measured.size(), 1u);
    EXPECT_EQ(run.measured[0]->origin, TraceOrigin::simulated);
    EXPECT_EQ(run.measured[0]->seed, 7u);
    EXPECT_EQ(run.images.size(), 4u);

    ASSERT_EQ(cli({"run", project, "--machine", machine, "--seed", "7", "--save", "again.lwrun"}, options).exitCode, 0);
    EXPECT_EQ(readBack(folder() / "again.lwrun").measured.at(0)->makespan(), run.measured[0]->makespan());
    ASSERT_EQ(cli({"run", project, "--machine", machine, "--save", "other.lwrun"}, options).exitCode, 0);
    EXPECT_NE(readBack(folder() / "other.lwrun").measured.at(0)->seed, 7u);
}

TEST_F(CliDevices, AMachineFileIsPredicted) {
    writePictures(4);
    const std::string machine = writeThisMachine(folder() / "machine.json");
    const auto result = cli({"predict", writeChain(), "--machine", machine});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "elsewhere"));
}

}  // namespace
}  // namespace lanewright::test
