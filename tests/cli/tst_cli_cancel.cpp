// SPDX-License-Identifier: GPL-3.0-or-later
// SIGINT and SIGTERM: exit code 130 soon after, whole files or none.
#include "tests/cli/cli_fixture.h"

#include "kernels/codecs/codec.h"

#include <signal.h>

#include <chrono>
#include <memory>
#include <thread>

namespace lanewright::test {
namespace {

using CliCancel = CliTest;
using namespace std::chrono_literals;

/// Sends `signal` once the first output is there, or after half a minute.
std::function<void(int)> whenRunning(const fs::path& out, int signal) {
    return [out, signal](int pid) {
        for (int i = 0; i < 3000 && filesBelow(out).empty(); ++i) std::this_thread::sleep_for(10ms);
        kill(pid, signal);
    };
}

/// Much to do from few files: each image is read again and again under other names.
void writeManyPictures(const fs::path& folder, std::size_t count) {
    writePicture(folder / "p000.jpg", 1600, 1200);
    for (std::size_t i = 1; i < count; ++i) {
        fs::create_hard_link(folder / "p000.jpg", folder / ("p" + std::to_string(i + 1000) + ".jpg"));
    }
}

void expectWholeFilesOnly(const fs::path& out, std::size_t images) {
    const auto files = filesBelow(out);
    EXPECT_GE(files.size(), 1u);
    EXPECT_LT(files.size(), images);
    for (const std::string& name : files) {
        EXPECT_TRUE(name.ends_with(".jpg")) << name;
        const std::string bytes = readText(out / name);
        ASSERT_GE(bytes.size(), 4u) << name;
        EXPECT_EQ(bytes.substr(bytes.size() - 2), "\xff\xd9") << name;
    }
}

TEST_F(CliCancel, SigintStopsAndReports) {
    writeManyPictures(in(), 600);
    const auto result = cli({"run", writeChain({.blur = 3}), "--workers", "1", "--save", "kept.lwrun"},
                            {.running = whenRunning(out(), SIGINT)});
    EXPECT_EQ(result.exitCode, 130) << result.err;
    expectWholeFilesOnly(out(), 600);
    EXPECT_TRUE(contains(result.out, "Interrupted"));
    EXPECT_TRUE(contains(result.out, "cancelled"));
    const auto run = readBack(folder() / "kept.lwrun");
    EXPECT_TRUE(run.interrupted);
    EXPECT_EQ(run.images.size(), 600u);
}

TEST_F(CliCancel, SigtermToo) {
    writeManyPictures(in(), 600);
    const auto result = cli({"run", writeChain({.blur = 3}), "--workers", "1", "--repeat", "5"},
                            {.running = whenRunning(out(), SIGTERM)});
    EXPECT_EQ(result.exitCode, 130) << result.err;
    expectWholeFilesOnly(out(), 600);
}

TEST_F(CliCancel, ProgressIsAFewLinesWhereThereIsNoTerminal) {
    writeManyPictures(in(), 600);
    const auto wait = [this](int pid) {
        for (int i = 0; i < 3000 && filesBelow(out()).empty(); ++i) std::this_thread::sleep_for(10ms);
        std::this_thread::sleep_for(2500ms);
        kill(pid, SIGINT);
    };
    const auto result = cli({"run", writeChain({.blur = 20}), "--workers", "1"}, {.running = wait});
    const auto lines = linesOf(result.err);
    EXPECT_GE(lines.size(), 1u);
    EXPECT_LE(lines.size(), static_cast<std::size_t>(result.duration.count() / 1000 + 2)) << result.err;
    EXPECT_TRUE(contains(result.err, "of 600 images"));
    EXPECT_EQ(result.err.find('\r'), std::string::npos);
}

}  // namespace
}  // namespace lanewright::test
