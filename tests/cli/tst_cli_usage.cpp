// SPDX-License-Identifier: GPL-3.0-or-later
// Mistakes on the command line: exit code 2, one sentence that names the choices, nothing started.
#include "tests/cli/cli_fixture.h"

namespace lanewright::test {
namespace {

using CliUsage = CliTest;

/// One line, and all of `parts` in it.
void expectMistake(const CliResult& result, const std::vector<std::string_view>& parts) {
    EXPECT_EQ(result.exitCode, 2) << result.err;
    EXPECT_EQ(result.out, "");
    const auto errors = errorsOf(result);
    ASSERT_EQ(errors.size(), 1u) << result.err;
    EXPECT_TRUE(errors[0].ends_with('.')) << result.err;
    for (const auto part : parts) EXPECT_TRUE(contains(errors[0], part));
}

TEST_F(CliUsage, HelpAndVersionAreResults) {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"--help"}, {"run", "--help"}, {"convert", "--help"}, {"--version"}}) {
        const auto result = cli(arguments);
        EXPECT_EQ(result.exitCode, 0);
        EXPECT_EQ(result.err, "");
        EXPECT_NE(result.out, "");
    }
    const auto help = cli({"--help"});
    for (const char* command : {"devices", "run", "predict", "show", "convert", "check"}) {
        EXPECT_TRUE(contains(help.out, command));
    }
    const auto runHelp = cli({"run", "--help"});
    for (const char* option :
         {"--input", "--output", "--place", "--set", "--images", "--repeat", "--order", "--machine", "--save", "--json",
          "--trace", "--csv", "--html", "--seed", "--workers", "--batch", "--in-flight", "--quiet"}) {
        EXPECT_TRUE(contains(runHelp.out, option));
    }
}

TEST_F(CliUsage, WrongArguments) {
    expectMistake(cli({}), {"--help"});
    expectMistake(cli({"fly"}), {"fly"});
    expectMistake(cli({"run"}), {"PROJECT", "run --help"});
    expectMistake(cli({"run", "x.lanes", "--frobnicate"}), {"--frobnicate"});
    expectMistake(cli({"run", "x.lanes", "y.lanes"}), {"y.lanes"});
    expectMistake(cli({"run", "x.lanes", "--images"}), {"--images needs a value"});
    expectMistake(cli({"run", "x.lanes", "--images", "0"}), {"--images"});
    expectMistake(cli({"run", "x.lanes", "--images", "many"}), {"--images", "many"});
    expectMistake(cli({"run", "x.lanes", "--order", "random"}), {"--order", "planned", "dynamic"});
}

TEST_F(CliUsage, WrongPlacements) {
    writePictures(1);
    const std::string project = writeChain();
    const auto place = [&](const std::string& text) { return cli({"run", project, "--place", text}); };
    expectMistake(place("resize"), {"resize", "STAGE=DEVICE"});
    expectMistake(place("resize="), {"STAGE=DEVICE"});
    expectMistake(place("rotate=cpu"), {"rotate", "decode, resize, encode"});
    expectMistake(place("resize=gpu7"), {"gpu7", "cpu"});
    expectMistake(place("resize=cpu,cpu"), {"cpu", "twice"});
    expectMistake(place("resize=cpu@0"), {"0", "share"});
    expectMistake(place("resize=cpu@1,opencl:0"), {"share"});
    EXPECT_FALSE(fs::exists(out()));
}

TEST_F(CliUsage, WrongParameters) {
    writePictures(1);
    const std::string project = writeChain();
    const auto set = [&](const std::string& text) { return cli({"run", project, "--set", text}); };
    expectMistake(set("resize.width"), {"STAGE.PARAMETER=VALUE"});
    expectMistake(set("width=3"), {"STAGE.PARAMETER=VALUE"});
    expectMistake(set("rotate.angle=3"), {"rotate", "decode, resize, encode"});
    expectMistake(set("resize.size=3"), {"size", "width"});
    expectMistake(set("resize.width=0"), {"width", "65535"});
    expectMistake(set("resize.width=wide"), {"width", "wide"});
    expectMistake(set("resize.filter=best"), {"best", "lanczos3", "bilinear"});
}

TEST_F(CliUsage, MissingAndDamagedProjects) {
    expectMistake(cli({"run", "none.lanes"}), {"none.lanes"});
    writeText(folder() / "damaged.lanes", "{\n  \"version\": 1,\n  oops\n}\n");
    expectMistake(cli({"run", "damaged.lanes"}), {"damaged.lanes", "3"});
    writeText(folder() / "folder.lanes/x", "");
    expectMistake(cli({"run", "folder.lanes"}), {"folder.lanes"});
}

TEST_F(CliUsage, MissingInput) {
    writePictures(1);
    expectMistake(cli({"run", writeChain(), "--input", "nowhere"}), {"nowhere"});
}

TEST_F(CliUsage, NothingToDoIsNotAMistakeButNothingRuns) {
    fs::create_directories(in());
    const auto result = cli({"run", writeChain()});
    EXPECT_EQ(result.exitCode, 3) << result.err;
    EXPECT_EQ(errorsOf(result).size(), 1u) << result.err;
    EXPECT_TRUE(contains(result.err, in().string()));
}

TEST_F(CliUsage, ReportsMustNotOverwriteWhatIsRead) {
    writePictures(1);
    const std::string project = writeChain();
    const std::string before = readText(project);
    expectMistake(cli({"run", project, "--json", "./chain.lanes"}), {"chain.lanes"});
    EXPECT_EQ(readText(project), before);
    fs::create_hard_link(in() / "p000.jpg", folder() / "link.jpg");
    expectMistake(cli({"run", project, "--html", "link.jpg"}), {"link.jpg"});
    expectMistake(cli({"run", project, "--json", "a.json", "--csv", "./a.json"}), {"a.json"});
    expectMistake(cli({"run", project, "--json", "in"}), {"folder"});
    EXPECT_FALSE(fs::exists(out()));
}

}  // namespace
}  // namespace lanewright::test
