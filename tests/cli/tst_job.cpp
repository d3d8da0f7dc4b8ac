// SPDX-License-Identifier: GPL-3.0-or-later
// The facade under command line and window, with real kernels: every trace it makes holds the contract.
#include "engine/run/job.h"

#include "engine/text/text.h"
#include "engine/trace/contract.h"
#include "tests/cli/cli_fixture.h"

#include <atomic>
#include <utility>

namespace lanewright::test {
namespace {

class JobTest : public CliTest {
protected:
    JobRequest request(const ChainOptions& chain = {}) const {
        auto project = readProject(writeChain(chain), cliCatalog());
        EXPECT_TRUE(project) << textOf(project.error());
        JobRequest request;
        request.project = std::move(project).value();
        request.costFolder = folder() / "costs";
        return request;
    }

    static Job prepared(JobRequest request) {
        auto job = prepareJob(std::move(request), cliCatalog());
        EXPECT_TRUE(job) << textOf(job.error());
        return job ? std::move(job).value() : Job{};
    }

    /// Runs it and checks every trace.
    static lanewright::Run ran(const Job& job) {
        auto run = runJob(job);
        EXPECT_TRUE(run) << textOf(run.error());
        if (!run) return {};
        EXPECT_TRUE(run->predicted);
        if (run->predicted) {
            EXPECT_EQ(contractText(checkContract(*job.plan, *run->predicted)), "");
        }
        EXPECT_EQ(run->measured.size(), static_cast<std::size_t>(job.plan->settings.repeat));
        for (const auto& trace : run->measured) EXPECT_EQ(contractText(checkContract(*job.plan, *trace)), "");
        return std::move(run).value();
    }

    static std::size_t count(const lanewright::Run& run, ImageOutcome outcome) {
        std::size_t found = 0;
        for (const ImageRecord& image : run.images) found += image.outcome == outcome ? 1 : 0;
        return found;
    }
};

TEST_F(JobTest, MeasuredTracesHoldTheContract) {
    writePictures(12);
    for (const Order order : {Order::dynamic, Order::planned}) {
        JobRequest wanted = request({.sizes = {48, 24}, .blur = 1});
        wanted.project.settings.order = order;
        wanted.project.settings.repeat = 2;
        const auto run = ran(prepared(std::move(wanted)));
        EXPECT_EQ(count(run, ImageOutcome::done), 12u);
        EXPECT_EQ(run.images[0].outputs.size(), 2u);
    }
}

TEST_F(JobTest, OpenClTracesHoldTheContract) {
    LANEWRIGHT_NEEDS_OPENCL();
    writePictures(12);
    for (const std::vector<double>& shares : std::vector<std::vector<double>>{{}, {1, 1}, {1, 3}}) {
        JobRequest wanted = request({.blur = 1});
        wanted.project.settings.batch = 2;
        for (const char* id : {"resize", "blur"}) {
            const auto stage = wanted.project.pipeline.find(id);
            ASSERT_TRUE(stage);
            wanted.project.placement.stages[stage->index()] = {{"cpu", "opencl:0"}, shares};
        }
        EXPECT_EQ(count(ran(prepared(std::move(wanted))), ImageOutcome::done), 12u);
    }
}

TEST_F(JobTest, DamagedImagesFailInEveryKindOfTrace) {
    writePictures(6);
    const std::string whole = readText(in() / "p000.jpg");
    writeText(in() / "short.jpg", whole.substr(0, whole.size() / 2));
    writeText(in() / "header.jpg", whole.substr(0, 30));
    const auto run = ran(prepared(request()));
    EXPECT_EQ(count(run, ImageOutcome::done), 6u);
    EXPECT_EQ(count(run, ImageOutcome::failed), 2u);
    for (const ImageRecord& image : run.images) {
        EXPECT_EQ(image.messages.empty(), image.outcome == ImageOutcome::done) << image.name;
    }
}

TEST_F(JobTest, AMachineThatIsNotHereIsSimulated) {
    writePictures(6);
    JobRequest wanted = request();
    auto machine = std::make_shared<Machine>(discoverMachine(cliCatalog()));
    machine->present = false;
    wanted.machine = machine;
    wanted.seed = 5;
    wanted.project.settings.repeat = 3;
    const Job job = prepared(wanted);
    EXPECT_TRUE(job.simulated());
    const auto run = ran(job);
    ASSERT_EQ(run.measured.size(), 3u);
    for (std::uint64_t i = 0; i < 3; ++i) {
        EXPECT_EQ(run.measured[i]->origin, TraceOrigin::simulated);
        EXPECT_EQ(run.measured[i]->seed, 5 + i);
    }
    EXPECT_FALSE(fs::exists(out()));
    EXPECT_TRUE(filesBelow(wanted.costFolder).empty()) << "nothing is learned from a simulation";
}

TEST_F(JobTest, ARunTeachesTheNextPrediction) {
    writePictures(6);
    const auto sourceOfResize = [](const Job& job) {
        for (const StepTemplate& step : job.plan->templates) {
            if (step.name != "resize") continue;
            const ImageShapes shapes = shapesOf(*job.plan, ImageIndex(0), nullptr);
            QueryScratch scratch;
            return job.costs
                ->cost(makeQuery(*job.plan, step, ImageIndex(0), shapes, job.machine->hostDevice, {}, scratch))
                .source;
        }
        ADD_FAILURE() << "no resize in the plan";
        return CostSource::guessed;
    };
    const Job first = prepared(request());
    EXPECT_EQ(sourceOfResize(first), CostSource::guessed);
    ran(first);
    EXPECT_EQ(sourceOfResize(prepared(request())), CostSource::measured);
}

TEST_F(JobTest, PhasesAndProgressAreTold) {
    writePictures(4);
    std::vector<JobPhase> phases;
    std::vector<std::int32_t> repeats;
    std::atomic<std::size_t> images = 0;
    JobEvents events;
    events.phase = [&phases](JobPhase phase) { phases.push_back(phase); };
    events.repeat = [&repeats](std::int32_t repeat) { repeats.push_back(repeat); };
    events.progress = [&images](const Progress& progress) { images = progress.images; };
    JobRequest wanted = request();
    wanted.project.settings.repeat = 2;
    const auto job = prepareJob(std::move(wanted), cliCatalog(), events);
    ASSERT_TRUE(job) << textOf(job.error());
    ASSERT_TRUE(runJob(*job, events));
    EXPECT_EQ(phases, (std::vector<JobPhase>{JobPhase::findingDevices, JobPhase::readingInput, JobPhase::planning,
                                             JobPhase::predicting, JobPhase::running}));
    EXPECT_EQ(repeats, (std::vector<std::int32_t>{0, 1}));
    EXPECT_TRUE(images == 4u || images == 0u) << images;
}

TEST_F(JobTest, AStopBeforeItStartsIsAnError) {
    writePictures(4);
    std::stop_source stop;
    stop.request_stop();
    JobEvents events;
    events.stop = stop.get_token();
    const auto job = prepareJob(request(), cliCatalog(), events);
    ASSERT_FALSE(job);
    EXPECT_EQ(job.error().id, "run.cancelled");
}

}  // namespace
}  // namespace lanewright::test
