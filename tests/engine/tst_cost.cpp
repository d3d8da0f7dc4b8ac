// SPDX-License-Identifier: GPL-3.0-or-later
// The cost model: answers from near to far, taught by runs whose true costs are known, and kept in a file.
#include "engine/cost/cost_model.h"
#include "engine/cost/cost_store.h"
#include "engine/cost/load.h"
#include "engine/cost/subject.h"
#include "engine/files/files.h"
#include "engine/run/simulator.h"
#include "tests/support/plan_rig.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <random>

namespace lanewright {
namespace {

using test::makeRigPlan;
using test::RigMachine;
using test::RigPlan;

// Loads.

Machine twoCores() {
    Machine machine = test::rigMachine({.workers = 3, .fakeDevices = 0});
    machine.groups.push_back({"cores", GroupRule::shared, 2, {{LaneId(0), 1}, {LaneId(1), 1}, {LaneId(2), 2}}});
    machine.fingerprint = "rig";
    return machine;
}

Trace traceOf(const Machine& machine, const std::vector<Span>& spans) {
    Trace trace;
    trace.machine = std::make_shared<Machine>(machine);
    trace.chunks.push_back(std::make_shared<const SpanChunk>(spans));
    trace.end = Instant(Duration(1'000'000'000));
    return trace;
}

Span spanOf(std::size_t lane, std::int64_t beginMs, std::int64_t endMs) {
    Span span;
    span.lane = static_cast<std::uint16_t>(lane);
    span.begin = instantFromNs(beginMs * 1'000'000);
    span.end = instantFromNs(endMs * 1'000'000);
    span.step = StepId(lane);
    return span;
}

TEST(LaneLoad, StretchingIsUndone) {
    const Machine machine = twoCores();
    // Two workers fit; with the third lane (which asks for both cores) from 10 to 30 ms all run at half rate.
    const LaneLoad load(machine, traceOf(machine, {spanOf(0, 0, 40), spanOf(1, 0, 40), spanOf(2, 10, 30)}));
    const auto effective = [&](std::size_t lane, std::int64_t from, std::int64_t to) {
        return load.effectiveSeconds(LaneId(lane), instantFromNs(from * 1'000'000), instantFromNs(to * 1'000'000)) *
               1e3;
    };
    EXPECT_NEAR(effective(0, 0, 40), 30, 1e-6);
    EXPECT_NEAR(effective(2, 10, 30), 10, 1e-6);
    EXPECT_NEAR(effective(0, 0, 10), 10, 1e-6);
    EXPECT_NEAR(effective(1, 15, 20), 2.5, 1e-6);
    EXPECT_NEAR(effective(0, 35, 50), 15, 1e-6);
    EXPECT_NEAR(effective(3, 0, 40), 40, 1e-6) << "storage is in no group";
}

TEST(LaneLoad, AnEmptyTraceChangesNothing) {
    const Machine machine = twoCores();
    const LaneLoad load(machine, traceOf(machine, {}));
    EXPECT_EQ(load.effectiveSeconds(LaneId(0), instantFromNs(0), instantFromNs(1'000'000'000)), 1);
}

// The model.

/// What things really cost in these tests: a factor on the estimate that depends on operation, device and size, and a
/// spread. The model must find out.
class TrueCosts : public CostModel {
public:
    CostEstimate cost(const StepQuery& query) const override {
        const CostSubject subject = subjectOf(query);
        double factor = subject.work == "test_add" ? 3 : subject.work == "test_source" ? 7 : 0.6;
        if (query.kind == DeviceKind::fake) factor *= 0.5;
        if (query.stepTemplate->kind == TemplateKind::copy) factor = 2;
        factor *= std::pow(subject.features.work / 1e-3, -0.05);  // large images are a little cheaper
        CostEstimate estimate;
        estimate.duration = durationFromSeconds(factor * subject.features.work);
        estimate.relativeSpread = 0.15;
        return estimate;
    }
    ByteCount encodedBytes(const StepQuery& query) const override {
        return ByteCount(static_cast<std::uint64_t>(rawBytesOf(query) / 3));
    }
};

const char* const onCpu = "in:test_source; add:test_add<in; more:test_add<add; out:test_sink<more";
const char* const onBoth = "in:test_source; add:test_add<in@fake:0; more:test_add<add@cpu; out:test_sink<more";

Plan planOf(const char* stages, std::size_t images = 12, std::int32_t width = 2000, std::int32_t height = 1500) {
    RigPlan description;
    description.stages = stages;
    description.images = images;
    description.width = width;
    description.height = height;
    description.machine = {.workers = 2, .fakeDevices = 1};
    auto plan = makeRigPlan(description);
    EXPECT_TRUE(plan.ok());
    Plan made = std::move(plan).value();
    Machine machine = *made.machine;
    machine.fingerprint = "rig";
    machine.groups.push_back({"cores", GroupRule::shared, 1.5, {{LaneId(0), 1}, {LaneId(1), 1}}});
    made.machine = std::make_shared<Machine>(std::move(machine));
    return made;
}

/// A run of the plan, as if it had been measured.
Trace measuredRun(const Plan& plan, std::uint64_t seed) {
    auto trace = simulate(plan, TrueCosts(), {.seed = seed, .stop = {}});
    EXPECT_TRUE(trace.ok());
    trace->origin = TraceOrigin::measured;
    return std::move(trace).value();
}

double secondsOf(const Trace& trace) { return toSeconds(trace.makespan()); }

double predictionError(const Plan& plan, const CostModel& model, std::uint64_t seed) {
    const auto predicted = simulate(plan, model);
    EXPECT_TRUE(predicted.ok());
    const double measured = secondsOf(measuredRun(plan, seed));
    return std::abs(secondsOf(*predicted) - measured) / measured;
}

/// The estimate for the first template whose name begins so.
CostEstimate estimateOf(const Plan& plan, const CostModel& model, std::string_view name, const char* device = "cpu") {
    for (const StepTemplate& step : plan.templates) {
        if (!step.name.starts_with(name)) continue;
        QueryScratch scratch;
        const ImageShapes shapes = shapesOf(plan, ImageIndex(0), nullptr);
        const DeviceId id = *plan.machine->findDevice(device);
        return model.cost(makeQuery(plan, step, ImageIndex(0), shapes, id, {}, scratch));
    }
    ADD_FAILURE() << "no template " << name;
    return {};
}

TEST(MeasuredCosts, BeforeAnyRunEstimatesAreGuesses) {
    const Plan plan = planOf(onCpu);
    const MeasuredCostModel model(*plan.machine);
    const CostEstimate add = estimateOf(plan, model, "add");
    EXPECT_EQ(add.source, CostSource::guessed);
    EXPECT_GT(add.duration.count(), 0);
    EXPECT_GT(add.relativeSpread, 0.3);
    const Plan larger = planOf(onCpu, 12, 4000, 3000);
    EXPECT_NEAR(toSeconds(estimateOf(larger, model, "add").duration), 4 * toSeconds(add.duration), 1e-5);
    EXPECT_TRUE(simulate(plan, model).ok());
}

TEST(MeasuredCosts, ASecondRunOfThePlanIsPredicted) {
    for (const char* stages : {onCpu, onBoth}) {
        const Plan plan = planOf(stages);
        MeasuredCostModel model(*plan.machine);
        EXPECT_GT(predictionError(plan, model, 1), 0.3) << "the true costs are too easy to guess";
        model.learn(plan, measuredRun(plan, 1));
        EXPECT_EQ(estimateOf(plan, model, "add", stages == onCpu ? "cpu" : "fake:0").source, CostSource::measured);
        EXPECT_LT(predictionError(plan, model, 2), 0.08) << stages;
    }
}

TEST(MeasuredCosts, PlansNeverRunBeforeArePredicted) {
    const Plan cpu = planOf(onCpu);
    const Plan both = planOf(onBoth);
    MeasuredCostModel model(*cpu.machine);
    model.learn(cpu, measuredRun(cpu, 1));
    EXPECT_LT(predictionError(planOf(onCpu, 40), model, 2), 0.1) << "another count";
    EXPECT_LT(predictionError(planOf(onCpu, 12, 1000, 750), model, 2), 0.15) << "another size";
    EXPECT_LT(predictionError(planOf(onCpu, 12, 4000, 3000), model, 2), 0.15) << "another size";
    model.learn(both, measuredRun(both, 3));
    const Plan other =
        planOf("in:test_source; add:test_add<in@cpu; more:test_add<add@fake:0; out:test_sink<more", 20, 3000, 2000);
    EXPECT_LT(predictionError(other, model, 4), 0.15) << "another placement, size and count";
}

TEST(MeasuredCosts, AnswersAreFetchedFromNearToFar) {
    const Plan cpu = planOf(onCpu);
    const Plan both = planOf(onBoth);
    MeasuredCostModel model(*cpu.machine);
    const double guess = toSeconds(estimateOf(both, model, "add", "fake:0").duration);
    model.learn(cpu, measuredRun(cpu, 1));
    const CostEstimate elsewhere = estimateOf(both, model, "add", "fake:0");
    EXPECT_EQ(elsewhere.source, CostSource::interpolated) << "known from another device";
    EXPECT_GT(elsewhere.relativeSpread, 0.3);
    EXPECT_GT(toSeconds(elsewhere.duration), guess) << "this operation is harder than its estimate";
    EXPECT_EQ(estimateOf(planOf(onCpu, 1, 100, 75), model, "add").source, CostSource::interpolated);
    const Plan slow = planOf("in:test_source; slow:test_slow<in; out:test_sink<slow");
    EXPECT_EQ(estimateOf(slow, model, "slow").source, CostSource::guessed);
}

TEST(MeasuredCosts, EncodersTellHowMuchTheyWrite) {
    const Plan plan = planOf(onCpu);
    MeasuredCostModel model(*plan.machine);
    const auto bytes = [&](const Plan& of) {
        for (const StepTemplate& step : of.templates) {
            if (step.name != "out") continue;
            QueryScratch scratch;
            const ImageShapes shapes = shapesOf(of, ImageIndex(0), nullptr);
            const StepQuery query = makeQuery(of, step, ImageIndex(0), shapes, of.machine->hostDevice, {}, scratch);
            return static_cast<double>(model.encodedBytes(query).value) / rawBytesOf(query);
        }
        return 0.0;
    };
    EXPECT_GT(bytes(plan), 0);
    model.learn(plan, measuredRun(plan, 1));
    EXPECT_NEAR(bytes(plan), 1.0 / 3, 0.01);
    EXPECT_NEAR(bytes(planOf(onCpu, 1, 500, 400)), 1.0 / 3, 0.01);
}

/// All spans of the trace for which `chosen`, through `edit`.
template <class Chosen, class Edit>
void editSpans(Trace& trace, Chosen chosen, Edit edit) {
    for (auto& chunk : trace.chunks) {
        SpanChunk edited = *chunk;
        for (Span& span : edited) {
            if (chosen(span)) edit(span);
        }
        chunk = std::make_shared<const SpanChunk>(std::move(edited));
    }
}

TEST(MeasuredCosts, WhatDidNotEndWellTeachesNothing) {
    const Plan plan = planOf(onCpu);
    const auto taught = [&](auto spoil) {
        Trace trace = measuredRun(plan, 1);
        spoil(trace);
        MeasuredCostModel model(*plan.machine);
        model.learn(plan, trace);
        return toSeconds(estimateOf(plan, model, "add").duration);
    };
    const double good = taught([](Trace&) {});
    const auto isAdd = [&](const Trace& trace, const Span& span) {
        return trace.templates[span.stepTemplate].name == "add";
    };
    const auto shorten = [](Span& span) { span.end = span.begin + (span.end - span.begin) * 2 / 3; };
    EXPECT_LT(taught([&](Trace& trace) {
                  editSpans(
                      trace, [&](const Span& span) { return isAdd(trace, span) && span.image.index() < 8; }, shorten);
              }),
              good * 0.95)
        << "the edit does nothing";
    EXPECT_NEAR(taught([&](Trace& trace) {
                    editSpans(
                        trace, [&](const Span& span) { return isAdd(trace, span) && span.image.index() < 8; },
                        [&](Span& span) {
                            shorten(span);
                            trace.superseded.push_back({span.step, 0, {"attempt.deviceLost", {}}, {}, {}});
                        });
                }),
                good, good * 0.05);
    EXPECT_NEAR(taught([&](Trace& trace) {
                    editSpans(
                        trace, [&](const Span& span) { return isAdd(trace, span) && span.image.index() < 8; },
                        [&](Span& span) {
                            shorten(span);
                            trace.outcomes.push_back({span.image, StageIndex(1), OutcomeKind::failed});
                        });
                }),
                good, good * 0.05);
    EXPECT_NEAR(taught([](Trace& trace) { trace.origin = TraceOrigin::simulated; }),
                toSeconds(estimateOf(plan, MeasuredCostModel(*plan.machine), "add").duration), 1e-9);
}

TEST(MeasuredCosts, PartsOfAStepAreAddedUpAndBatchesTakenApart) {
    const Plan plan = planOf(onCpu, 2);
    TemplateId add;
    for (std::size_t i = 0; i < plan.templates.size(); ++i) {
        if (plan.templates[i].name == "add") add = TemplateId(i);
    }
    const auto taught = [&](std::vector<Span> spans, std::vector<Batch> batches) {
        for (Span& span : spans) {
            span.stepTemplate = static_cast<std::uint16_t>(add.value);
            span.image = ImageIndex(0);
            span.step = StepId(5);
        }
        Trace trace = traceOf(*plan.machine, spans);
        trace.batches = std::move(batches);
        MeasuredCostModel model(*plan.machine);
        model.learn(plan, trace);
        return toMs(estimateOf(plan, model, "add").duration);
    };
    EXPECT_NEAR(taught({spanOf(0, 10, 30)}, {}), 20, 0.01);
    // One after the other, so that the group does not stretch them.
    EXPECT_NEAR(taught({spanOf(0, 10, 20), spanOf(1, 20, 32)}, {}), 22, 0.01);
    // Together they ask for 2 of 1.5 cores: 12 ms beside each other are 9 ms each alone.
    EXPECT_NEAR(taught({spanOf(0, 10, 22), spanOf(1, 10, 22)}, {}), 18, 0.01);
    EXPECT_NEAR(taught({spanOf(0, 10, 30)}, {{StepId(5), {ImageIndex(0), ImageIndex(1)}}}), 10, 0.01);
}

TEST(MeasuredCosts, WhatWasLearnedIsKept) {
    const test::TemporaryFolder folder;
    const Plan plan = planOf(onBoth);
    MeasuredCostModel model(*plan.machine, folder.path());
    model.learn(plan, measuredRun(plan, 1));
    ASSERT_TRUE(model.save().ok());
    const CostEstimate before = estimateOf(plan, model, "add", "fake:0");
    const MeasuredCostModel again(*plan.machine, folder.path());
    const CostEstimate after = estimateOf(plan, again, "add", "fake:0");
    EXPECT_EQ(after.source, CostSource::measured);
    EXPECT_NEAR(toSeconds(after.duration), toSeconds(before.duration), toSeconds(before.duration) * 0.001);
    EXPECT_EQ(after.samples, before.samples);
    Machine other = *plan.machine;
    other.fingerprint = "another machine";
    EXPECT_EQ(estimateOf(plan, MeasuredCostModel(other, folder.path()), "add", "fake:0").source, CostSource::guessed);
}

TEST(MeasuredCosts, ADamagedFileStartsAnew) {
    const test::TemporaryFolder folder;
    const Plan plan = planOf(onCpu);
    const auto file = costFile(folder.path(), "rig");
    MeasuredCostModel model(*plan.machine, folder.path());
    model.learn(plan, measuredRun(plan, 1));
    ASSERT_TRUE(model.save().ok());
    const std::string good = *readTextFile(file);
    for (std::string bad : {std::string(), std::string("{"), good.substr(0, good.size() / 2), std::string(100, '\0'),
                            std::string(good).replace(good.find("\"stamp\":1"), 9, "\"stamp\":-1"),
                            std::string(good).replace(good.find("\"version\":1"), 11, "\"version\":9")}) {
        ASSERT_TRUE(saveFile(file, bad).ok());
        EXPECT_EQ(estimateOf(plan, MeasuredCostModel(*plan.machine, folder.path()), "add").source, CostSource::guessed)
            << bad;
        MeasuredCostModel repaired(*plan.machine, folder.path());
        EXPECT_TRUE(repaired.save().ok());
    }
    const MeasuredCostModel nowhere(*plan.machine, "/proc/no/such/folder");
    EXPECT_EQ(nowhere.save().error().id, "file.unwritable");
    EXPECT_TRUE(MeasuredCostModel(*plan.machine).save().ok()) << "without a folder nothing is kept";
}

TEST(MeasuredCosts, TheFileStaysSmall) {
    const test::TemporaryFolder folder;
    CostMemory memory;
    std::mt19937 random(1);
    for (std::uint64_t run = 1; run <= 12; ++run) {
        for (int i = 0; i < 4000; ++i) {
            CostSubject subject;
            subject.device = "cpu some processor with a rather long name " + std::to_string(random() % 3);
            subject.work = "operation " + std::to_string(random() % 40);
            subject.variant = "jpeg, RGB 8-bit, lanczos3, on " + std::to_string(run);
            subject.features = {std::exp(static_cast<double>(random() % 10000) / 1000 - 8), 0, {1024, 768, 1.5}};
            memory.durations.learn(subject, 1 + static_cast<double>(random() % 1000) / 777, run);
        }
        memory.durations.prune();
    }
    const auto file = costFile(folder.path(), "x");
    ASSERT_TRUE(writeCosts(memory, file, "x").ok());
    std::size_t clusters = 0;
    for (const auto& [device, works] : memory.durations.devices()) {
        for (const auto& [work, variants] : works) {
            for (const auto& [variant, record] : variants) {
                clusters += record.clusters().size();
                for (const CostCluster& cluster : record.clusters())
                    EXPECT_GE(cluster.stamp(), 10U) << "old ones go first";
            }
        }
    }
    EXPECT_EQ(clusters, CostTable::mostClusters);
    EXPECT_LT(std::filesystem::file_size(file), 1'500'000U);
    EXPECT_GT(std::filesystem::file_size(file), 100'000U);
}

TEST(MeasuredCosts, AnAnswerIsQuick) {
    const Plan plan = planOf(onCpu);
    MeasuredCostModel model(*plan.machine);
    model.learn(plan, measuredRun(plan, 1));
    const ImageShapes shapes = shapesOf(plan, ImageIndex(0), nullptr);
    QueryScratch scratch;
    const StepTemplate& step = plan.templates[1];
    const StepQuery query = makeQuery(plan, step, ImageIndex(0), shapes, plan.machine->hostDevice, {}, scratch);
    constexpr int count = 20000;
    std::int64_t sum = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) sum += model.cost(query).duration.count();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_GT(sum, 0);
    RecordProperty("ns_per_answer", static_cast<int>(took.count() / count * 1e9));
    EXPECT_LT(took.count() / count, 20e-6) << "well above what it takes, for sanitizers and busy machines";
}

}  // namespace
}  // namespace lanewright
