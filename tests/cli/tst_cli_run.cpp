// SPDX-License-Identifier: GPL-3.0-or-later
// `run` and `predict` through the program: outputs, exit codes, what is printed where, and what a run teaches.
#include "tests/cli/cli_fixture.h"

#include <algorithm>

namespace lanewright::test {
namespace {

using CliRun = CliTest;

TEST_F(CliRun, RunWritesAllOutputsAndTheSummaryOnStdout) {
    writePictures(5);
    const auto result = cli({"run", writeChain({.blur = 1}), "--save", "kept.lwrun"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(filesBelow(out()),
              (std::vector<std::string>{"p000.jpg", "p001.jpg", "p002.jpg", "p003.jpg", "p004.jpg"}));
    for (const char* part : {"5 images", "5 done", "makespan", "measured", "predicted", "images/s", "MP/s",
                             "cpu worker 1", "decode, resize, blur, encode on cpu"}) {
        EXPECT_TRUE(contains(result.out, part));
    }
    EXPECT_TRUE(errorsOf(result).empty()) << result.err;
    EXPECT_EQ(result.out.find('\x1b'), std::string::npos);

    const auto run = readBack(folder() / "kept.lwrun");
    ASSERT_EQ(run.measured.size(), 1u);
    EXPECT_EQ(run.measured[0]->origin, TraceOrigin::measured);
    ASSERT_TRUE(run.predicted);
    EXPECT_EQ(run.predicted->origin, TraceOrigin::predicted);
    EXPECT_EQ(run.projectName, "chain");
    ASSERT_EQ(run.images.size(), 5u);
    for (const ImageRecord& image : run.images) {
        ASSERT_EQ(image.outputs.size(), 1u);
        EXPECT_EQ(fs::file_size(out() / image.outputs[0].path), image.outputs[0].bytes.value);
    }
}

TEST_F(CliRun, RunToThreeSizes) {
    writePictures(4);
    const auto result = cli({"run", writeChain({.sizes = {48, 32, 16}})});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    const auto files = filesBelow(out());
    EXPECT_EQ(files.size(), 12u);
    for (const char* name : {"p000_encode_48.jpg", "p003_encode_16.jpg"}) {
        EXPECT_NE(std::find(files.begin(), files.end(), name), files.end()) << name;
    }
}

TEST_F(CliRun, FiveDamagedFilesAmongTwentyFailAlone) {
    writePictures(15);
    writeText(in() / "d0.jpg", "");
    writeText(in() / "d1.jpg", readText(in() / "p000.jpg").substr(0, 20));
    const std::string whole = readText(in() / "p001.jpg");
    writeText(in() / "d2.jpg", whole.substr(0, whole.size() / 2));
    writeText(in() / "d3.jpg", whole.substr(0, whole.size() - 40));
    std::string noise = whole;
    std::fill(noise.begin() + static_cast<std::ptrdiff_t>(noise.size() / 2), noise.end(), '\xff');
    writeText(in() / "d4.jpg", noise);
    std::string inputs = writeChain();
    std::vector<std::string> arguments = {"run", inputs};
    for (const char* name : {"d0.jpg", "d1.jpg", "d2.jpg", "d3.jpg", "d4.jpg"}) {
        arguments.insert(arguments.end(), {"--input", in() / name});
    }
    // Named one by one, because a folder leaves out files that are no images at all.
    for (int i = 0; i < 15; ++i) {
        arguments.insert(arguments.end(),
                         {"--input", in() / ("p0" + std::string(i < 10 ? "0" : "") + std::to_string(i) + ".jpg")});
    }
    const auto result = cli(arguments);
    EXPECT_EQ(result.exitCode, 1) << result.err;
    EXPECT_EQ(filesBelow(out()).size(), 15u);
    EXPECT_EQ(errorsOf(result).size(), 5u) << result.err;
    for (const char* name :
         {"d0.jpg failed: ", "d1.jpg failed: ", "d2.jpg failed: ", "d3.jpg failed: ", "d4.jpg failed: "}) {
        EXPECT_TRUE(contains(result.err, name));
    }
    EXPECT_TRUE(contains(result.out, "15 done, 5 failed"));
}

TEST_F(CliRun, PlannedAndDynamicOrderMakeTheSameFiles) {
    writePictures(6);
    const std::string project = writeChain({.blur = 1});
    std::vector<std::string> contents;
    for (const char* order : {"planned", "dynamic"}) {
        const auto result = cli({"run", project, "--order", order, "--output", order});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        EXPECT_TRUE(contains(result.out, std::string(order) + " order"));
        for (const std::string& file : filesBelow(folder() / order))
            contents.push_back(readText(folder() / order / file));
    }
    ASSERT_EQ(contents.size(), 12u);
    EXPECT_TRUE(std::equal(contents.begin(), contents.begin() + 6, contents.begin() + 6));
}

TEST_F(CliRun, RepeatsAreKeptEach) {
    writePictures(3);
    const auto result = cli({"run", writeChain(), "--repeat", "3", "--save", "kept.lwrun"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(readBack(folder() / "kept.lwrun").measured.size(), 3u);
    EXPECT_TRUE(contains(result.out, "repeats: 3"));
}

TEST_F(CliRun, ASecondPredictionKnowsWhatTheFirstRunMeasured) {
    writePictures(8, 640, 480);
    const std::string project = writeChain({.blur = 1});
    const CliOptions options{.cache = folder() / "cache"};
    ASSERT_EQ(cli({"run", project}, options).exitCode, 0);
    EXPECT_FALSE(filesBelow(folder() / "cache").empty());
    ASSERT_EQ(cli({"run", project, "--save", "second.lwrun"}, options).exitCode, 0);
    const auto run = readBack(folder() / "second.lwrun");
    ASSERT_TRUE(run.predicted);
    // Bytes that an encoder will write are known only from an earlier run: before one they are a guess from the shape.
    const auto encoded = [](const Trace& trace) {
        std::uint64_t bytes = 0;
        trace.forEach([&](const Span& span) {
            if (trace.templates[span.stepTemplate].category == SpanCategory::write) bytes += span.bytes.value;
        });
        return static_cast<double>(bytes);
    };
    EXPECT_NEAR(encoded(*run.predicted) / encoded(*run.measured.at(0)), 1, 0.05);
}

TEST_F(CliRun, PredictWritesNothing) {
    writePictures(5);
    const auto result = cli({"predict", writeChain(), "--save", "kept.lwrun"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_FALSE(fs::exists(out()));
    EXPECT_TRUE(contains(result.out, "predicted"));
    EXPECT_EQ(result.out.find("measured"), std::string::npos) << result.out;
    const auto run = readBack(folder() / "kept.lwrun");
    EXPECT_TRUE(run.predicted);
    EXPECT_TRUE(run.measured.empty());
}

TEST_F(CliRun, ImagesLimitsTheInput) {
    writePictures(5);
    const auto result = cli({"run", writeChain(), "--images", "2"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(filesBelow(out()).size(), 2u);
}

TEST_F(CliRun, QuietSaysNothingWhereAllIsWell) {
    writePictures(2);
    const auto result = cli({"run", writeChain(), "--quiet"});
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_EQ(result.out + result.err, "");
}

TEST_F(CliRun, FullStandardOutputIsTold) {
    writePictures(2);
    const auto result = cli({"run", writeChain()}, {.fullOutput = true});
    EXPECT_EQ(result.exitCode, 1);
    EXPECT_TRUE(contains(result.err, "standard output"));
}

TEST_F(CliRun, SetChangesParameters) {
    writePictures(1, 96, 64);
    const auto result = cli({"run", writeChain(), "--set", "encode.format=png", "--set", "resize.width=20"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(filesBelow(out()), std::vector<std::string>{"p000.png"});
    // IHDR's width
    EXPECT_EQ(readText(out() / "p000.png").substr(16, 4), std::string("\0\0\0\x14", 4));
}

}  // namespace
}  // namespace lanewright::test
