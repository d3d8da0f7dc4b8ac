// SPDX-License-Identifier: GPL-3.0-or-later
// Photos through the real stages on the machine that is here: CPU, an OpenCL device, both; traces that hold the contract.
#include "engine/devices/driver.h"
#include "engine/plan/make_plan.h"
#include "engine/run/executor.h"
#include "engine/trace/contract.h"
#include "kernels/catalog.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace lanewright::test {
namespace {

namespace fs = std::filesystem;

class RealRun : public ::testing::Test {
protected:
    bool hasOpenCl() const {
        const auto device = m_machine->findDevice("opencl:0");
        return device && !m_machine->device(*device).absent;
    }

    /// decode -> resize -> blur -> encode; resize and blur on `devices`.
    void makePlanOn(std::vector<std::string> devices, std::vector<double> shares, std::int32_t images,
                    std::int32_t batch = 1) {
        auto pipeline = std::make_shared<Pipeline>();
        for (const auto& [id, kind] : {std::pair("decode", "decode"), std::pair("resize", "resize"),
                                       std::pair("blur", "gaussian_blur"), std::pair("encode", "encode")}) {
            const StageKind* found = m_catalog.find(kind);
            ASSERT_TRUE(found);
            pipeline->stages.push_back({id, found, Parameters(found->description().parameters)});
        }
        for (std::size_t i = 0; i + 1 < 4; ++i) pipeline->edges.push_back({StageIndex(i), 0, StageIndex(i + 1), 0});
        auto input = collectInput({{}, SyntheticInput{images, 1200, 900, 7}, {}}, m_catalog, m_folder.path() / "out");
        ASSERT_TRUE(input.ok()) << input.error().id;
        PlanRequest request;
        request.pipeline = pipeline;
        request.input = std::make_shared<InputSet>(std::move(input).value());
        request.machine = m_machine;
        request.placement.stages.resize(4);
        request.placement.stages[1] = {devices, shares};
        request.placement.stages[2] = {devices, shares};
        request.settings.batch = batch;
        request.catalog = &m_catalog;
        auto plan = makePlan(request);
        ASSERT_TRUE(plan.ok()) << plan.error().id;
        m_plan = std::make_shared<const Plan>(std::move(plan).value());
    }

    ExecutionOptions options() {
        ExecutionOptions options;
        options.outputFolder = m_folder.path() / "out";
        options.outputName = [](ImageIndex image, StageIndex) {
            return fs::path(std::to_string(image.value) + ".jpg");
        };
        return options;
    }

    ExecutionResult run(const ExecutionOptions& options) {
        auto executor = Executor::open(m_plan, m_catalog, options);
        EXPECT_TRUE(executor.ok()) << executor.error().id;
        auto result = (*executor)->execute();
        EXPECT_TRUE(result.ok());
        EXPECT_EQ(contractText(checkContract(*m_plan, result->trace)), "");
        return std::move(result).value();
    }

    static std::size_t countDone(const ExecutionResult& result) {
        return static_cast<std::size_t>(
            std::count_if(result.images.begin(), result.images.end(), [](const ImageRecord& r) {
                return r.outcome == ImageOutcome::done || r.outcome == ImageOutcome::doneWithWarning;
            }));
    }
    std::size_t stepsOn(const ExecutionResult& result, const std::string& stage, const std::string& device) const {
        std::size_t count = 0;
        result.trace.forEach([&](const Span& span) {
            const TraceTemplate& what = result.trace.templates[span.stepTemplate];
            const DeviceId on = m_machine->lanes[span.lane].device;
            if (what.category == SpanCategory::stage && what.stageId == stage && m_machine->device(on).name == device)
                ++count;
        });
        return count;
    }

    const Catalog m_catalog = makeCatalog();
    const std::shared_ptr<const Machine> m_machine = std::make_shared<Machine>(discoverMachine(m_catalog, {2}));
    TemporaryFolder m_folder;
    std::shared_ptr<const Plan> m_plan;
};

TEST_F(RealRun, OnTheCpu) {
    makePlanOn({"cpu"}, {}, 6);
    const ExecutionResult result = run(options());
    EXPECT_EQ(countDone(result), 6U);
    for (std::size_t i = 0; i < 6; ++i)
        EXPECT_GT(fs::file_size(m_folder.path() / "out" / (std::to_string(i) + ".jpg")), 1000U);
}

TEST_F(RealRun, OnAnOpenClDevice) {
    if (!hasOpenCl()) GTEST_SKIP() << "no OpenCL device";
    makePlanOn({"opencl:0"}, {}, 8);
    const ExecutionResult result = run(options());
    EXPECT_EQ(countDone(result), 8U);
    EXPECT_EQ(stepsOn(result, "resize", "opencl:0"), 8U);
    EXPECT_EQ(stepsOn(result, "blur", "opencl:0"), 8U);
    EXPECT_GT(result.trace.clockUncertainty[m_machine->findDevice("opencl:0")->index()].count(), 0);
}

TEST_F(RealRun, BatchesOnAnOpenClDevice) {
    if (!hasOpenCl()) GTEST_SKIP() << "no OpenCL device";
    makePlanOn({"opencl:0"}, {}, 8, 3);
    const ExecutionResult result = run(options());
    EXPECT_EQ(countDone(result), 8U);
    // How many images join a batch depends on how busy the device is.
    for (const Batch& batch : result.trace.batches) EXPECT_LE(batch.images.size(), 3U);
}

TEST_F(RealRun, SharesOverBoth) {
    if (!hasOpenCl()) GTEST_SKIP() << "no OpenCL device";
    makePlanOn({"cpu", "opencl:0"}, {1, 1}, 10);
    const ExecutionResult result = run(options());
    EXPECT_EQ(countDone(result), 10U);
    EXPECT_EQ(stepsOn(result, "resize", "opencl:0"), 5U);
    EXPECT_EQ(stepsOn(result, "blur", "opencl:0"), 5U);
}

TEST_F(RealRun, WhicheverIsFree) {
    if (!hasOpenCl()) GTEST_SKIP() << "no OpenCL device";
    makePlanOn({"cpu", "opencl:0"}, {}, 10);
    EXPECT_EQ(countDone(run(options())), 10U);
}

TEST_F(RealRun, RepeatsAndCancel) {
    if (!hasOpenCl()) GTEST_SKIP() << "no OpenCL device";
    makePlanOn({"opencl:0"}, {}, 40);
    std::stop_source stop;
    ExecutionOptions with = options();
    with.stop = stop.get_token();
    std::thread asker([&stop] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        stop.request_stop();
    });
    const ExecutionResult result = run(with);
    asker.join();
    std::size_t partial = 0;
    if (fs::exists(m_folder.path() / "out")) {
        for (const auto& entry : fs::directory_iterator(m_folder.path() / "out")) {
            if (entry.path().extension() == ".part") ++partial;
        }
    }
    EXPECT_EQ(partial, 0U);
    EXPECT_TRUE(result.interrupted || countDone(result) == 40);
}

}  // namespace
}  // namespace lanewright::test
