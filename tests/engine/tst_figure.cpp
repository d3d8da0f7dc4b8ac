// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/figure/stacked_bar.h"
#include "engine/figure/time_scale.h"
#include "engine/figure/timeline_figure.h"
#include "tests/support/run_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace lanewright {
namespace {

TimeRange ns(std::int64_t begin, std::int64_t end) { return {instantFromNs(begin), instantFromNs(end)}; }
double monospace(std::string_view text) { return 6.0 * static_cast<double>(text.size()); }

/// A trace of lane 0 of the fixture's machine from (begin, end) pairs.
std::shared_ptr<const Trace> traceOf(const std::vector<std::pair<std::int64_t, std::int64_t>>& spans) {
    auto trace = std::make_shared<Trace>(*test::makeRun({.images = 1, .repeats = 1}).measured[0]);
    auto chunk = std::make_shared<SpanChunk>();
    for (const auto& [begin, end] : spans) {
        Span span;
        span.begin = span.ready = span.submitted = instantFromNs(begin);
        span.end = instantFromNs(end);
        span.step = StepId(chunk->size());
        span.stepTemplate = 1;
        chunk->push_back(span);
    }
    trace->chunks = {chunk};
    trace->start = {};
    trace->end = instantFromNs(spans.empty() ? 0 : spans.back().second);
    return trace;
}

LaneFigure laneFigure(const FigureIndex& index, const FigureOptions& options) {
    const std::vector<LaneId> lanes = {LaneId(std::size_t{0})};
    return layoutTimeline(index, layoutRows(*index.trace().machine, lanes), {}, options).lanes[0];
}

TEST(TimeScale, PixelsAndTimesOfATable) {
    struct Row {
        std::int64_t when;
        TimeRange range;
        double width;
        double pixel;
    };
    const std::vector<Row> rows = {
        {0, ns(0, 100), 200, 0},
        {50, ns(0, 100), 200, 100},
        {100, ns(0, 100), 200, 200},
        {-50, ns(0, 100), 200, -100},
        {250, ns(0, 100), 200, 500},
        {1'000'000'000'000'000'050, ns(1'000'000'000'000'000'000, 1'000'000'000'000'000'100), 100, 50},
        {7, ns(7, 7), 200, 0},
        {7, ns(9, 7), 200, 0},
        {7, ns(0, 100), 0, 0},
    };
    for (const Row& row : rows)
        EXPECT_DOUBLE_EQ(pixelAt(instantFromNs(row.when), row.range, row.width), row.pixel) << row.when;
    EXPECT_EQ(timeAt(100, ns(0, 100), 200), instantFromNs(50));
    EXPECT_EQ(timeAt(100, ns(7, 7), 200), instantFromNs(7));
    EXPECT_EQ(timeAt(100, ns(7, 100), 0), instantFromNs(7));
}

TEST(TimeScale, RoundTripsToTheNanosecond) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 2000; ++i) {
        const auto begin = static_cast<std::int64_t>(random() % 1'000'000'000'000'000);
        const auto length = static_cast<std::int64_t>(random() % 3'600'000'000'000 + 1);
        const TimeRange range = ns(begin, begin + length);
        const Instant when =
            instantFromNs(begin + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length)));
        const double width = 1 + static_cast<double>(random() % 4000);
        EXPECT_EQ(timeAt(pixelAt(when, range, width), range, width), when);
    }
}

TEST(TimeScale, ZoomKeepsThePixelOfTheFixedMoment) {
    const TimeRange range = ns(1000, 2000);
    const TimeRange closer = zoomed(range, 0.5, instantFromNs(1250));
    EXPECT_EQ(closer, ns(1125, 1625));
    EXPECT_DOUBLE_EQ(pixelAt(instantFromNs(1250), range, 800), pixelAt(instantFromNs(1250), closer, 800));
    EXPECT_EQ(zoomed(ns(10, 11), 0.01, instantFromNs(10)).duration(), Duration(1));
    EXPECT_FALSE(zoomed(ns(0, 1'000'000'000), 1e30, instantFromNs(5)).empty());
}

TEST(TimeScale, TicksStepByOneTwoOrFive) {
    struct Row {
        TimeRange range;
        double width;
        std::int64_t step;
        std::string first;
        std::string last;
    };
    const std::vector<Row> rows = {
        {ns(0, 200'000'000), 800, 20'000'000, "0 ms", "200 ms"},
        {ns(0, 1'890'000'000), 800, 200'000'000, "0.0 s", "1.8 s"},
        {ns(0, 10), 800, 1, "0 ns", "10 ns"},
        {ns(0, 45'000), 800, 5'000, "0 \u00b5s", "45 \u00b5s"},
        {ns(2'000'000'000, 2'000'001'000), 800, 100, "2000000.0 \u00b5s", "2000001.0 \u00b5s"},
        {ns(-30'000'000, 50'000'000), 800, 10'000'000, "-30 ms", "50 ms"},
        {ns(0, 3'600'000'000'000), 800, 500'000'000'000, "0 s", "3500 s"},
    };
    for (const Row& row : rows) {
        const Ticks ticks = ticksOf(row.range, row.width, 75);
        ASSERT_FALSE(ticks.ticks.empty());
        EXPECT_EQ(ticks.step.count(), row.step);
        EXPECT_EQ(ticks.ticks.front().label, row.first);
        EXPECT_EQ(ticks.ticks.back().label, row.last);
        for (std::size_t i = 1; i < ticks.ticks.size(); ++i)
            EXPECT_GE(ticks.ticks[i].x - ticks.ticks[i - 1].x, 75 - 1e-6);
    }
    EXPECT_TRUE(ticksOf(ns(5, 5), 800, 75).ticks.empty());
    EXPECT_LE(ticksOf(ns(0, 1'000'000'000), 800, 1e-9).ticks.size(), 10'001U);
    EXPECT_EQ(ticksOf(ns(150, 250), 1000, 100, instantFromNs(150)).ticks.front().label, "0 ns");
}

TEST(FigureIndex, SortsEachLaneAndFindsSpans) {
    const FigureIndex index(traceOf({{50, 60}, {0, 10}, {20, 40}}));
    const LaneSpans& lane = index.lane(LaneId(std::size_t{0}));
    EXPECT_EQ(lane.begins, (std::vector<std::int64_t>{0, 20, 50}));
    EXPECT_EQ(lane.busy, (std::vector<std::int64_t>{0, 10, 30}));
    EXPECT_TRUE(lane.reach.empty());
    EXPECT_EQ(index.spanCount(), 3U);
    const auto beginAt = [&](std::int64_t when) {
        const Span* span = index.spanAt(LaneId(std::size_t{0}), instantFromNs(when));
        return span ? toNs(span->begin) : -1;
    };
    EXPECT_EQ(beginAt(5), 0);
    EXPECT_EQ(beginAt(10), -1);
    EXPECT_EQ(beginAt(39), 20);
    EXPECT_EQ(beginAt(60), -1);
}

TEST(Figure, SpansGetTheLabelThatFits) {
    const FigureIndex index(traceOf({{0, 100}, {100, 115}, {120, 124}}));
    FigureOptions options;
    options.range = ns(0, 1000);
    options.textWidth = monospace;
    const LaneFigure figure = laneFigure(index, options);
    ASSERT_EQ(figure.spans.size(), 3U);
    EXPECT_EQ(figure.spans[0].label, "decode");
    EXPECT_EQ(figure.spans[1].label, "D");
    EXPECT_EQ(figure.spans[2].label, "");
    EXPECT_DOUBLE_EQ(figure.spans[1].x, 100);
    EXPECT_DOUBLE_EQ(figure.spans[1].width, 15);
}

TEST(Figure, SpansAreCutAtTheEdges) {
    const FigureIndex index(traceOf({{0, 100}, {100, 200}, {200, 300}, {300, 400}}));
    FigureOptions options;
    options.range = ns(150, 250);
    options.width = 100;
    const LaneFigure figure = laneFigure(index, options);
    ASSERT_EQ(figure.spans.size(), 2U);
    EXPECT_TRUE(figure.spans[0].cutLeft);
    EXPECT_FALSE(figure.spans[0].cutRight);
    EXPECT_DOUBLE_EQ(figure.spans[0].x, 0);
    EXPECT_DOUBLE_EQ(figure.spans[0].width, 50);
    EXPECT_TRUE(figure.spans[1].cutRight);
    EXPECT_DOUBLE_EQ(figure.spans[1].x + figure.spans[1].width, 100);
}

TEST(Figure, FoldsNarrowSpansAndBreaksAtWideOnesAndGaps) {
    // At 1 px = 100 ns: five narrow spans, a wide one, two narrow ones, a visible gap, one narrow span on its own.
    const FigureIndex index(traceOf(
        {{0, 50}, {50, 90}, {95, 140}, {140, 190}, {190, 230}, {230, 700}, {700, 750}, {760, 800}, {1200, 1250}}));
    FigureOptions options;
    options.range = ns(0, 10'000);
    options.width = 100;
    const LaneFigure figure = laneFigure(index, options);
    ASSERT_EQ(figure.blocks.size(), 2U);
    EXPECT_EQ(figure.blocks[0].count, 5U);
    EXPECT_EQ(figure.blocks[0].begin, instantFromNs(0));
    EXPECT_EQ(figure.blocks[0].end, instantFromNs(230));
    EXPECT_NEAR(figure.blocks[0].busyShare, 225.0 / 230, 1e-12);
    EXPECT_EQ(figure.blocks[0].stepTemplate, 1);
    EXPECT_EQ(figure.blocks[1].count, 2U);
    ASSERT_EQ(figure.spans.size(), 2U);
    EXPECT_EQ(toNs(figure.spans[0].span->begin), 230);
    EXPECT_EQ(toNs(figure.spans[1].span->begin), 1200);
}

/// Whatever the trace and the zoom: each visible span is drawn or counted once, in order, and nothing wide is folded.
TEST(Figure, NothingIsLostOrCountedTwice) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::pair<std::int64_t, std::int64_t>> spans;
        std::int64_t now = 0;
        const std::size_t count = random() % 400;
        for (std::size_t i = 0; i < count; ++i) {
            if (random() % 3 == 0) now += static_cast<std::int64_t>(random() % 2000);
            const auto length = static_cast<std::int64_t>(random() % 5 == 0 ? random() % 3000 : random() % 60);
            spans.emplace_back(now, now + length);
            now += length;
        }
        const FigureIndex index(traceOf(spans));
        FigureOptions options;
        const auto begin = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(now + 1));
        options.range =
            ns(begin, begin + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(now + 10)));
        options.width = 1 + static_cast<double>(random() % 1500);
        options.foldBelow = 0.5 + static_cast<double>(random() % 4);
        const LaneFigure figure = laneFigure(index, options);
        const auto visible = std::count_if(spans.begin(), spans.end(), [&](const auto& s) {
            return s.second > toNs(options.range.begin) && s.first < toNs(options.range.end);
        });
        std::size_t shown = figure.spans.size();
        for (const FoldedBlock& block : figure.blocks) {
            EXPECT_GE(block.count, 2U);
            EXPECT_LE(block.width, options.blockWidth + options.foldBelow + 1);
            shown += block.count;
        }
        EXPECT_EQ(shown, static_cast<std::size_t>(visible));
        const Duration fold = durationOf(options.foldBelow, options.range, options.width);
        const auto wide = std::count_if(spans.begin(), spans.end(), [&](const auto& s) {
            return s.second > toNs(options.range.begin) && s.first < toNs(options.range.end) &&
                   s.second - s.first >= fold.count();
        });
        const auto boxes = std::count_if(figure.spans.begin(), figure.spans.end(),
                                         [&](const SpanBox& box) { return box.span->end - box.span->begin >= fold; });
        EXPECT_EQ(boxes, wide);
    }
}

TEST(Figure, OverlappingSpansOfADamagedTraceDoNotHarm) {
    const FigureIndex index(traceOf({{0, 1000}, {10, 20}, {15, 900}, {30, 40}, {2000, 2001}, {2000, 2000}}));
    FigureOptions options;
    options.width = 300;
    for (std::int64_t begin = 0; begin < 2100; begin += 37) {
        options.range = ns(begin, begin + 500);
        const LaneFigure figure = laneFigure(index, options);
        for (const SpanBox& box : figure.spans) EXPECT_GE(box.width, 0);
    }
}

TEST(Figure, GapsKeepTheirReasonsAndNarrowOnesAreLeftOut) {
    const auto run = test::makeRun({.images = 12, .repeats = 1});
    const FigureIndex index(run.measured[0]);
    const std::vector<LaneIdle> idle = idleOf(index.trace());
    const FigureIndex* const traces[] = {&index};
    const std::vector<LaneId> lanes = lanesInUse(*run.machine, traces);
    EXPECT_EQ(lanes.size(), run.machine->lanes.size());
    EXPECT_EQ(run.machine->lane(lanes.back()).role, LaneRole::write);
    const RowLayout rows = layoutRows(*run.machine, lanes);
    FigureOptions options;
    options.range = {index.trace().start, index.trace().end};
    const TimelineFigure figure = layoutTimeline(index, rows, idle, options);
    ASSERT_EQ(figure.lanes.size(), lanes.size());
    const Duration narrowest = durationOf(options.gapBelow, options.range, options.width);
    for (std::size_t row = 0; row < lanes.size(); ++row) {
        const auto& gaps = idle[lanes[row].index()].gaps;
        const auto wide =
            std::count_if(gaps.begin(), gaps.end(), [&](const IdleGap& g) { return g.end - g.begin >= narrowest; });
        EXPECT_EQ(figure.lanes[row].gaps.size(), static_cast<std::size_t>(wide));
    }
}

TEST(Figure, RowsStackByDevice) {
    const auto machine = test::makeFixtureMachine();
    std::vector<LaneId> lanes;
    for (std::size_t i = 0; i < machine->lanes.size(); ++i) lanes.push_back(LaneId(i));
    const RowLayout layout = layoutRows(*machine, lanes, {10, 2, 8});
    ASSERT_EQ(layout.devices.size(), 3U);
    EXPECT_EQ(layout.devices[1].firstRow, 2U);
    EXPECT_EQ(layout.devices[1].rowCount, 3U);
    EXPECT_DOUBLE_EQ(layout.rows[1].y, 12);
    EXPECT_DOUBLE_EQ(layout.rows[2].y, 30);
    EXPECT_DOUBLE_EQ(layout.devices[1].height, 34);
    EXPECT_DOUBLE_EQ(layout.height, layout.rows.back().y + 10);
}

TEST(StackedBar, SegmentsFillTheWidth) {
    const std::vector<Duration> parts = {Duration(50), Duration(0), Duration(30), Duration(-4), Duration(20)};
    BarOptions options{.width = 200, .textWidth = monospace};
    const auto bar = layoutBar(parts, Duration(100), options);
    ASSERT_EQ(bar.size(), 3U);
    EXPECT_EQ(bar[1].part, 2U);
    EXPECT_DOUBLE_EQ(bar[1].x, 100);
    EXPECT_DOUBLE_EQ(bar[1].width, 60);
    EXPECT_EQ(bar[1].label, "30 %");
    EXPECT_DOUBLE_EQ(bar[2].x + bar[2].width, 200);
    EXPECT_TRUE(layoutBar(parts, Duration(0), options).empty());
    options.width = 30;
    EXPECT_EQ(layoutBar(parts, Duration(100), options)[1].label, "");
}

}  // namespace
}  // namespace lanewright
