// SPDX-License-Identifier: GPL-3.0-or-later
// The HTML report is well formed, complete in itself, escapes what it did not write, stays small, and says what the run says.
#include "engine/analysis/summary.h"
#include "engine/figure/palette.h"
#include "engine/files/files.h"
#include "engine/report/exporter.h"
#include "engine/report/format.h"
#include "engine/report/html_sink.h"
#include "engine/report/html_texts.h"
#include "tests/support/run_fixture.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

namespace lanewright {
namespace {

std::string page(const lanewright::Run& run, const ReportOptions& options = {}) {
    const test::TemporaryFolder folder;
    EXPECT_TRUE(findExporter("html")->write(run, folder.path() / "r.html", options).ok());
    return *readTextFile(folder.path() / "r.html");
}

std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

/// The first fault of nesting, quoting or escaping, or an empty text. Stricter than browsers: every element is closed.
std::string markupFault(const std::string& html) {
    static const std::set<std::string> empty = {"meta", "input"};
    std::vector<std::string> open;
    for (std::size_t i = 0; i < html.size(); ++i) {
        if (html[i] == '&') {
            static const std::regex entity("&(amp|lt|gt|quot|#39);.*", std::regex::extended);
            if (!std::regex_match(html.substr(i, 6), entity)) return "bare & in " + html.substr(i, 40);
        }
        if (html[i] == '>') return "bare > in " + html.substr(i, 40);
        if (html[i] != '<') continue;
        if (html.compare(i, 9, "<!doctype") == 0) {
            i = html.find('>', i);
            continue;
        }
        const bool closing = html[i + 1] == '/';
        std::size_t at = i + (closing ? 2 : 1);
        std::string name;
        while (std::isalnum(static_cast<unsigned char>(html[at]))) name += html[at++];
        if (name.empty()) return "bare < in " + html.substr(i, 40);
        bool quoted = false;
        bool selfClosed = false;
        for (; at < html.size() && (quoted || html[at] != '>'); ++at) {
            if (html[at] == '"') quoted = !quoted;
            if (html[at] == '<') return "< within a tag: " + html.substr(i, 60);
            selfClosed = html[at] == '/';
        }
        i = at;
        if (selfClosed || empty.contains(name)) continue;
        if (!closing) {
            open.push_back(name);
            if (name == "style") i = html.find("</style", i) - 1;
            continue;
        }
        if (open.empty() || open.back() != name)
            return "</" + name + "> closes " + (open.empty() ? "nothing" : open.back());
        open.pop_back();
    }
    return open.empty() ? "" : open.back() + " is not closed";
}

TEST(HtmlReport, IsWellFormedWhateverTheRun) {
    EXPECT_EQ(markupFault(page(test::makeRun())), "");
    EXPECT_EQ(markupFault(page(test::makeRun({.images = 30, .measured = false}))), "");
    EXPECT_EQ(markupFault(page(test::makeRun({.images = 30, .predicted = false}))), "");
    EXPECT_EQ(markupFault(page(test::makeRun({.images = 0}))), "");
    EXPECT_EQ(markupFault(page(lanewright::Run())), "");
    EXPECT_EQ(markupFault(page(test::makeLargeRun(20'000, 64))), "");
    EXPECT_NE(markupFault("<p>a<b></p></b>"), "");
    EXPECT_NE(markupFault("<p>1 < 2</p>"), "");
}

TEST(HtmlReport, LoadsNothingAndRunsNothing) {
    const std::string html = page(test::makeRun());
    for (const char* word : {"<script", "src=", "href=", "@import", "javascript:", "onload", "http://", "https://"})
        EXPECT_EQ(html.find(word), std::string::npos) << word;
    static const std::regex url(R"(url\((?!#)[^)]*\))");
    EXPECT_FALSE(std::regex_search(html, url));
    EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
}

TEST(HtmlReport, EscapesEveryName) {
    const std::string evil = "</title><script>x('\"&\xe2\x80\xae\n\xff";
    auto run = test::makeRun({.images = 20, .repeats = 1});
    auto machine = std::make_shared<Machine>(*run.machine);
    for (Device& device : machine->devices) device.name = device.label = device.driverVersion = evil;
    for (Lane& lane : machine->lanes) lane.name = evil;
    for (Memory& memory : machine->memories) memory.name = evil;
    machine->name = evil;
    run.machine = machine;
    auto trace = std::make_shared<Trace>(*run.measured[0]);
    trace->machine = machine;
    for (TraceTemplate& stepTemplate : trace->templates) stepTemplate.name = stepTemplate.letter = evil;
    run.measured[0] = trace;
    run.projectName = run.version = run.startedAt = evil;
    for (StageRecord& stage : run.stages) {
        stage.label = stage.letter = stage.summary = evil;
        stage.devices = {evil};
    }
    for (ImageRecord& image : run.images) {
        image.name = evil;
        image.outcome = ImageOutcome::failed;
        image.messages = {{evil, {{evil, evil}}}, {"image.damaged", {{"detail", evil}}}};
    }
    run.messages = {{evil, {}}};
    const std::string html = page(run);
    EXPECT_EQ(markupFault(html), "");
    EXPECT_EQ(html.find("<script"), std::string::npos);
    EXPECT_EQ(html.find("\xe2\x80\xae"), std::string::npos) << "marks that reorder text";
    EXPECT_EQ(html.find('\xff'), std::string::npos);
    EXPECT_EQ(html::escapedHtml("<a href=\"x\">'&\n\x01"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\\n\\x01");
}

TEST(HtmlReport, SaysWhatTheRunSays) {
    const auto run = test::makeRun();
    const std::string html = page(run);
    const RunSummary summary = summarize(run);
    for (const std::string& text :
         {durationText(summary.makespan), numberText(summary.imagesPerSecond), numberText(summary.megapixelsPerSecond),
          signedPercentText(*summary.predictionError), std::string("The file ends too early."),
          std::string("AMD EPYC 7763"), std::string("Gaussian blur"), std::string("1024 px, Lanczos3"),
          std::string("31 Jan 2025, 12:34 UTC")})
        EXPECT_NE(html.find(text), std::string::npos) << text;
    EXPECT_LT(html.find("class=\"panel problems\""), html.find("class=\"panel timeline\"")) << "problems come first";
    for (const LinkSummary& link : summary.trace.links)
        EXPECT_NE(html.find(rateText(link.bytesPerSecond())), std::string::npos);
    EXPECT_EQ(page(test::makeRun({.images = 5})).find("class=\"panel problems\""), std::string::npos);
}

TEST(HtmlReport, EveryMarkHasItsTooltip) {
    const auto run = test::makeRun({.images = 12, .repeats = 1});
    const std::string html = page(run);
    const std::size_t begin = html.find("class=\"panel timeline\"");
    const std::string timeline = html.substr(begin, html.find("class=\"legend\"", begin) - begin);
    const std::size_t rects = occurrences(timeline, "<rect");
    const std::size_t tracks = occurrences(timeline, "class=\"track\"");
    EXPECT_EQ(occurrences(timeline, "<title>"), rects - tracks);
    EXPECT_GT(occurrences(timeline, "waits for"), 20U) << "idle gaps name their reason";
    EXPECT_GT(occurrences(timeline, ">\u2191</text>"), 0U) << "copies show their direction";
    EXPECT_EQ(occurrences(timeline, "class=\"predicted\""), 7U);
}

TEST(HtmlReport, PredictionCanBeLeftOutAndStandAlone) {
    const std::string without = page(test::makeRun({.images = 12}), {.predicted = false});
    EXPECT_EQ(without.find("class=\"predicted\""), std::string::npos);
    EXPECT_EQ(without.find("show-both"), std::string::npos);
    const std::string alone = page(test::makeRun({.images = 12, .measured = false}));
    EXPECT_NE(alone.find("Prediction only"), std::string::npos);
    EXPECT_NE(alone.find("Predicted makespan"), std::string::npos);
    EXPECT_EQ(alone.find("Prediction error"), std::string::npos);
}

TEST(HtmlReport, StaysSmallForAMillionSpans) {
    auto run = test::makeLargeRun(1'000'000, 64);
    run.predicted = test::makeLargeRun(1'000'000, 64, 2).measured[0];
    const std::string html = page(run);
    EXPECT_LT(html.size(), 2'000'000U);
    // Nothing is lost: counts of blocks and single marks sum to the spans that are there.
    std::size_t folded = 0;
    const std::size_t begin = html.find("<g class=\"measured\">");
    ASSERT_NE(begin, std::string::npos);
    for (std::size_t at = begin; (at = html.find("<g class=\"measured\">", at)) != std::string::npos; ++at) {
        const std::size_t end = html.find("</g>", at);
        for (std::size_t mark = html.find(" steps, mostly", at); mark < end;
             mark = html.find(" steps, mostly", mark + 1)) {
            const std::size_t start = html.rfind('>', mark) + 1;
            std::string digits = html.substr(start, mark - start);
            std::erase_if(digits, [](char c) { return c < '0' || c > '9'; });
            folded += std::stoul(digits);
        }
        folded +=
            occurrences(html.substr(at, end - at), "<rect") - occurrences(html.substr(at, end - at), "class=\"fold ");
    }
    EXPECT_EQ(folded, 1'000'000U);
}

TEST(HtmlReport, ManyProblemsAreCountedAndTheFirstShown) {
    auto run = test::makeRun({.images = 300, .repeats = 1, .failures = false});
    for (ImageRecord& image : run.images) {
        image.outcome = ImageOutcome::failed;
        image.messages = {{"image.empty", {}}};
    }
    const std::string html = page(run);
    EXPECT_EQ(occurrences(html, "<tr class=\"failed\">"), 200U);
    EXPECT_NE(html.find("and 100 more images"), std::string::npos);
}

TEST(HtmlReport, PatternsAreTheSameInBothThemes) {
    for (std::size_t i = 0; i < idleReasonCount; ++i)
        EXPECT_EQ(palette(Theme::light).reasons[i].pattern, palette(Theme::dark).reasons[i].pattern);
}

TEST(HtmlTexts, Fill) {
    EXPECT_EQ(html::filled("{a} of {b}{", {{"a", "1"}, {"b", "{a}"}}), "1 of {a}{");
    EXPECT_EQ(html::filled("{none}", {}), "{none}");
}

TEST(Format, UnitsOfTheScreen) {
    const std::vector<std::pair<std::int64_t, std::string>> durations = {{0, "0 ns"},
                                                                         {999, "999 ns"},
                                                                         {1000, "1.00 \u00b5s"},
                                                                         {12'345, "12.3 \u00b5s"},
                                                                         {999'600, "1.00 ms"},
                                                                         {88'643'550, "88.6 ms"},
                                                                         {999'499'999, "999 ms"},
                                                                         {2'151'106'712, "2.15 s"},
                                                                         {3'600'000'000'000, "3600 s"},
                                                                         {-1'500'000, "-1.50 ms"}};
    for (const auto& [ns, text] : durations) EXPECT_EQ(durationText(Duration(ns)), text);
    EXPECT_EQ(bytesText(ByteCount(0)), "0 bytes");
    EXPECT_EQ(bytesText(ByteCount(1536)), "1.50 KiB");
    EXPECT_EQ(bytesText(ByteCount(972'000'000)), "927 MiB");
    EXPECT_EQ(bytesText(ByteCount(std::uint64_t{1} << 40)), "1.00 TiB");
    EXPECT_EQ(rateText(5.24e9), "5.24 GB/s");
    EXPECT_EQ(rateText(0), "\u2013");
    EXPECT_EQ(percentText(0.384), "38 %");
    EXPECT_EQ(percentText(0.0042), "0.4 %");
    EXPECT_EQ(percentText(0), "0 %");
    EXPECT_EQ(signedPercentText(-0.0142), "\u22121.4 %");
    EXPECT_EQ(signedPercentText(0.25), "+25.0 %");
    EXPECT_EQ(countText(1234), "1234");
    EXPECT_EQ(countText(1234567), "1\u202f234\u202f567");
    EXPECT_EQ(startText("2025-01-03T12:34:56Z"), "3 Jan 2025, 12:34 UTC");
    EXPECT_EQ(startText("yesterday"), "yesterday");
}

}  // namespace
}  // namespace lanewright
