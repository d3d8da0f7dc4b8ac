// SPDX-License-Identifier: GPL-3.0-or-later
// The trace builder: templates of the plan, chunks and snapshots; and the text form of traces that other tests use.
#include "engine/trace/builder.h"
#include "tests/support/plan_rig.h"
#include "tests/support/trace_fixture.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace lanewright::test {
namespace {

Plan rigPlan(const std::string& stages, std::size_t images = 2) {
    RigPlan description;
    description.stages = stages;
    description.images = images;
    description.machine.fakeDevices = 1;
    auto made = makeRigPlan(description);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().id);
    return std::move(made).value();
}

const std::string onDevice = "decode:test_source; add:test_add<decode@fake:0; sink:test_sink<add";

Span spanAt(std::int64_t begin) {
    Span span;
    span.begin = instantFromNs(begin);
    span.end = instantFromNs(begin + 1);
    return span;
}

TEST(TraceBuilder, TemplatesFollowThePlan) {
    const Plan plan = rigPlan(onDevice);
    const Trace trace = TraceBuilder(plan, TraceOrigin::predicted).finish(instantFromNs(1));
    const std::map<TemplateKind, SpanCategory> categories = {{TemplateKind::read, SpanCategory::read},
                                                             {TemplateKind::operation, SpanCategory::stage},
                                                             {TemplateKind::copy, SpanCategory::copy},
                                                             {TemplateKind::write, SpanCategory::write}};
    ASSERT_EQ(trace.templates.size(), plan.templates.size());
    EXPECT_EQ(trace.machine, plan.machine);
    EXPECT_EQ(trace.limits.imagesInFlight, plan.limits.imagesInFlight);
    EXPECT_EQ(trace.limits.memory, plan.limits.memory);
    EXPECT_EQ(trace.clockUncertainty.size(), plan.machine->devices.size());
    for (std::size_t i = 0; i < plan.templates.size(); ++i) {
        const StepTemplate& wanted = plan.templates[i];
        const TraceTemplate& made = trace.templates[i];
        EXPECT_EQ(made.name, wanted.name);
        EXPECT_EQ(made.stageId, plan.pipeline->stage(wanted.stage).id);
        EXPECT_EQ(made.inputs.size(), wanted.inputs.size());
        EXPECT_EQ(made.category, categories.at(wanted.kind));
        if (wanted.kind != TemplateKind::copy) continue;
        EXPECT_EQ(made.from, plan.machine->link(wanted.link).from);
        EXPECT_EQ(made.to, plan.machine->link(wanted.link).to);
        EXPECT_EQ(made.inputs, made.outputs);
    }
}

TEST(TraceBuilder, CopiesHaveThePlansKind) {
    Plan plan = rigPlan(onDevice);
    plan.settings.copyKind = CopyKind::pinned;
    const Trace trace = TraceBuilder(plan, TraceOrigin::measured).finish({});
    for (const TraceTemplate& made : trace.templates) EXPECT_EQ(made.copyKind, CopyKind::pinned);
}

/// Slots of two classes never share a number; a constant has one number in all of them.
TEST(TraceBuilder, SlotNumbersAreUniqueAcrossClasses) {
    Plan plan = rigPlan(onDevice);
    const FormatClassId first(std::size_t{0});
    const std::size_t templates = plan.templates.size();
    plan.classes.push_back(plan.formatClass(first));
    plan.classes.push_back(FormatClass{});
    plan.constantsClass = FormatClassId(std::size_t{2});
    plan.classes[2].slots.resize(1);
    plan.classes[0].slots[0].constant = plan.classes[1].slots[0].constant = true;
    for (std::size_t i = 0; i < templates; ++i) {
        StepTemplate copy = plan.templates[i];
        copy.formatClass = FormatClassId(std::size_t{1});
        plan.templates.push_back(copy);
    }
    const Trace trace = TraceBuilder(plan, TraceOrigin::predicted).finish({});
    std::set<std::uint16_t> numbers[2];
    const auto constant = static_cast<std::uint16_t>(2 * plan.classes[0].slots.size());
    std::size_t constants = 0;
    for (std::size_t i = 0; i < trace.templates.size(); ++i) {
        for (const std::uint16_t slot : trace.templates[i].inputs) {
            if (slot == constant) {
                ++constants;
            } else {
                numbers[i / templates].insert(slot);
            }
        }
    }
    EXPECT_GE(constants, 2U);
    EXPECT_FALSE(numbers[0].empty());
    for (const std::uint16_t slot : numbers[0]) EXPECT_FALSE(numbers[1].contains(slot));
}

TEST(TraceBuilder, SnapshotsShareFullChunks) {
    const Plan plan = rigPlan(onDevice);
    TraceBuilder builder(plan, TraceOrigin::measured);
    for (int i = 0; i < 5000; ++i) builder.add(spanAt(i));
    const Trace early = builder.snapshot(instantFromNs(5000));
    for (int i = 5000; i < 10000; ++i) builder.add(spanAt(i));
    const Trace late = builder.finish(instantFromNs(10000));
    ASSERT_EQ(early.chunks.size(), 2U);
    ASSERT_EQ(late.chunks.size(), 3U);
    EXPECT_EQ(early.chunks[0], late.chunks[0]);
    EXPECT_EQ(early.chunks[0]->size(), 4096U);
    EXPECT_EQ(early.spanCount(), 5000U);
    EXPECT_EQ(late.spanCount(), 10000U);
    EXPECT_EQ(toNs(early.end), 5000);
    std::int64_t next = 0;
    late.forEach([&next](const Span& span) { EXPECT_EQ(toNs(span.begin), next++); });
    EXPECT_EQ(next, 10000);
}

TEST(TraceBuilder, CountersKeepChangesOnly) {
    const Plan plan = rigPlan(onDevice);
    TraceBuilder builder(plan, TraceOrigin::measured);
    builder.addSample("a", instantFromNs(0), 1);
    builder.addSample("b", instantFromNs(0), 1);
    builder.addSample("a", instantFromNs(5), 1);
    builder.addSample("a", instantFromNs(6), 2);
    const Trace trace = builder.finish({});
    ASSERT_EQ(trace.counters.size(), 2U);
    EXPECT_EQ(trace.counters[0].name, "a");
    ASSERT_EQ(trace.counters[0].samples.size(), 2U);
    EXPECT_EQ(trace.counters[0].samples[1].value, 2);
    EXPECT_EQ(trace.counters[1].samples.size(), 1U);
}

TEST(TraceBuilder, AddedTemplatesComeAfterThePlans) {
    const Plan plan = rigPlan(onDevice);
    TraceBuilder builder(plan, TraceOrigin::measured);
    TraceTemplate compile;
    compile.category = SpanCategory::setup;
    compile.name = "set-up: compile add";
    EXPECT_EQ(builder.addTemplate(compile), plan.templates.size());
    builder.setStart(instantFromNs(7));
    builder.setSeed(3);
    builder.setClockUncertainty(plan.machine->hostDevice, Duration(9));
    const Trace trace = builder.finish(instantFromNs(17));
    EXPECT_EQ(trace.templates.back().name, "set-up: compile add");
    EXPECT_EQ(trace.makespan(), Duration(10));
    EXPECT_EQ(trace.seed, 3U);
    EXPECT_EQ(trace.clockUncertainty[plan.machine->hostDevice.index()], Duration(9));
}

const char* const small = "worker 1: D0[5-15] E0[35-45]\n"
                          "worker 2: D1[10-20] E1[45-55]\n"
                          "read: rD0[0-5] rD1[5-10]\n"
                          "write: wE0[45-50] wE1[55-60]\n"
                          "fake:0 compute: A0+1[25-30]\n"
                          "fake:0 upload: >D0[15-20] >D1[20-25]\n"
                          "fake:0 download: <A0[30-35] <A1[35-40]\n";

TEST(TraceFixture, TextGoesThereAndBack) {
    const Plan plan = rigPlan(onDevice);
    EXPECT_EQ(traceText(plan, traceFromText(plan, small)), small);
    const std::string retry = "worker 1: A0[1-2] A0'[3-4]\nworker 2: A0'[3-5]\n";
    EXPECT_EQ(traceText(plan, traceFromText(plan, retry)), retry);
}

TEST(TraceFixture, FillsInCausesAndTimes) {
    const Plan plan = rigPlan(onDevice);
    const Trace trace = traceFromText(plan, small);
    const auto spanOf = [&](std::string_view what) {
        Span found;
        const StepId step = stepOf(plan, trace, what);
        trace.forEach([&](const Span& span) {
            if (span.step == step) found = span;
        });
        return found;
    };
    const Span encode = spanOf("E1");
    EXPECT_EQ(encode.cause, stepOf(plan, trace, "<A1"));
    EXPECT_EQ(toNs(encode.ready), 40);
    EXPECT_EQ(toNs(encode.submitted), 40);
    EXPECT_EQ(spanOf("A0+1").cause, stepOf(plan, trace, ">D1"));
    EXPECT_EQ(spanOf(">D0").bytes, ByteCount(64 * 48 * 3));
    EXPECT_EQ(spanOf("rD1").bytes, ByteCount(101));
    EXPECT_EQ(spanOf("wE1").bytes, encode.bytes);
    EXPECT_EQ(trace.outcomes.size(), 6U);
    EXPECT_EQ(toNs(trace.imageEnds.back().when), 60);
}

}  // namespace
}  // namespace lanewright::test
