// SPDX-License-Identifier: GPL-3.0-or-later
// The summary as JSON and the tables as CSV: the figures are the run's own, and the formats hold.
#include "engine/analysis/summary.h"
#include "engine/files/files.h"
#include "engine/report/csv.h"
#include "engine/report/names.h"
#include "tests/support/run_fixture.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>

namespace lanewright {
namespace {

using Json = nlohmann::json;
using Record = std::map<std::string, std::string>;

Json summaryOf(const Run& run) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "s.json";
    EXPECT_TRUE(findExporter("json")->write(run, file, {}).ok());
    return Json::parse(*readTextFile(file));
}

/// RFC 4180, strictly: fields by the name of their column.
std::vector<Record> parsedCsv(const std::string& text) {
    std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        std::string& field = lines.back().back();
        if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
            field += '"';
            ++i;
        } else if (c == '"') {
            EXPECT_TRUE(quoted || field.empty());
            quoted = !quoted;
        } else if (quoted) {
            field += c;
        } else if (c == ',') {
            lines.back().emplace_back();
        } else if (c == '\r') {
            EXPECT_EQ(text[++i], '\n');
            lines.emplace_back(1);
        } else {
            EXPECT_NE(c, '\n');
            field += c;
        }
    }
    EXPECT_EQ(lines.back(), std::vector<std::string>(1));
    lines.pop_back();
    std::vector<Record> records;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        EXPECT_EQ(lines[i].size(), lines[0].size());
        Record& record = records.emplace_back();
        for (std::size_t k = 0; k < lines[0].size(); ++k) record[lines[0][k]] = lines[i][k];
    }
    return records;
}

template <class Writer>
std::vector<Record> tableOf(Writer writer, const Run& run, const ReportOptions& options = {}) {
    std::string text;
    writer(
        run, [&text](std::string_view piece) { text += piece; }, options);
    return parsedCsv(text);
}

TEST(SummaryJson, HasTheFiguresOfTheSummary) {
    const auto run = test::makeRun({.images = 40});
    const RunSummary summary = summarize(run);
    const Json json = summaryOf(run);
    EXPECT_EQ(json["lanewright"], (Json{{"format", "summary"}, {"version", 1}}));
    EXPECT_EQ(json["images"]["done"], 39);
    EXPECT_EQ(json["images"]["failed"], 1);
    EXPECT_EQ(json["images"]["skipped"], 0);
    EXPECT_EQ(json["images"]["done_with_warning"], 1);
    EXPECT_EQ(json["makespan_ns"], summary.makespan.count());
    EXPECT_EQ(json["images_per_s"], summary.imagesPerSecond);
    EXPECT_EQ(json["megapixels_per_s"], summary.megapixelsPerSecond);
    EXPECT_EQ(json["predicted"]["makespan_ns"], run.predicted->makespan().count());
    EXPECT_EQ(json["predicted"]["error"], *summary.predictionError);
    EXPECT_EQ(json["repeats"]["makespans_ns"].size(), 3U);
    EXPECT_EQ(json["repeats"]["first_ns"], run.measured[0]->makespan().count());
    EXPECT_EQ(json["repeats"]["median_ns"], json["makespan_ns"]);
}

TEST(SummaryJson, BusyAndIdleSumToTheMakespan) {
    const Json json = summaryOf(test::makeRun({.images = 40}));
    ASSERT_EQ(json["lanes"].size(), 7U);
    for (const Json& lane : json["lanes"]) {
        std::int64_t sum = lane["busy_ns"];
        EXPECT_EQ(lane["idle_ns"].size(), idleReasonCount);
        for (const Json& idle : lane["idle_ns"]) sum += idle.get<std::int64_t>();
        EXPECT_EQ(sum, json["last_repeat"]["makespan_ns"]) << lane["lane"];
    }
    for (const char* reason : {"waiting_for_file", "input_copy", "dependency", "output_slot_or_window", "device",
                               "write", "scheduler", "nothing_left"})
        EXPECT_TRUE(json["lanes"][0]["idle_ns"].contains(reason)) << reason;
}

TEST(SummaryJson, NamesLinksStagesAndProblems) {
    const Json json = summaryOf(test::makeRun({.images = 40}));
    ASSERT_EQ(json["links"].size(), 2U);
    const Json& up = json["links"][0];
    EXPECT_EQ(up["from"], "host");
    EXPECT_EQ(up["to"], "opencl:0");
    EXPECT_EQ(up["bytes"], 27 * 36'000'000);
    EXPECT_NEAR(up["gb_per_s"].get<double>(), up["bytes"].get<double>() / up["seconds"].get<double>() * 1e-9, 1e-9);
    for (const Json& stage : json["stages"]) {
        EXPECT_LE(stage["min_ns"], stage["median_ns"]);
        EXPECT_LE(stage["median_ns"], stage["p90_ns"]);
        EXPECT_LE(stage["p90_ns"], stage["p99_ns"]);
        EXPECT_LE(stage["p99_ns"], stage["max_ns"]);
    }
    ASSERT_EQ(json["problems"].size(), 2U);
    EXPECT_EQ(json["problems"][0]["outcome"], "failed");
    EXPECT_EQ(json["problems"][0]["messages"][0]["id"], "image.truncated");
    EXPECT_FALSE(json["problems"][0]["messages"][0]["text"].get<std::string>().empty());
    EXPECT_EQ(json["machine"]["devices"].size(), 3U);
    EXPECT_EQ(json["settings"]["repeat"], 3);
}

TEST(SummaryJson, APredictionHasNoError) {
    const Json json = summaryOf(test::makeRun({.images = 6, .measured = false}));
    EXPECT_EQ(json["origin"], "predicted");
    EXPECT_TRUE(json["predicted"]["error"].is_null());
    EXPECT_EQ(json["predicted"]["makespan_ns"], json["makespan_ns"]);
    EXPECT_EQ(json["repeats"]["count"], 0);
    EXPECT_TRUE(summaryOf(test::makeRun({.images = 6, .predicted = false}))["predicted"].is_null());
}

TEST(Csv, HasARowForEachSpan) {
    const auto run = test::makeRun({.images = 20, .repeats = 2});
    const auto rows = tableOf(writeSpansCsv, run);
    ASSERT_EQ(rows.size(), run.measured[1]->spanCount() + run.predicted->spanCount());
    EXPECT_EQ(tableOf(writeSpansCsv, run, {.predicted = false}).size(), run.measured[1]->spanCount());
    const Trace& trace = *run.measured[1];
    std::map<std::string, const Span*> spans;
    trace.forEach([&spans](const Span& span) { spans[std::to_string(span.step.value)] = &span; });
    for (Record row : rows) {
        if (row["origin"] != "measured") continue;
        const Span& span = *spans.at(row["step"]);
        EXPECT_EQ(row["name"], trace.templates[span.stepTemplate].name);
        EXPECT_EQ(std::stoll(row["begin_ns"]), (span.begin - trace.start).count());
        EXPECT_EQ(std::stoll(row["end_ns"]) - std::stoll(row["begin_ns"]), std::stoll(row["duration_ns"]));
        EXPECT_EQ(std::stoull(row["bytes"]), span.bytes.value);
        EXPECT_EQ(row["lane"], run.machine->lane(LaneId(std::size_t{span.lane})).name);
        EXPECT_EQ(row["superseded"], row["step"] == "60" ? "1" : "0");
    }
}

TEST(Csv, StagesAreThoseOfTheSummary) {
    const auto run = test::makeRun({.images = 20, .repeats = 1, .predicted = false});
    const TraceSummary summary = summarize(*run.measured[0], run.images.size(), run.megapixels);
    auto rows = tableOf(writeStagesCsv, run);
    ASSERT_EQ(rows.size(), summary.stages.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i]["name"], summary.stages[i].name);
        EXPECT_EQ(rows[i]["p90_ns"], std::to_string(summary.stages[i].durations.p90.count()));
    }
}

TEST(Csv, NamesSurviveAndAreNoFormulas) {
    struct Row {
        std::string name;
        std::string field;
    };
    const std::vector<Row> rows = {
        {"plain.jpg", "plain.jpg"},
        {"", ""},
        {"a,b", "\"a,b\""},
        {"a\"b", "\"a\"\"b\""},
        {"a\r\nb", "\"a\r\nb\""},
        {"=1+1", "'=1+1"},
        {"+1", "'+1"},
        {"-1", "'-1"},
        {"@x", "'@x"},
        {"\tx", "'\tx"},
        {"=A,\"", "\"'=A,\"\"\""},
        {" a", "\" a\""},
        {"\xc3\xa4\xff", "\xc3\xa4\xef\xbf\xbd"},
    };
    for (const Row& row : rows) EXPECT_EQ(csvField(row.name), row.field);
    auto run = test::makeRun({.images = 2, .repeats = 1, .predicted = false});
    run.images[0].name = "=HYPERLINK(\"x\"),\n.jpg";
    std::size_t found = 0;
    for (Record& row : tableOf(writeSpansCsv, run)) found += row["image"] == "'=HYPERLINK(\"x\"),\n.jpg" ? 1 : 0;
    EXPECT_EQ(found, 8U);
}

TEST(Csv, WritesTwoFiles) {
    EXPECT_EQ(stagesPath("a/run.csv"), "a/run.stages.csv");
    EXPECT_EQ(stagesPath("a/run.v2"), "a/run.v2.stages.csv");
    const test::TemporaryFolder folder;
    ASSERT_TRUE(findExporter("csv")->write(test::makeRun({.images = 2}), folder.path() / "run.csv", {}).ok());
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "run.csv"));
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "run.stages.csv"));
    EXPECT_TRUE(findExporter("csv")->write(test::makeRun({.images = 2}), "/dev/null", {}).ok());
}

TEST(Names, AreSnakeCase) {
    EXPECT_EQ(idleKey(IdleReason::outputSlotOrWindow), "output_slot_or_window");
    EXPECT_EQ(idleKey(IdleReason::write), "write");
}

}  // namespace
}  // namespace lanewright
