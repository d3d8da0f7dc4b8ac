// SPDX-License-Identifier: GPL-3.0-or-later
// Reports: exports of a run, `show` of a kept one, and `check` of files of every type.
#include "tests/cli/cli_fixture.h"

#include <nlohmann/json.hpp>

namespace lanewright::test {
namespace {

using CliReports = CliTest;

TEST_F(CliReports, ShowSaysWhatTheRunSaid) {
    writePictures(4);
    writeText(in() / "bad.jpg", readText(in() / "p000.jpg").substr(0, 400));
    const auto ran = cli({"run", writeChain(), "--repeat", "2", "--save", "kept.lwrun", "--json", "a.json", "--csv",
                          "a.csv", "--trace", "a.trace.json", "--html", "a.html"});
    EXPECT_EQ(ran.exitCode, 1) << ran.err;
    const auto shown = cli(
        {"show", "kept.lwrun", "--json", "b.json", "--csv", "b.csv", "--trace", "b.trace.json", "--html", "b.html"});
    EXPECT_EQ(shown.exitCode, 0) << shown.err;
    EXPECT_EQ(shown.out, ran.out);
    for (const char* extension : {"json", "csv", "trace.json", "html"}) {
        const std::string first = readText(folder() / (std::string("a.") + extension));
        EXPECT_GT(first.size(), 100u);
        EXPECT_EQ(first, readText(folder() / (std::string("b.") + extension))) << extension;
    }
}

TEST_F(CliReports, JsonHoldsWhatIsPromised) {
    writePictures(3);
    writeText(in() / "bad.jpg", readText(in() / "p000.jpg").substr(0, 400));
    ASSERT_EQ(cli({"run", writeChain(), "--repeat", "3", "--json", "a.json"}).exitCode, 1);
    const auto json = nlohmann::json::parse(readText(folder() / "a.json"), nullptr, false);
    ASSERT_TRUE(json.is_object());
    EXPECT_EQ(json["origin"], "measured");
    EXPECT_EQ(json["images"]["total"], 4);
    EXPECT_EQ(json["images"]["done"], 3);
    EXPECT_EQ(json["images"]["failed"], 1);
    EXPECT_GT(json["makespan_ns"].get<std::int64_t>(), 0);
    EXPECT_GT(json["images_per_s"].get<double>(), 0);
    EXPECT_GT(json["megapixels_per_s"].get<double>(), 0);
    EXPECT_GT(json["predicted"]["makespan_ns"].get<std::int64_t>(), 0);
    EXPECT_TRUE(json["predicted"]["error"].is_number());
    EXPECT_EQ(json["repeats"]["count"], 3);
    EXPECT_EQ(json["repeats"]["makespans_ns"].size(), 3u);
    EXPECT_TRUE(json["links"].is_array());
    ASSERT_EQ(json["problems"].size(), 1u);
    EXPECT_EQ(json["problems"][0]["image"], "bad.jpg");
    ASSERT_GE(json["lanes"].size(), 3u);
    for (const auto& lane : json["lanes"]) {
        auto sum = lane["busy_ns"].get<std::int64_t>();
        for (const auto& idle : lane["idle_ns"]) sum += idle.get<std::int64_t>();
        EXPECT_EQ(sum, json["last_repeat"]["makespan_ns"].get<std::int64_t>()) << lane["lane"];
    }
}

TEST_F(CliReports, GoodFilesPassTheCheck) {
    writePictures(2);
    const std::string project = writeChain();
    ASSERT_EQ(cli({"run", project, "--save", "kept.lwrun", "--trace", "a.trace.json"}).exitCode, 0);
    for (const std::string& file : {project, std::string("kept.lwrun"), std::string("a.trace.json")}) {
        const auto result = cli({"check", file});
        EXPECT_EQ(result.exitCode, 0) << file << ": " << result.out << result.err;
        EXPECT_EQ(result.err, "");
    }
}

TEST_F(CliReports, EveryProblemIsListedWithItsPlace) {
    writePictures(2);
    const std::string project = writeChain();
    ASSERT_EQ(cli({"run", project, "--save", "kept.lwrun", "--trace", "a.trace.json"}).exitCode, 0);
    const auto checkDamaged = [&](const std::string& name, const std::string& bytes) {
        writeText(folder() / name, bytes);
        const auto result = cli({"check", name});
        EXPECT_EQ(result.exitCode, 2) << name << ": " << result.out << result.err;
        EXPECT_GE(linesOf(result.out + result.err).size(), 1u);
        return result.out + result.err;
    };
    EXPECT_TRUE(contains(checkDamaged("syntax.lanes", "{\n  \"version\": 1,\n  oops\n}\n"), "3"));
    auto json = nlohmann::json::parse(readText(project));
    json["input"] = 5;
    json["output"] = 6;
    const std::string values = checkDamaged("values.lanes", json.dump());
    EXPECT_TRUE(contains(values, "/input"));
    EXPECT_TRUE(contains(values, "/output"));
    const std::string run = readText(folder() / "kept.lwrun");
    checkDamaged("half.lwrun", run.substr(0, run.size() / 2));
    const std::string trace = readText(folder() / "a.trace.json");
    checkDamaged("half.trace.json", trace.substr(0, trace.size() / 2));
    checkDamaged("empty.lanes", "");
    checkDamaged("other.bin", "no file of ours");
}

TEST_F(CliReports, ADamagedRunIsNotShown) {
    writePictures(2);
    ASSERT_EQ(cli({"run", writeChain(), "--save", "kept.lwrun"}).exitCode, 0);
    const std::string run = readText(folder() / "kept.lwrun");
    writeText(folder() / "half.lwrun", run.substr(0, run.size() / 2));
    for (const char* file : {"half.lwrun", "none.lwrun", "chain.lanes"}) {
        const auto result = cli({"show", file});
        EXPECT_EQ(result.exitCode, 2) << file;
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(errorsOf(result).size(), 1u) << result.err;
        EXPECT_TRUE(contains(result.err, file));
    }
}

TEST_F(CliReports, AReportThatCannotBeWrittenIsTold) {
    writePictures(1);
    writeText(folder() / "file", "");
    const auto result = cli({"run", writeChain(), "--json", "file/a.json"});
    EXPECT_EQ(result.exitCode, 1) << result.err;
    EXPECT_TRUE(contains(result.err, "a.json"));
    EXPECT_EQ(filesBelow(out()).size(), 1u);
}

}  // namespace
}  // namespace lanewright::test
