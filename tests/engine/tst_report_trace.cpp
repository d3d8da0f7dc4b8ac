// SPDX-License-Identifier: GPL-3.0-or-later
// What we export as Chrome trace passes our own check and says exactly what the run says; and the check refuses a breach of
// each rule.
#include "engine/report/chrome_trace.h"
#include "engine/text/text.h"
#include "engine/trace/chrome_check.h"
#include "tests/support/run_fixture.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

namespace lanewright {
namespace {

using Json = nlohmann::json;

std::string exported(const Run& run, const ReportOptions& options = {}) {
    std::string text;
    writeChromeTrace(
        run, [&text](std::string_view piece) { text += piece; }, options);
    return text;
}

std::string listed(const std::vector<FileProblem>& problems) {
    std::string list;
    for (const FileProblem& p : problems)
        list += std::to_string(p.line) + ":" + std::to_string(p.column) + " " + p.pointer + " " + textOf(p.what) + "\n";
    return list;
}

/// Two processes, slices nested and in sequence, an instant, an arrow and a counter.
const std::string good = R"({"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","pid":1,"tid":11,"name":"process_name","args":{"name":"cpu"}},
{"ph":"M","pid":1,"tid":11,"name":"process_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":1,"tid":11,"name":"thread_name","args":{"name":"worker 1"}},
{"ph":"M","pid":1,"tid":11,"name":"thread_sort_index","args":{"sort_index":11}},
{"ph":"M","pid":1,"tid":12,"name":"thread_name","args":{"name":"worker 2"}},
{"ph":"M","pid":1,"tid":12,"name":"thread_sort_index","args":{"sort_index":12}},
{"ph":"X","pid":1,"tid":11,"cat":"stage","name":"decode","ts":0.0001,"dur":10.0001,"args":{"image":"a"}},
{"ph":"X","pid":1,"tid":11,"cat":"stage","name":"part","ts":2.0001,"dur":3.0001},
{"ph":"X","pid":1,"tid":11,"cat":"stage","name":"decode","ts":10.0001,"dur":5.0001},
{"ph":"X","pid":1,"tid":12,"cat":"stage","name":"resize","ts":12.0001,"dur":4.0001},
{"ph":"i","pid":1,"tid":12,"cat":"sync","name":"mark","ts":17.0001,"s":"t"},
{"ph":"s","pid":1,"tid":11,"cat":"sync","name":"input","id":"0x1","ts":9.9991},
{"ph":"f","pid":1,"tid":12,"cat":"sync","name":"input","id":"0x1","bp":"e","ts":12.0011},
{"ph":"C","pid":1,"tid":11,"name":"in flight","ts":0.0001,"args":{"in flight":1}},
{"ph":"C","pid":1,"tid":11,"name":"in flight","ts":16.0001,"args":{"in flight":0}}
],"metadata":{"program":"Lanewright","repeats":1,"final":true,"none":null}})";

TEST(ChromeCheck, AcceptsTheGoodTrace) { EXPECT_EQ(listed(checkChromeTrace(good)), ""); }

struct Mutation {
    std::string from;
    std::string to;
    std::string id;
    std::string pointer;
};

TEST(ChromeCheck, RefusesABreachOfEachRule) {
    const std::string decode = R"({"ph":"X","pid":1,"tid":11,"cat":"stage","name":"decode","ts":0.0001)";
    const std::vector<Mutation> mutations = {
        {R"("none":null}})", R"("none":null})", "trace.syntax", ""},
        {R"("dur":3.0001)", R"("dur":NaN)", "trace.syntax", ""},
        {R"("dur":3.0001)", R"("dur":1e999)", "trace.syntax", ""},
        {R"("image":"a")", "\"image\":\"\xff\"", "trace.syntax", ""},
        {R"("none":null}})", R"("none":null}} x)", "trace.syntax", ""},
        {good, "[]", "trace.topLevel", ""},
        {good, "7", "trace.topLevel", ""},
        {R"("metadata":{)", R"("metadata":1,"x":{)", "trace.topLevel", "/metadata"},
        {R"("displayTimeUnit":"ns")", R"("displayTimeUnit":"us")", "trace.timeUnit", "/displayTimeUnit"},
        {R"("displayTimeUnit":"ns",)", "", "trace.timeUnit", "/displayTimeUnit"},
        {good, R"({"displayTimeUnit":"ns","traceEvents":[]})", "trace.noEvents", "/traceEvents"},
        {R"("metadata":)", R"("samples":[],"metadata":)", "trace.foreignKey", "/samples"},
        {R"("none":null)", R"("none":[])", "trace.metadataScalar", "/metadata/none"},
        {decode, "{}," + decode, "trace.emptyEvent", "/traceEvents/6"},
        {decode, "7," + decode, "trace.emptyEvent", "/traceEvents/6"},
        {R"({"ph":"i")", R"({"ph":"B")", "trace.phase", "/traceEvents/10/ph"},
        {R"("name":"part")", R"("name":"")", "trace.noName", "/traceEvents/7/name"},
        {R"("name":"part")", R"("name":"Profile")", "trace.reservedName", "/traceEvents/7/name"},
        {R"("name":"part")", R"("name":["part"])", "trace.type", "/traceEvents/7/name"},
        {R"({"ph":"i","pid":1)", R"({"ph":"i","pid":0)", "trace.id", "/traceEvents/10/pid"},
        {R"({"ph":"i","pid":1,"tid":12)", R"({"ph":"i","pid":1,"tid":2147483648)", "trace.id", "/traceEvents/10/tid"},
        {R"({"ph":"i","pid":1,"tid":12)", R"({"ph":"i","pid":1,"tid":"12")", "trace.id", "/traceEvents/10/tid"},
        {R"({"ph":"i","pid":1)", R"({"ph":"i","pid":2)", "trace.tidTwice", "/traceEvents/10/tid"},
        {R"({"ph":"i","pid":1,"tid":12)", R"({"ph":"i","pid":12,"tid":5)", "trace.tidIsPid", "/traceEvents/4"},
        {R"({"ph":"i")", R"({"ph":"M","pid":1,"tid":12,"name":"thread_name","args":{"name":"w"}},{"ph":"i")",
         "trace.metadataLate", "/traceEvents/10/ph"},
        {R"("thread_name","args":{"name":"worker 2"})", R"("thread_name","args":{})", "trace.metadataValue",
         "/traceEvents/4/args"},
        {R"("process_name","args")", R"("process_labels","args")", "trace.metadataMissing", "/traceEvents/0"},
        {R"("thread_sort_index","args":{"sort_index":12})", R"("other","args":{"x":12})", "trace.metadataMissing",
         "/traceEvents/4"},
        {R"("sort_index":12)", R"("sort_index":3)", "trace.threadOrder", "/traceEvents/4"},
        {R"("ts":2.0001)", R"("ts":-2.0001)", "trace.time", "/traceEvents/7/ts"},
        {R"(,"ts":2.0001)", "", "trace.time", "/traceEvents/7/ts"},
        {R"("ts":2.0001)", R"("ts":"2")", "trace.type", "/traceEvents/7/ts"},
        {R"(,"dur":3.0001)", "", "trace.duration", "/traceEvents/7/dur"},
        {R"("dur":3.0001)", R"("dur":0.0009)", "trace.duration", "/traceEvents/7/dur"},
        {R"("dur":3.0001)", R"("dur":8.0011)", "trace.overlap", "/traceEvents/7/dur"},
        {R"("name":"decode","ts":10.0001)", R"("name":"decode","ts":9.9991)", "trace.overlap", "/traceEvents/8/dur"},
        {R"("ts":12.0001)", R"("ts":9.0001)", "trace.order", "/traceEvents/9/ts"},
        {R"("cat":"stage","name":"part")", R"("cat":"kernel","name":"part")", "trace.category", "/traceEvents/7/cat"},
        {R"("s":"t")", R"("s":"g")", "trace.instantScope", "/traceEvents/10/s"},
        {R"("id":"0x1","ts")", R"("id":"0x20000000000000","ts")", "trace.flowId", "/traceEvents/11/id"},
        {R"("id":"0x1","ts")", R"("id":"one","ts")", "trace.flowId", "/traceEvents/11/id"},
        {R"("bp":"e",)", "", "trace.flowBinding", "/traceEvents/12/bp"},
        {R"({"ph":"s")", R"({"ph":"f","bp":"e")", "trace.flowStart", "/traceEvents/11/id"},
        {R"({"ph":"f")", R"({"ph":"s")", "trace.flowTwice", "/traceEvents/12/id"},
        {R"("id":"0x1","bp")", R"("id":"0x2","bp")", "trace.flowEnd", "/traceEvents/11"},
        {R"("name":"input","id":"0x1","bp")", R"("name":"other","id":"0x1","bp")", "trace.flowMismatch",
         "/traceEvents/12/name"},
        {R"("id":"0x1","ts":9.9991)", R"("id":"0x1","ts":14.9991)", "trace.flowBackwards", "/traceEvents/12/ts"},
        {R"("id":"0x1","ts":9.9991)", R"("id":"0x1","ts":10.0001)", "trace.flowOutside", "/traceEvents/11/ts"},
        {R"("ts":12.0011)", R"("ts":12.0001)", "trace.flowOutside", "/traceEvents/12/ts"},
        {R"("args":{"in flight":1})", R"("args":{"in flight":"1"})", "trace.counterValue", "/traceEvents/13/args"},
        {R"("args":{"in flight":0})", R"("args":{"other":0})", "trace.counterKeys", "/traceEvents/14/args"},
        {R"("name":"in flight","ts":16.0001)", R"("name":"second","ts":16.0001)", "trace.counterKeyTwice",
         "/traceEvents/14/args"},
        {R"("ts":16.0001)", R"("ts":15.9991)", "trace.counterEnd", "/traceEvents/13"},
    };
    std::set<std::string> covered;
    for (const Mutation& mutation : mutations) {
        std::string text = good;
        const std::size_t at = text.find(mutation.from);
        ASSERT_NE(at, std::string::npos) << mutation.from;
        text.replace(at, mutation.from.size(), mutation.to);
        const auto problems = checkChromeTrace(text);
        const auto named = std::find_if(problems.begin(), problems.end(), [&](const FileProblem& p) {
            return p.what.id == mutation.id && p.pointer == mutation.pointer;
        });
        EXPECT_NE(named, problems.end()) << mutation.to << "\nexpected " << mutation.id << " at " << mutation.pointer
                                         << "\nfound\n"
                                         << listed(problems);
        covered.insert(mutation.id);
    }
    EXPECT_EQ(covered.size(), 36U);
}

TEST(ChromeCheck, SaysLineAndColumn) {
    std::string text = good;
    text.replace(text.find("\"part\""), 6, "\"\"");
    const auto problems = checkChromeTrace(text);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].line, 9U);
    EXPECT_EQ(problems[0].column, 1U);
    EXPECT_EQ(text.substr(*problems[0].offset, 8), "{\"ph\":\"X");
}

TEST(ChromeCheck, ListsAHundredProblemsAndCountsTheRest) {
    std::string text = R"({"displayTimeUnit":"ns","traceEvents":[{})";
    for (int i = 0; i < 149; ++i) text += ",{}";
    const auto problems = checkChromeTrace(text + "]}");
    ASSERT_EQ(problems.size(), mostTraceProblems + 1);
    EXPECT_EQ(problems.back().what, (Message{"trace.more", {{"count", "50"}}}));
}

TEST(ChromeCheck, SurvivesAnyBytes) {
    std::mt19937_64 random(5);
    for (int i = 0; i < 3000; ++i) {
        std::string text = good.substr(0, random() % 3 == 0 ? random() % good.size() : good.size());
        for (std::size_t flips = random() % 8; flips > 0 && !text.empty(); --flips) {
            const char* const pieces[] = {"{", "}", "[", "]", "\"", ",", "-", "1e308", "null", "\\u0000"};
            const std::size_t at = random() % text.size();
            if (random() % 2 == 0)
                text[at] = static_cast<char>(random());
            else
                text.insert(at, pieces[random() % std::size(pieces)]);
        }
        for (const FileProblem& problem : checkChromeTrace(text)) EXPECT_FALSE(problem.what.id.empty());
    }
    EXPECT_FALSE(checkChromeTrace(std::string(1'000'000, '[')).empty());
    EXPECT_FALSE(checkChromeTrace("").empty());
    std::string deep = R"({"displayTimeUnit":"ns","traceEvents":[{"args":)" + std::string(200'000, '[');
    EXPECT_FALSE(checkChromeTrace(deep).empty());
}

TEST(ChromeTrace, PassesItsOwnCheck) {
    for (std::uint64_t seed = 1; seed < 12; ++seed) {
        test::RunFixtureOptions options;
        options.seed = seed;
        options.images = seed * 7;
        options.predicted = seed % 4 != 0;
        options.measured = seed % 5 != 0;
        const auto run = test::makeRun(options);
        EXPECT_EQ(listed(checkChromeTrace(exported(run))), "");
        EXPECT_EQ(listed(checkChromeTrace(exported(run, {.predicted = false, .arguments = false}))), "");
    }
}

/// A trace that breaks the contract in every way that a Chrome trace could show.
Run wildRun(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    auto run = test::makeRun({.images = 4, .seed = seed, .repeats = 1});
    auto trace = std::make_shared<Trace>(*run.measured[0]);
    trace->templates[1].name = "Profile";
    trace->templates[2].name = "with \"quotes\" \x01 \xff";
    trace->templates[3].name.clear();
    auto chunk = std::make_shared<SpanChunk>();
    for (std::size_t i = 0; i < 400; ++i) {
        Span span;
        span.begin = instantFromNs(static_cast<std::int64_t>(random() % 20'000) - 4000);
        span.end = span.begin + Duration(random() % 4 == 0 ? random() % 3 : random() % 900);
        span.ready = span.begin - Duration(random() % 50);
        span.step = StepId(random() % 300);
        span.image = random() % 9 == 0 ? ImageIndex() : ImageIndex(random() % 6);
        span.stepTemplate = static_cast<std::uint16_t>(random() % (trace->templates.size() + 2));
        span.lane = static_cast<std::uint16_t>(random() % 7);
        span.bytes = ByteCount(random() % 3 * 1000);
        chunk->push_back(span);
        if (i % 40 == 0)
            trace->batches.push_back({span.step, {ImageIndex(std::size_t{0}), ImageIndex(std::size_t{1})}});
    }
    trace->chunks = {chunk};
    trace->counters.push_back({"odd", {{instantFromNs(-9000), std::nan("")}, {instantFromNs(99'000), 1e300}}});
    trace->counters.push_back({"empty", {}});
    run.measured = {trace};
    run.images[0].name = "a\"\\\n\xc3\xa4\xff";
    return run;
}

TEST(ChromeTrace, PassesItsOwnCheckWhateverTheTrace) {
    for (std::uint64_t seed = 1; seed < 40; ++seed) EXPECT_EQ(listed(checkChromeTrace(exported(wildRun(seed)))), "");
    const lanewright::Run nothing;
    EXPECT_EQ(listed(checkChromeTrace(exported(nothing))), "");
}

/// What a reader knows of a slice, in whole ns from the start of the run.
using Fact = std::tuple<std::string, std::string, std::string, std::int64_t, std::int64_t, std::string, std::uint64_t>;

std::multiset<Fact> factsOf(const Run& run, const Trace& trace, const std::string& origin) {
    std::multiset<Fact> facts;
    trace.forEach([&](const Span& span) {
        const Lane& lane = run.machine->lane(LaneId(std::size_t{span.lane}));
        facts.insert({run.machine->device(lane.device).name + " (" + origin + ")", lane.name,
                      trace.templates[span.stepTemplate].name, (span.begin - trace.start).count(),
                      (span.end - span.begin).count(), span.image.valid() ? run.images[span.image.index()].name : "",
                      span.bytes.value});
    });
    return facts;
}

TEST(ChromeTrace, SaysExactlyWhatTheRunSays) {
    const auto run = test::makeRun({.images = 25, .repeats = 2});
    const Json file = Json::parse(exported(run));
    const auto start = static_cast<std::int64_t>(std::llround(file["metadata"]["run_start_us"].get<double>() * 1000));
    std::map<int, std::string> processes;
    std::map<int, std::string> threads;
    std::multiset<Fact> found;
    std::set<std::string> flowIds;
    for (const Json& event : file["traceEvents"]) {
        if (event["name"] == "process_name") processes[event["pid"]] = event["args"]["name"];
        if (event["name"] == "thread_name") threads[event["tid"]] = event["args"]["name"];
        if (event["ph"] == "s") flowIds.insert(event["id"]);
        if (event["ph"] != "X") continue;
        const Json& args = event["args"];
        found.insert({processes[event["pid"]], threads[event["tid"]], event["name"],
                      static_cast<std::int64_t>(event["ts"].get<double>() * 1000) - start,
                      static_cast<std::int64_t>(event["dur"].get<double>() * 1000), args.value("image", ""),
                      args.value("bytes", std::uint64_t{0})});
    }
    std::multiset<Fact> expected = factsOf(run, *run.measured.back(), "measured");
    expected.merge(factsOf(run, *run.predicted, "predicted"));
    EXPECT_EQ(found, expected);
    // Each step after the first of its image reads what the one before it made: 8 or 6 steps an image.
    std::size_t edges = 0;
    for (const Trace* trace : {run.measured.back().get(), run.predicted.get()}) {
        trace->forEach([&](const Span& span) { edges += trace->templates[span.stepTemplate].inputs.size(); });
    }
    EXPECT_EQ(flowIds.size(), edges);
}

TEST(ChromeTrace, LeavesArrowsOutWhenThereAreTooManyAndSaysSo) {
    const auto run = test::makeRun({.images = 10, .repeats = 1, .predicted = false});
    EXPECT_NE(exported(run).find("\"flows_left_out\":false"), std::string::npos);
    const std::string text = exported(run, {.mostArrows = 20});
    EXPECT_EQ(text.find("\"ph\":\"s\""), std::string::npos);
    EXPECT_NE(text.find("\"flows_left_out\":true"), std::string::npos);
    EXPECT_EQ(listed(checkChromeTrace(text)), "");
}

}  // namespace
}  // namespace lanewright
