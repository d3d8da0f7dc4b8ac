// SPDX-License-Identifier: GPL-3.0-or-later
// What holds of any trace whose lanes do one thing at a time: sums are exact, gaps and paths cover, bounds are below.
#include "engine/analysis/bounds.h"
#include "engine/analysis/critical_path.h"
#include "engine/analysis/idle.h"
#include "engine/analysis/summary.h"
#include "engine/analysis/utilization.h"
#include "tests/support/plan_rig.h"
#include "tests/support/random_trace.h"

#include <gtest/gtest.h>

#include <numeric>

namespace lanewright::test {
namespace {

std::shared_ptr<const Machine> machineOf(std::uint64_t seed) {
    RigMachine shape;
    shape.workers = 1 + static_cast<int>(seed % 4);
    shape.fakeDevices = static_cast<int>(seed % 3);
    auto machine = std::make_shared<Machine>(rigMachine(shape));
    if (seed % 2 == 1 && machine->devices.size() > 2) machine->devices[2].synchronous = true;
    return machine;
}

class AnyTrace : public testing::TestWithParam<std::uint64_t> {
protected:
    Trace m_trace = randomTrace(machineOf(GetParam()), 20 + GetParam() * 37 % 400, GetParam());
    TraceIndex m_index{m_trace};
};

TEST_P(AnyTrace, BusyAndIdleSumToTheMakespan) {
    const auto lanes = idleOf(m_index);
    ASSERT_EQ(lanes.size(), m_trace.machine->lanes.size());
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        EXPECT_EQ(lanes[i].total(), m_trace.makespan());
        Duration busy{0};
        for (const Span* span : m_index.lane(LaneId(i))) busy += span->end - span->begin;
        EXPECT_EQ(lanes[i].busy, busy);
    }
}

TEST_P(AnyTrace, GapsAreOrderedApartFromSpansAndSumToTheirReasons) {
    const auto lanes = idleOf(m_index);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        std::array<Duration, idleReasonCount> sums{};
        Instant last = m_trace.start;
        for (const IdleGap& gap : lanes[i].gaps) {
            EXPECT_LT(gap.begin, gap.end);
            EXPECT_GE(gap.begin, last);
            last = gap.end;
            sums[static_cast<std::size_t>(gap.reason)] += gap.end - gap.begin;
            EXPECT_EQ(gap.next.valid(), gap.reason != IdleReason::nothingLeft);
            for (const Span* span : m_index.lane(LaneId(i))) {
                EXPECT_TRUE(span->end <= gap.begin || span->begin >= gap.end || span->begin == span->end);
            }
        }
        EXPECT_LE(last, m_trace.end);
        EXPECT_EQ(sums, lanes[i].idle);
    }
}

TEST_P(AnyTrace, NamedStepsOfGapsRunOrWaitMeanwhile) {
    for (const LaneIdle& lane : idleOf(m_index)) {
        for (const IdleGap& gap : lane.gaps) {
            if (!gap.on.valid()) continue;
            const StepPosition position = m_index.find(gap.on);
            ASSERT_NE(position, noStep);
            EXPECT_LE(gap.begin, m_index.step(position).end);
        }
    }
}

TEST_P(AnyTrace, CriticalPathCoversTheMakespan) {
    const CriticalPath path = criticalPathOf(m_index);
    Instant now = m_trace.start;
    for (const PathPiece& piece : path.pieces) {
        EXPECT_EQ(piece.begin, now);
        EXPECT_LT(piece.begin, piece.end);
        now = piece.end;
    }
    EXPECT_EQ(now, m_trace.end);
    const Duration sum = std::accumulate(path.shares.begin(), path.shares.end(), Duration(0),
                                         [](Duration a, const PathShare& share) { return a + share.duration; });
    EXPECT_EQ(sum, m_trace.makespan());
}

TEST_P(AnyTrace, BoundsAreNotAboveTheMakespan) {
    const Bounds bounds = boundsOf(m_index);
    EXPECT_LE(bounds.makespan(), m_trace.makespan());
    EXPECT_GT(bounds.makespan(), Duration(0));
}

TEST_P(AnyTrace, UtilizationSumsToBusyTime) {
    const auto lanes = idleOf(m_index);
    for (const std::size_t buckets : {std::size_t{1}, std::size_t{7}, std::size_t{100}, std::size_t{100'000}}) {
        const Utilization use = utilizationOf(m_index, buckets);
        ASSERT_EQ(use.edges.size(), buckets + 1);
        EXPECT_EQ(use.edges.front(), m_trace.start);
        EXPECT_EQ(use.edges.back(), m_trace.end);
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            EXPECT_EQ(std::accumulate(use.busy[i].begin(), use.busy[i].end(), Duration(0)), lanes[i].busy);
            for (std::size_t b = 0; b < buckets; ++b) EXPECT_LE(use.busy[i][b], use.edges[b + 1] - use.edges[b]);
        }
    }
}

TEST_P(AnyTrace, SummaryAgreesWithItsParts) {
    const TraceSummary summary = summarize(m_index, 10, 1);
    std::size_t steps = 0;
    for (const StageSummary& stage : summary.stages) steps += stage.durations.count + stage.superseded;
    EXPECT_EQ(steps, m_index.steps().size());
    std::size_t spans = 0;
    for (const LaneSummary& lane : summary.lanes) spans += lane.steps;
    EXPECT_EQ(spans, m_trace.spanCount());
}

INSTANTIATE_TEST_SUITE_P(Random, AnyTrace, testing::Range<std::uint64_t>(1, 41));

/// A trace may be damaged; analysis neither ends in a crash nor loses a nanosecond.
TEST(DamagedTrace, SumsStayExact) {
    for (std::uint64_t seed = 1; seed < 60; ++seed) {
        Trace trace = randomTrace(machineOf(seed), 200, seed);
        SpanChunk spans;
        trace.forEach([&spans](const Span& span) { spans.push_back(span); });
        for (std::size_t i = 0; i < spans.size(); ++i) {
            const std::uint64_t dice = (seed * 7919 + i * 104729) % 23;
            if (dice == 0) spans[i].begin -= Duration(50);
            if (dice == 1) spans[i].end += Duration(70);
            if (dice == 2) std::swap(spans[i].begin, spans[i].end);
            if (dice == 3) spans[i].lane = 9999;
            if (dice == 4) spans[i].stepTemplate = 9999;
            if (dice == 5) spans[i].cause = StepId(spans.size() - i);
            if (dice == 6) spans[i].step = StepId(std::size_t{3});
        }
        trace.chunks = {std::make_shared<const SpanChunk>(std::move(spans))};
        const TraceIndex index(trace);
        for (const LaneIdle& lane : idleOf(index)) EXPECT_EQ(lane.total(), trace.makespan());
        Duration path{0};
        for (const PathPiece& piece : criticalPathOf(index).pieces) path += piece.end - piece.begin;
        EXPECT_EQ(path, trace.makespan());
        summarize(index, 10, 1);
        utilizationOf(index, 10);
        boundsOf(index);
    }
}

}  // namespace
}  // namespace lanewright::test
