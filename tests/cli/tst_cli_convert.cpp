// SPDX-License-Identifier: GPL-3.0-or-later
// `convert`: one file, folders, formats and mistakes.
#include "tests/cli/cli_fixture.h"

#include "kernels/codecs/codec.h"

namespace lanewright::test {
namespace {

using CliConvert = CliTest;

/// "jpeg 32x21", or why it cannot be read.
std::string kindOf(const fs::path& file) {
    const std::string bytes = readText(file);
    const auto probed = probeImage(std::as_bytes(std::span(bytes)), ByteCount(bytes.size()));
    if (!probed) return probed.error().id;
    return probed->codec + " " + std::to_string(probed->shape.width) + "x" + std::to_string(probed->shape.height);
}

TEST_F(CliConvert, OneFile) {
    writePicture(folder() / "a.jpg", 96, 64);
    ASSERT_EQ(cli({"convert", "a.jpg", "b.png"}).exitCode, 0);
    EXPECT_EQ(kindOf(folder() / "b.png"), "png 96x64");
    ASSERT_EQ(cli({"convert", "b.png", "c.JPG", "--resize", "48", "--blur", "1.5", "--quality", "50"}).exitCode, 0);
    EXPECT_EQ(kindOf(folder() / "c.JPG"), "jpeg 48x32");
    ASSERT_EQ(cli({"convert", "a.jpg", "new folder/d.jpeg", "--resize", "30x10"}).exitCode, 0);
    EXPECT_EQ(kindOf(folder() / "new folder" / "d.jpeg"), "jpeg 15x10");
    ASSERT_EQ(cli({"convert", "a.jpg", "odd.name", "--format", "png"}).exitCode, 0);
    EXPECT_EQ(kindOf(folder() / "odd.name"), "png 96x64");
}

TEST_F(CliConvert, QualityMatters) {
    writePicture(folder() / "a.jpg", 200, 200);
    ASSERT_EQ(cli({"convert", "a.jpg", "low.jpg", "--quality", "20"}).exitCode, 0);
    ASSERT_EQ(cli({"convert", "a.jpg", "high.jpg", "--quality", "95"}).exitCode, 0);
    EXPECT_LT(fs::file_size(folder() / "low.jpg"), fs::file_size(folder() / "high.jpg"));
}

TEST_F(CliConvert, BracesInTheNameOfTheOutput) {
    writePicture(folder() / "a.jpg");
    const auto result = cli({"convert", "a.jpg", "{name}}{x.jpg"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_TRUE(fs::exists(folder() / "{name}}{x.jpg"));
}

TEST_F(CliConvert, AFolder) {
    writePictures(3);
    writePicture(in() / "sub" / "x.png");
    auto result = cli({"convert", "in", "out", "--format", "png", "--resize", "20"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(filesBelow(out()), (std::vector<std::string>{"p000.png", "p001.png", "p002.png", "sub/x.png"}));
    result = cli({"convert", "in", "jpegs"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(filesBelow(folder() / "jpegs").front(), "p000.jpg");
}

TEST_F(CliConvert, AFileIntoAFolder) {
    writePicture(folder() / "a.jpg");
    ASSERT_EQ(cli({"convert", "a.jpg", "there/", "--format", "png"}).exitCode, 0);
    EXPECT_TRUE(fs::exists(folder() / "there" / "a.png"));
    ASSERT_EQ(cli({"convert", "a.jpg", "there"}).exitCode, 0);
    EXPECT_TRUE(fs::exists(folder() / "there" / "a.jpg"));
}

TEST_F(CliConvert, OnOpenCl) {
    LANEWRIGHT_NEEDS_OPENCL();
    writePicture(folder() / "a.jpg", 96, 64);
    const auto result = cli({"convert", "a.jpg", "b.jpg", "--resize", "48", "--place", "resize=opencl:0"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(kindOf(folder() / "b.jpg"), "jpeg 48x32");
    EXPECT_TRUE(contains(result.out, "opencl:0"));
}

TEST_F(CliConvert, Mistakes) {
    writePicture(folder() / "a.jpg");
    writePictures(1);
    const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
        {{"a.jpg", "b.xyz"}, "jpg, png"},
        {{"a.jpg", "b"}, "jpg, png"},
        {{"a.jpg", "b.png", "--format", "jpg"}, "b.png"},
        {{"a.jpg", "b.png", "--format", "xyz"}, "jpg, png"},
        {{"a.jpg", "b.png", "--resize", "big"}, "--resize"},
        {{"a.jpg", "b.png", "--resize", "0"}, "65535"},
        {{"a.jpg", "b.jpg", "--quality", "101"}, "100"},
        {{"a.jpg", "b.jpg", "--blur", "-1"}, "sigma"},
        {{"none.jpg", "b.jpg"}, "none.jpg"},
        {{"in", "a.jpg"}, "folder"},
        {{"a.jpg", "a.jpg"}, "a.jpg"},
        {{"a.jpg", "b.jpg", "--place", "rotate=cpu"}, "decode, encode"},
    };
    const auto before = filesBelow(folder());
    for (const auto& [arguments, part] : mistakes) {
        std::vector<std::string> all = {"convert"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const auto result = cli(all);
        SCOPED_TRACE(arguments.at(1) + " " + part);
        EXPECT_EQ(result.exitCode, 2) << result.err;
        EXPECT_EQ(errorsOf(result).size(), 1u) << result.err;
        EXPECT_TRUE(contains(result.err, part));
    }
    EXPECT_EQ(filesBelow(folder()), before);
}

TEST_F(CliConvert, ADamagedFile) {
    writePicture(folder() / "a.jpg");
    writeText(folder() / "bad.jpg", readText(folder() / "a.jpg").substr(0, 400));
    const auto result = cli({"convert", "bad.jpg", "b.png"});
    EXPECT_EQ(result.exitCode, 1) << result.err;
    EXPECT_TRUE(contains(result.err, "bad.jpg failed"));
    EXPECT_FALSE(fs::exists(folder() / "b.png"));
}

}  // namespace
}  // namespace lanewright::test
