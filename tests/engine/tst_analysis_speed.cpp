// SPDX-License-Identifier: GPL-3.0-or-later
// A million spans are analysed in a few seconds.
#include "engine/analysis/critical_path.h"
#include "engine/analysis/idle.h"
#include "engine/analysis/summary.h"
#include "tests/support/plan_rig.h"
#include "tests/support/random_trace.h"

#include <gtest/gtest.h>

#include <ctime>
#include <iostream>

namespace lanewright::test {
namespace {

/// Time of this process alone: other work on the machine does not count.
double processorMs() { return static_cast<double>(std::clock()) * 1000 / CLOCKS_PER_SEC; }

TEST(AnalysisSpeed, AMillionSpans) {
    RigMachine shape;
    shape.workers = 16;
    shape.fakeDevices = 4;
    const Trace trace = randomTrace(std::make_shared<Machine>(rigMachine(shape)), 1'000'000, 1);
    const double begin = processorMs();
    const TraceIndex index(trace);
    const double indexed = processorMs();
    const auto lanes = idleOf(index);
    const double explained = processorMs();
    summarize(index, trace.spanCount(), 1);
    criticalPathOf(index);
    const double end = processorMs();
    std::cout << "index " << indexed - begin << " ms, idle " << explained - indexed << " ms, summary and path "
              << end - explained << " ms\n";
    EXPECT_EQ(lanes.size(), trace.machine->lanes.size());
    EXPECT_LT(end - begin, 10'000);
}

}  // namespace
}  // namespace lanewright::test
