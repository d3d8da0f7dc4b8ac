// SPDX-License-Identifier: GPL-3.0-or-later
// The contract accepts traces that are right and rejects every kind of mutation by its rule.
#include "engine/run/simulator.h"
#include "engine/trace/contract.h"
#include "tests/support/plan_rig.h"
#include "tests/support/trace_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

namespace lanewright::test {
namespace {

const std::string onDevice = "decode:test_source; add:test_add<decode@fake:0; sink:test_sink<add";

RigPlan rig(const std::string& stages, std::size_t images, int devices = 1) {
    RigPlan description;
    description.stages = stages;
    description.images = images;
    description.machine.fakeDevices = devices;
    return description;
}

Plan makePlanOf(const RigPlan& description) {
    auto made = makeRigPlan(description);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().id);
    return std::move(made).value();
}

const char* const right = "read: rD0[0-5] rD1[5-10]\n"
                          "worker 1: D0[5-15] E0[35-45]\n"
                          "worker 2: D1[10-20] E1[45-55]\n"
                          "fake:0 upload: >D0[15-20] >D1[20-25]\n"
                          "fake:0 compute: A0[20-30] A1[30-35]\n"
                          "fake:0 download: <A0[30-35] <A1[35-40]\n"
                          "write: wE0[45-50] wE1[55-60]\n"
                          "end: 62\n";

class Contract : public testing::Test {
protected:
    Span& find(std::vector<Span>& spans, std::string_view what) const {
        const StepId step = stepOf(m_plan, m_trace, what);
        return *std::find_if(spans.begin(), spans.end(), [step](const Span& span) { return span.step == step; });
    }
    /// A copy with one span changed.
    Trace with(std::string_view what, const std::function<void(Span&)>& change) const {
        return withSpans(m_trace, [&](std::vector<Span>& spans) { change(find(spans, what)); });
    }
    Trace without(std::string_view what) const {
        const StepId step = stepOf(m_plan, m_trace, what);
        return withSpans(m_trace, [step](std::vector<Span>& spans) {
            std::erase_if(spans, [step](const Span& span) { return span.step == step; });
        });
    }
    void expectRejected(const Trace& trace, ContractRule rule) const { expectRejected(m_plan, trace, rule); }
    static void expectRejected(const Plan& plan, const Trace& trace, ContractRule rule) {
        const auto violations = checkContract(plan, trace);
        const bool found = std::any_of(violations.begin(), violations.end(),
                                       [rule](const ContractViolation& violation) { return violation.rule == rule; });
        EXPECT_TRUE(found) << "not rejected by " << contractRuleName(rule) << ":\n" << contractText(violations);
    }
    void expectRight(const Trace& trace) const { EXPECT_EQ(contractText(checkContract(m_plan, trace)), ""); }

    Plan m_plan = makePlanOf(rig(onDevice, 2));
    Trace m_trace = traceFromText(m_plan, right);
};

TEST_F(Contract, AcceptsARightTrace) { expectRight(m_trace); }

TEST_F(Contract, NamesEachRuleOnce) {
    std::map<std::string_view, int> names;
    for (int rule = 0; rule <= static_cast<int>(ContractRule::idleSum); ++rule) {
        ++names[contractRuleName(static_cast<ContractRule>(rule))];
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(ContractRule::idleSum) + 1);
    EXPECT_EQ(contractRuleName(ContractRule::laneOverlap), "laneOverlap");
    EXPECT_EQ(contractRuleName(ContractRule::idleSum), "idleSum");
}

TEST_F(Contract, AcceptsPartsOfOneStepOnSeveralLanes) {
    const std::string text =
        "read: rD0[0-5] rD1[5-10]\nworker 1: D0[5-15] D1[15-25] A0[25-35] E0[35-40] A1[45-50] E1[50-55]\n"
        "worker 2: A0[25-30] A1[45-49]\nwrite: wE0[40-45] wE1[55-60]\n";
    const Plan plan = makePlanOf(rig("decode:test_source; add:test_add<decode; sink:test_sink<add", 2));
    const Trace trace = traceFromText(plan, text);
    EXPECT_EQ(contractText(checkContract(plan, trace)), "");
    const Trace torn = withSpans(trace, [](std::vector<Span>& spans) {
        for (Span& span : spans) {
            if (span.lane == 1) span.submitted += Duration(1);
        }
    });
    expectRejected(plan, torn, ContractRule::parts);
    expectRejected(plan,
                   withSpans(trace,
                             [](std::vector<Span>& spans) {
                                 for (Span& span : spans) {
                                     if (span.lane == 1) span.lane = 0;
                                 }
                             }),
                   ContractRule::parts);
}

// References and places.

TEST_F(Contract, RejectsReferencesToNothing) {
    expectRejected(with("D0", [](Span& span) { span.lane = 99; }), ContractRule::references);
    expectRejected(with("D0", [](Span& span) { span.stepTemplate = 999; }), ContractRule::references);
    expectRejected(with("D0", [](Span& span) { span.image = ImageIndex(std::size_t{2}); }), ContractRule::references);
    Trace trace = m_trace;
    trace.batches.push_back({StepId(std::size_t{0}), {ImageIndex(std::size_t{0}), ImageIndex(std::size_t{0})}});
    expectRejected(trace, ContractRule::references);
    trace = m_trace;
    trace.machine = std::make_shared<Machine>(*m_plan.machine);
    expectRejected(trace, ContractRule::references);
}

TEST_F(Contract, RejectsAStageOnADeviceItWasNotGiven) {
    const auto lane =
        static_cast<std::uint16_t>(m_plan.machine->lanesOf(DeviceId(std::size_t{2}), LaneRole::compute)[0].value);
    expectRejected(with("E1", [lane](Span& span) { span.lane = lane; }), ContractRule::place);
    expectRejected(with("wE1", [](Span& span) { span.lane = 0; }), ContractRule::place);
}

// Times.

TEST_F(Contract, RejectsReversedTimes) {
    expectRejected(with("E1", [](Span& span) { std::swap(span.begin, span.end); }), ContractRule::times);
    expectRejected(with("E1", [](Span& span) { span.submitted = span.begin + Duration(1); }), ContractRule::times);
    expectRejected(with("E1", [](Span& span) { span.ready = span.submitted + Duration(1); }), ContractRule::times);
    expectRejected(with("E1", [](Span& span) { span.returned = span.submitted - Duration(1); }), ContractRule::times);
}

TEST_F(Contract, RejectsSpansOutsideTheRun) {
    Trace trace = m_trace;
    trace.end = instantFromNs(59);
    expectRejected(trace, ContractRule::range);
    trace = m_trace;
    trace.start = instantFromNs(1);
    expectRejected(trace, ContractRule::range);
}

TEST_F(Contract, SetUpEndsBeforeTheStart) {
    Trace trace = withSpans(m_trace, [&](std::vector<Span>& spans) {
        Span setup;
        setup.begin = instantFromNs(-20);
        setup.end = instantFromNs(-10);
        setup.stepTemplate = static_cast<std::uint16_t>(m_trace.templates.size());
        spans.push_back(setup);
    });
    trace.templates.emplace_back().category = SpanCategory::setup;
    expectRight(trace);
    trace = withSpans(trace, [](std::vector<Span>& spans) { spans.back().end = instantFromNs(1); });
    expectRejected(trace, ContractRule::range);
}

TEST_F(Contract, RejectsAStepThatIsReadyBeforeItsCauseEnds) {
    expectRejected(with("E1", [](Span& span) { span.ready -= Duration(1); }), ContractRule::cause);
}

TEST_F(Contract, AcceptsAStepQueuedBehindItsMaker) {
    // A1 goes to the compute lane while its upload runs, and is ready when that ends.
    expectRight(with("A1", [](Span& span) { span.submitted = instantFromNs(21); }));
    // The host's steps do not queue behind each other.
    expectRejected(with("wE1", [](Span& span) { span.submitted = span.returned = instantFromNs(54); }),
                   ContractRule::times);
}

// Lanes.

TEST_F(Contract, RejectsOverlapOnALane) {
    expectRejected(with("A0", [](Span& span) { span.end += Duration(1); }), ContractRule::laneOverlap);
    expectRejected(with("A1", [](Span& span) { span.begin -= Duration(1); }), ContractRule::laneOverlap);
}

TEST_F(Contract, RejectsMoreStepsOnALaneThanItTakes) {
    expectRejected(with("E0", [](Span& span) { span.submitted = instantFromNs(14); }), ContractRule::queueDepth);
    RigPlan shallow = rig(onDevice, 2);
    shallow.machine.queueDepth = 1;
    const Plan plan = makePlanOf(shallow);
    Trace trace = traceFromText(plan, right);
    EXPECT_EQ(contractText(checkContract(plan, trace)), "");
    trace = withSpans(trace, [&](std::vector<Span>& spans) { find(spans, "A1").submitted = instantFromNs(29); });
    expectRejected(plan, trace, ContractRule::queueDepth);
}

TEST_F(Contract, RejectsOverlapOnASynchronousDevice) {
    auto machine = std::make_shared<Machine>(*m_plan.machine);
    machine->devices[2].synchronous = true;
    m_plan.machine = m_trace.machine = machine;
    expectRejected(m_trace, ContractRule::deviceOverlap);
}

TEST_F(Contract, ExclusiveGroupsMayOverlapByTheUncertaintyOfMeasuredClocksOnly) {
    auto machine = std::make_shared<Machine>(*m_plan.machine);
    const auto lanes = machine->devices[2].lanes;
    machine->groups.push_back({"one at a time", GroupRule::exclusive, 1, {{lanes[0], 1}, {lanes[1], 1}}});
    m_plan.machine = m_trace.machine = machine;
    expectRejected(m_trace, ContractRule::groupOverlap);
    m_trace.clockUncertainty[2] = Duration(5);
    expectRejected(m_trace, ContractRule::groupOverlap);
    m_trace.origin = TraceOrigin::measured;
    expectRight(m_trace);
    m_trace.clockUncertainty[2] = Duration(4);
    expectRejected(m_trace, ContractRule::groupOverlap);
}

// Buffers.

TEST_F(Contract, RejectsAStepThatBeginsBeforeItsInputIsThere) {
    expectRejected(with("A0", [](Span& span) { span.begin -= Duration(1); }), ContractRule::inputs);
    expectRejected(with(">D0", [](Span& span) { span.begin -= Duration(1); }), ContractRule::inputs);
    expectRejected(with("wE0", [](Span& span) { span.begin -= Duration(1); }), ContractRule::inputs);
}

TEST_F(Contract, MeasuredInputsMayBeLateByTheUncertainty) {
    m_trace.origin = TraceOrigin::measured;
    const Trace early = with("E0", [](Span& span) { span.ready = span.submitted = span.begin = instantFromNs(34); });
    expectRejected(early, ContractRule::inputs);
    m_trace = early;
    m_trace.clockUncertainty[2] = Duration(1);
    expectRight(m_trace);
}

TEST_F(Contract, RejectsAMissingSpan) {
    expectRejected(without("rD0"), ContractRule::inputs);
    expectRejected(without("rD0"), ContractRule::chain);
    expectRejected(without("A1"), ContractRule::chain);
    expectRejected(without("wE1"), ContractRule::chain);
}

TEST_F(Contract, RejectsAMissingCopy) {
    expectRejected(without(">D0"), ContractRule::inputs);
    expectRejected(without("<A1"), ContractRule::inputs);
}

TEST_F(Contract, RejectsACopyOfWhatIsThere) {
    const Trace twice = traceFromText(m_plan, std::string(right) + "fake:0 upload: >D0'[25-30]\n");
    expectRejected(twice, ContractRule::copyNeeded);
}

TEST_F(Contract, RejectsACopyThatNobodyReads) {
    const Trace back = traceFromText(m_plan, std::string(right) + "fake:0 upload: >A0[40-45]\n");
    expectRejected(back, ContractRule::copyNeeded);
}

TEST_F(Contract, RejectsWrongBytes) {
    for (const std::string_view what : {">D0", "<A1", "rD0", "wE0"}) {
        expectRejected(with(what, [](Span& span) { span.bytes += ByteCount(1); }), ContractRule::bytes);
    }
    expectRejected(with("E0", [](Span& span) { span.bytes = ByteCount(1'000'000); }), ContractRule::bytes);
    expectRejected(with("E0", [](Span& span) { span.bytes = ByteCount(0); }), ContractRule::bytes);
}

TEST_F(Contract, RejectsMoreLiveBytesThanTheLimit) {
    m_trace.counters[1].samples.push_back({instantFromNs(30), 2e9});
    expectRejected(m_trace, ContractRule::liveBytes);
}

TEST_F(Contract, RejectsBuffersThatCannotFitWhateverTheCounterSays) {
    const std::size_t device = m_plan.machine->devices[2].memory.index();
    m_plan.limits.memory[device] = ByteCount(3 * 64 * 48 * 3);
    expectRight(m_trace);
    m_plan.limits.memory[device] = ByteCount(3 * 64 * 48 * 3 - 1);
    expectRejected(m_trace, ContractRule::liveBytes);
}

TEST_F(Contract, RejectsATraceWithoutCounters) {
    m_trace.counters.clear();
    expectRejected(m_trace, ContractRule::liveBytes);
    expectRejected(m_trace, ContractRule::imagesInFlight);
}

// Images.

TEST_F(Contract, RejectsTooManyImagesInFlight) {
    m_plan.limits.imagesInFlight = 1;
    expectRejected(m_trace, ContractRule::imagesInFlight);
    m_plan.limits.imagesInFlight = 2;
    expectRight(m_trace);
    m_trace.counters[0].samples.push_back({instantFromNs(30), 3});
    expectRejected(m_trace, ContractRule::imagesInFlight);
}

TEST_F(Contract, RejectsAMissingOutcome) {
    m_trace.outcomes.erase(m_trace.outcomes.begin() + 1);
    expectRejected(m_trace, ContractRule::outcomeMissing);
}

TEST_F(Contract, RejectsASecondOutcome) {
    m_trace.outcomes.insert(m_trace.outcomes.begin(),
                            {m_trace.outcomes[0].image, m_trace.outcomes[0].stage, OutcomeKind::failed});
    expectRejected(m_trace, ContractRule::outcomeTwice);
}

TEST_F(Contract, RejectsAnOutcomeAfterTheImagesEnd) {
    std::rotate(m_trace.outcomes.begin(), m_trace.outcomes.begin() + 1, m_trace.outcomes.end());
    expectRejected(m_trace, ContractRule::outcomeLate);
}

TEST_F(Contract, RejectsMissingDoubledAndEarlyEnds) {
    Trace trace = m_trace;
    trace.imageEnds.pop_back();
    expectRejected(trace, ContractRule::imageEnd);
    trace = m_trace;
    trace.imageEnds.push_back(trace.imageEnds.back());
    expectRejected(trace, ContractRule::imageEnd);
    trace = m_trace;
    trace.imageEnds[0].when = instantFromNs(49);
    expectRejected(trace, ContractRule::imageEnd);
    trace = m_trace;
    trace.imageEnds[1].when = instantFromNs(63);
    expectRejected(trace, ContractRule::range);
}

TEST_F(Contract, AnImageThatCannotBeReadIsNotDone) {
    RigPlan description = rig(onDevice, 2);
    description.unreadable = {1};
    const Plan plan = makePlanOf(description);
    const auto simulated = simulate(plan, RigCosts());
    ASSERT_TRUE(simulated.ok());
    EXPECT_EQ(contractText(checkContract(plan, *simulated)), "");
    Trace trace = *simulated;
    for (Outcome& outcome : trace.outcomes) outcome.kind = OutcomeKind::done;
    expectRejected(plan, trace, ContractRule::chain);
}

// Attempts.

TEST_F(Contract, RejectsADoneStageWhoseOnlyAttemptIsSuperseded) {
    const Trace trace = traceFromText(m_plan, std::string(right) + "superseded: A1 refused 35\n");
    expectRejected(trace, ContractRule::chain);
    expectRejected(trace, ContractRule::inputs);
}

TEST_F(Contract, AcceptsASecondAttemptElsewhere) {
    const std::string retry = "read: rD0[0-5] rD1[5-10]\n"
                              "worker 1: D0[5-15] E0[35-45]\n"
                              "worker 2: D1[10-20] A1'[36-44 <A1] E1[45-55]\n"
                              "fake:0 upload: >D0[15-20] >D1[20-25]\n"
                              "fake:0 compute: A0[20-30] A1[30-35]\n"
                              "fake:0 download: <A0[30-35]\n"
                              "write: wE0[45-50] wE1[55-60]\n";
    const Trace trace = traceFromText(m_plan, retry + "superseded: A1 refused 35\n");
    expectRight(trace);
    expectRejected(traceFromText(m_plan, retry), ContractRule::repeated);
}

TEST_F(Contract, WhatALostDeviceMadeCountsUntilThen) {
    const auto lost = [&](const char* when) {
        return traceFromText(m_plan, std::string(right) + "superseded: A1 deviceLost " + when + "\n");
    };
    // Nothing but the missing attempt is wrong when the device is lost after the download.
    for (const ContractViolation& violation : checkContract(m_plan, lost("41")))
        EXPECT_EQ(violation.rule, ContractRule::chain);
    expectRejected(lost("36"), ContractRule::chain);
    expectRejected(lost("35"), ContractRule::inputs);
}

TEST_F(Contract, RejectsWorkOnALostDevice) {
    const Trace trace = traceFromText(m_plan, std::string(right) + "superseded: A0 deviceLost 30\n");
    expectRejected(trace, ContractRule::lostDevice);
}

TEST_F(Contract, RejectsRecordsThatCannotBe) {
    expectRejected(traceFromText(m_plan, std::string(right) + "superseded: A1 failed 29\n"), ContractRule::superseded);
    expectRejected(traceFromText(m_plan, std::string(right) + "superseded: A1 failed 63\n"), ContractRule::superseded);
    Trace trace = traceFromText(m_plan, std::string(right) + "superseded: A1 failed 35\n");
    trace.superseded[0].image = ImageIndex(std::size_t{0});
    expectRejected(trace, ContractRule::superseded);
}

TEST_F(Contract, RejectsAStepThatCountsTwice) {
    const Trace trace = traceFromText(m_plan, std::string(right) + "fake:0 compute: A0'[35-40]\n");
    expectRejected(trace, ContractRule::repeated);
}

}  // namespace
}  // namespace lanewright::test
