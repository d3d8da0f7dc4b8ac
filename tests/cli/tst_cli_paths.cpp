// SPDX-License-Identifier: GPL-3.0-or-later
// Names of any bytes, and what must never happen to files: two outputs that are one, an input overwritten, outputs read as
// input, half a file left behind.
#include "tests/cli/cli_fixture.h"

#include <unistd.h>

#include <algorithm>

namespace lanewright::test {
namespace {

using CliPaths = CliTest;

/// What a script sees of one refused run.
void expectRefused(const CliResult& result, const std::vector<std::string>& parts) {
    EXPECT_EQ(result.exitCode, 2) << result.err;
    EXPECT_EQ(errorsOf(result).size(), 1u) << result.err;
    for (const auto& part : parts) EXPECT_TRUE(contains(result.err, part));
}

TEST_F(CliPaths, NamesOfAnyBytes) {
    const std::vector<std::string> names = {"two words.jpg",   "照片 一.jpg",       "line\nbreak.jpg",
                                            "%d%s%n.jpg",      "-leading-dash.jpg", "{name}_{stage}.jpg",
                                            "bad\xff\xfe.jpg", "'\"$HOME.jpg"};
    for (const std::string& name : names) writePicture(in() / name);
    writePicture(in() / "sub folder" / "deeper" / "a b.jpg");
    const auto result = cli({"run", writeChain(), "--json", "report.json", "--save", "kept.lwrun"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    auto expected = names;
    expected.push_back("sub folder/deeper/a b.jpg");
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(filesBelow(out()), expected);
    EXPECT_EQ(readBack(folder() / "kept.lwrun").images.size(), names.size() + 1);
}

TEST_F(CliPaths, NamesInErrorsAreOneLineEach) {
    writePicture(in() / "good.jpg");
    writeText(in() / "line\nbreak\x1b[31m.jpg", readText(in() / "good.jpg").substr(0, 300));
    const auto result = cli({"run", writeChain()});
    EXPECT_EQ(result.exitCode, 1) << result.err;
    EXPECT_EQ(errorsOf(result).size(), 1u) << result.err;
    EXPECT_TRUE(contains(result.err, "line\\nbreak\\x1b[31m.jpg"));
    EXPECT_EQ(result.err.find('\x1b'), std::string::npos);
}

TEST_F(CliPaths, ALeadingDashIsNoOption) {
    writePicture(folder() / "-picture.jpg");
    EXPECT_EQ(cli({"convert", "--", "-picture.jpg", "-out.png"}).exitCode, 0);
    EXPECT_TRUE(fs::exists(folder() / "-out.png"));
    writePictures(1);
    const auto result = cli({"run", writeChain(), "--input", "-picture.jpg"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(filesBelow(out()), std::vector<std::string>{"-picture.jpg"});
}

TEST_F(CliPaths, SpacesInEveryPath) {
    const fs::path place = folder() / "a folder" / "照片";
    writePicture(place / "the input" / "1 2.jpg");
    const std::string project = writeChain();
    fs::copy_file(project, place / "the project.lanes");
    const auto result = cli({"run", place / "the project.lanes", "--input", place / "the input", "--output",
                             place / "the output", "--html", place / "the report.html"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_TRUE(fs::exists(place / "the output" / "1 2.jpg"));
    EXPECT_TRUE(fs::exists(place / "the report.html"));
}

TEST_F(CliPaths, TwoInputsOfOneOutput) {
    writePicture(in() / "same.jpg");
    writePicture(in() / "same.png");
    expectRefused(cli({"run", writeChain()}), {"same.jpg", "same.png"});
    EXPECT_FALSE(fs::exists(out()));
}

TEST_F(CliPaths, TwoFoldersWithTheSameNames) {
    writePicture(in() / "a" / "same.jpg");
    writePicture(in() / "b" / "same.jpg");
    expectRefused(cli({"run", writeChain(), "--input", in() / "a", "--input", in() / "b"}),
                  {"a/same.jpg", "b/same.jpg"});
    EXPECT_EQ(cli({"run", writeChain()}).exitCode, 0) << "in one input folder they are mirrored apart";
    EXPECT_EQ(filesBelow(out()), (std::vector<std::string>{"a/same.jpg", "b/same.jpg"}));
}

TEST_F(CliPaths, AnInputIsNeverOverwritten) {
    writePictures(2);
    const std::string project = writeChain();
    const std::string before = readText(in() / "p000.jpg");
    fs::create_directory_symlink(in(), folder() / "alias");
    fs::create_directories(folder() / "linked");
    fs::create_hard_link(in() / "p001.jpg", folder() / "linked" / "p001.jpg");
    fs::create_directories(folder() / "pointing");
    fs::create_symlink("../in/p000.jpg", folder() / "pointing" / "p000.jpg");
    for (const std::string spelling : {"in", "./in/", "out/../in", "alias", "linked", "pointing"}) {
        fs::create_directories(out());
        SCOPED_TRACE(spelling);
        expectRefused(cli({"run", project, "--output", spelling}), {"p00"});
        EXPECT_EQ(readText(in() / "p000.jpg"), before);
    }
    expectRefused(cli({"convert", "in/p000.jpg", "alias/p000.jpg"}), {"p000.jpg"});
    EXPECT_EQ(filesBelow(in()).size(), 2u);
}

TEST_F(CliPaths, OutputsInTheInputFolderAreNotInput) {
    writePictures(3);
    const std::string project = writeChain();
    for (int times = 0; times < 2; ++times) {
        const auto result = cli({"run", project, "--output", in() / "thumbnails"});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        EXPECT_EQ(filesBelow(in()).size(), 6u);
    }
}

TEST_F(CliPaths, OutputsAreReplacedOnTheSecondRun) {
    writePictures(2);
    const std::string project = writeChain();
    ASSERT_EQ(cli({"run", project}).exitCode, 0);
    const std::string small = readText(out() / "p000.jpg");
    ASSERT_EQ(cli({"run", project, "--set", "resize.width=64"}).exitCode, 0);
    EXPECT_NE(readText(out() / "p000.jpg"), small);
    EXPECT_EQ(filesBelow(out()).size(), 2u);
}

TEST_F(CliPaths, AnUnreadableFileFailsAlone) {
    if (geteuid() == 0) {
        // root reads everything: a folder where a file is named does instead.
        writePictures(2);
        fs::create_symlink("nowhere", in() / "dangling.jpg");
        const auto result = cli({"run", writeChain(), "--input", in() / "p000.jpg", "--input", in() / "dangling.jpg"});
        EXPECT_TRUE(result.exitCode == 1 || result.exitCode == 2) << result.err;
        EXPECT_TRUE(contains(result.err, "dangling.jpg"));
        return;
    }
    writePictures(3);
    fs::permissions(in() / "p001.jpg", fs::perms::none);
    const auto result = cli({"run", writeChain()});
    EXPECT_EQ(result.exitCode, 1) << result.err;
    EXPECT_TRUE(contains(result.err, "p001.jpg"));
    EXPECT_EQ(filesBelow(out()).size(), 2u);
}

TEST_F(CliPaths, AFileInTheWayOfTheOutputFolder) {
    writePictures(1);
    writeText(folder() / "taken", "");
    const auto result = cli({"run", writeChain(), "--output", "taken/deeper"});
    EXPECT_EQ(result.exitCode, 3) << result.err;
    EXPECT_TRUE(contains(result.err, "taken"));
}

}  // namespace
}  // namespace lanewright::test
