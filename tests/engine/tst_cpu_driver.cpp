// SPDX-License-Identifier: GPL-3.0-or-later
// Discovery of the host and its driver: limits of affinity and cgroups, one lane, rows over several, failures, order.
#include "engine/devices/backends.h"
#include "engine/devices/cpu_driver.h"
#include "engine/devices/host_limits.h"
#include "tests/engine/recorded_events.h"
#include "tests/engine/work_orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace lanewright::test {
namespace {

namespace fs = std::filesystem;

/// A folder that looks like the root of a system.
class Root {
public:
    Root() : m_folder(fs::temp_directory_path() / ("lanewright-root-" + std::to_string(::getpid()))) {
        write("proc/cpuinfo", "processor : 0\nmodel name\t: Slide Rule 9000\ncpu MHz : 1234.5\n");
        write("proc/meminfo", "MemTotal: 4000000 kB\nMemAvailable:    2000000 kB\n");
        write("proc/self/cgroup", "");
    }
    ~Root() { fs::remove_all(m_folder); }
    void write(const std::string& file, const std::string& text) const {
        fs::create_directories((m_folder / file).parent_path());
        std::ofstream(m_folder / file) << text;
    }
    HostLimits limits() const { return readHostLimits(m_folder); }

private:
    fs::path m_folder;
};

TEST(HostLimits, WithoutCgroupsAffinityAndMeminfoCount) {
    const HostLimits limits = Root().limits();
    EXPECT_EQ(limits.model, "Slide Rule 9000");
    EXPECT_DOUBLE_EQ(limits.megahertz, 1234.5);
    EXPECT_GE(limits.processors, 1);
    EXPECT_EQ(limits.memory.value, 2000000ULL * 1024);
}

TEST(HostLimits, QuotaOfAParentGroupCounts) {
    const Root root;
    root.write("proc/self/cgroup", "0::/outer/inner\n");
    root.write("sys/fs/cgroup/outer/cpu.max", "50000 100000\n");
    root.write("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
    const HostLimits limits = root.limits();
    EXPECT_DOUBLE_EQ(limits.capacity, 0.5);
    EXPECT_EQ(limits.processors, 1);
}

TEST(HostLimits, Version1Quota) {
    const Root root;
    root.write("proc/self/cgroup", "4:memory:/jobs\n2:cpu,cpuacct:/jobs\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_quota_us", "75000\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_period_us", "100000\n");
    root.write("sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "1000000\n");
    root.write("sys/fs/cgroup/memory/jobs/memory.usage_in_bytes", "400000\n");
    root.write("sys/fs/cgroup/memory/jobs/memory.stat", "cache 1\ntotal_inactive_file 100000\n");
    const HostLimits limits = root.limits();
    EXPECT_DOUBLE_EQ(limits.capacity, 0.75);
    EXPECT_EQ(limits.memory.value, 700000U);
}

TEST(HostLimits, Version2MemoryCountsCachesAsFree) {
    const Root root;
    root.write("proc/self/cgroup", "0::/\n");
    root.write("sys/fs/cgroup/memory.max", "1000000\n");
    root.write("sys/fs/cgroup/memory.current", "900000\n");
    root.write("sys/fs/cgroup/memory.stat", "anon 100000\ninactive_file 800000\n");
    EXPECT_EQ(root.limits().memory.value, 900000U);
}

TEST(Discovery, FindsTheHost) {
    const Machine machine = discoverMachine(Catalog(), {3});
    const Device& cpu = machine.device(machine.hostDevice);
    EXPECT_EQ(cpu.name, "cpu");
    EXPECT_FALSE(cpu.label.empty());
    EXPECT_EQ(cpu.lanes.size(), 3U);
    EXPECT_EQ(machine.lane(cpu.lanes[2]).name, "worker 3");
    EXPECT_GT(machine.memory(machine.hostMemory).budget.value, 0U);
    EXPECT_EQ(machine.device(machine.storageDevice).lanes.size(), 2U);
    ASSERT_FALSE(machine.groups.empty());
    EXPECT_EQ(machine.groups[0].name, "cores");
    EXPECT_GE(machine.groups[0].members.size(), 3U);
    EXPECT_NE(machine.fingerprint.find(cpu.label), std::string::npos);
    const auto cuda = std::find_if(machine.devices.begin(), machine.devices.end(),
                                   [](const Device& device) { return device.name == "cuda:0"; });
    ASSERT_NE(cuda, machine.devices.end());
    EXPECT_TRUE(cuda->absent);
}

/// Throws, or reports a failure, as its kind says.
class BadKernel final : public CpuKernel {
public:
    Result<std::unique_ptr<State>> begin(const OperationCall&) const override {
        if (failsToBegin) return Message{"image.damaged", {}};
        return std::make_unique<State>();
    }
    Status run(State& state, std::span<const PortView>, std::span<const MutablePortView>, RowRange) const override {
        if (throws) throw std::runtime_error("libfoo gave up");
        state.warnings.push_back({"image.truncated", {}});
        return {};
    }
    RowRange rowsNeeded(const State&, std::size_t, RowRange rows) const override { return rows; }
    bool failsToBegin = false;
    bool throws = false;
};

class BadOperation final : public Operation {
public:
    std::string_view operationName() const override { return "bad"; }
    Result<std::vector<PortShape>> outputShapes(const OperationCall& call) const override {
        return std::vector<PortShape>(call.inputs.begin(), call.inputs.end());
    }
    WorkEstimate work(const OperationCall&) const override { return {}; }
    const CpuKernel* cpuKernel() const override { return &kernel; }
    Status reference(const OperationCall&, std::span<const PortView>, std::span<const MutablePortView>) const override {
        return {};
    }
    BadKernel kernel;
};

class CpuDriverTest : public ::testing::Test {
protected:
    CpuDriverTest() {
        m_driver = makeCpuDriver(m_machine, m_machine.hostDevice);
        EXPECT_TRUE(m_driver->open(m_events, {}).ok());
    }
    ~CpuDriverTest() override { m_driver->close(); }

    std::vector<LaneId> lanes(std::size_t count) const {
        const auto& all = m_machine.device(m_machine.hostDevice).lanes;
        return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
    }
    WorkOrderPtr badOrder(const BadOperation& operation) {
        auto order = operationOrder(StepId(0), *m_catalog.find("test_add"), m_none, lanes(2),
                                    {filledPort(*m_driver, m_shape, 0)}, {makePort(*m_driver, m_shape)});
        order->operation = &operation;
        return order;
    }

    const Catalog m_catalog = makeTestCatalog();
    const Machine m_machine = discoverMachine(m_catalog, {3});
    const ImageShape m_shape{67, 31, rgb8};
    const Parameters m_none;
    RecordedEvents m_events;
    std::unique_ptr<DeviceDriver> m_driver;
};

TEST_F(CpuDriverTest, RunsAnOperationOnOneLane) {
    const StageKind& add = *m_catalog.find("test_add");
    const Parameters parameters = withParameter(add, "value", std::int64_t{5});
    const BoundPort out = makePort(*m_driver, m_shape);
    m_driver->submit(operationOrder(StepId(7), add, parameters, lanes(1), {filledPort(*m_driver, m_shape, 10)}, {out}));
    const auto report = m_events.report(StepId(7));
    ASSERT_TRUE(report);
    ASSERT_EQ(report->results.size(), 1U);
    EXPECT_TRUE(std::holds_alternative<StepDone>(report->results[0]));
    ASSERT_EQ(report->parts.size(), 1U);
    EXPECT_EQ(report->parts[0].lane, lanes(1)[0]);
    EXPECT_LE(report->parts[0].begin, report->parts[0].end);
    EXPECT_EQ(out.buffer->hostData()[0], std::byte{15});
}

TEST_F(CpuDriverTest, SplitsRowsOverLanes) {
    const StageKind& slow = *m_catalog.find("test_slow");
    const Parameters parameters = withParameter(slow, "milliseconds", 120.0);
    const BoundPort in = filledPort(*m_driver, m_shape, 77);
    const BoundPort out = filledPort(*m_driver, m_shape, 0);
    m_driver->submit(operationOrder(StepId(0), slow, parameters, lanes(3), {in}, {out}));
    const auto report = m_events.report(StepId(0));
    ASSERT_TRUE(report);
    ASSERT_EQ(report->parts.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t k = 0; k < i; ++k) EXPECT_NE(report->parts[i].lane, report->parts[k].lane);
        EXPECT_LT(toMs(report->parts[i].end - report->parts[i].begin), 110);  // a third of 120, not 120
    }
    const auto view = imageViewOf(m_shape, out.buffer->hostData()).planes[0];
    for (std::int32_t y = 0; y < m_shape.height; ++y) {
        for (std::size_t x = 0; x < view.shape.rowBytes(); ++x) ASSERT_EQ(view.row(y)[x], std::byte{77});
    }
}

TEST_F(CpuDriverTest, InOrderKernelsTakeOneLane) {
    const StageKind& sink = *m_catalog.find("test_sink");
    const Parameters parameters(sink.description().parameters);
    const BoundPort out = makePort(*m_driver, BytesShape{ByteCount(100000)});
    m_driver->submit(operationOrder(StepId(0), sink, parameters, lanes(3), {filledPort(*m_driver, m_shape, 1)}, {out}));
    const auto report = m_events.report(StepId(0));
    ASSERT_TRUE(report);
    ASSERT_TRUE(std::holds_alternative<StepDone>(report->results[0]));
    EXPECT_EQ(std::get<StepDone>(report->results[0]).actualBytes.value, 9U + 67 * 31 * 3);
    EXPECT_LE(report->parts.size(), 2U);  // of who prepared and of the first lane
}

TEST_F(CpuDriverTest, ExceptionsOfKernelsBecomeFailures) {
    BadOperation operation;
    operation.kernel.throws = true;
    m_driver->submit(badOrder(operation));
    const auto report = m_events.report(StepId(0));
    ASSERT_TRUE(report);
    const auto* failed = std::get_if<StepFailed>(&report->results[0]);
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->reason.id, "device.exception");
    EXPECT_EQ(failed->reason.argument("what"), "libfoo gave up");
}

TEST_F(CpuDriverTest, WhatMakesAnImageImpossibleFailsIt) {
    BadOperation operation;
    operation.kernel.failsToBegin = true;
    m_driver->submit(badOrder(operation));
    const auto report = m_events.report(StepId(0));
    ASSERT_TRUE(report);
    ASSERT_TRUE(std::holds_alternative<StepFailed>(report->results[0]));
    EXPECT_EQ(std::get<StepFailed>(report->results[0]).reason.id, "image.damaged");
}

TEST_F(CpuDriverTest, WarningsComeWithTheReport) {
    const BadOperation operation;
    auto order = badOrder(operation);
    order->lanes.resize(1);
    m_driver->submit(std::move(order));
    const auto report = m_events.report(StepId(0));
    ASSERT_TRUE(report);
    ASSERT_EQ(report->warnings.size(), 1U);
    ASSERT_EQ(report->warnings[0].size(), 1U);
    EXPECT_EQ(report->warnings[0][0].id, "image.truncated");
}

TEST_F(CpuDriverTest, QueuedStepsWaitForWhatTheyDependOnAndCanBeRevoked) {
    const StageKind& slow = *m_catalog.find("test_slow");
    const Parameters parameters = withParameter(slow, "milliseconds", 50.0);
    const auto order = [&](std::size_t step, std::size_t lane) {
        return operationOrder(StepId(step), slow, parameters, {lanes(3)[lane]}, {filledPort(*m_driver, m_shape, 1)},
                              {makePort(*m_driver, m_shape)});
    };
    m_driver->submit(order(0, 0));
    auto dependent = order(1, 1);
    dependent->after = {StepId(0)};
    m_driver->submit(std::move(dependent));
    m_driver->submit(order(2, 0));
    ASSERT_TRUE(m_events.awaitStarted(StepId(0)));
    EXPECT_FALSE(m_driver->revoke(StepId(0)));
    EXPECT_TRUE(m_driver->revoke(StepId(2)));
    EXPECT_FALSE(m_driver->revoke(StepId(2)));
    const auto first = m_events.report(StepId(0));
    const auto second = m_events.report(StepId(1));
    ASSERT_TRUE(first && second);
    EXPECT_GE(second->parts[0].begin, first->parts[0].end);
    m_driver->close();
    EXPECT_FALSE(m_events.hasReport(StepId(2)));
}

TEST_F(CpuDriverTest, SetUpTouchesFramesOnAsManyLanesAsThereAreImages) {
    const StageKind& add = *m_catalog.find("test_add");
    const std::vector<SetupItem> items = {{&add, &m_none, {m_shape}, {ImageShape{1000, 1000, rgb8}}, "add", 2}};
    const auto driver = makeCpuDriver(m_machine, m_machine.hostDevice);
    const auto spans = driver->open(m_events, items);
    ASSERT_TRUE(spans.ok());
    ASSERT_EQ((*spans).size(), 2U);
    EXPECT_EQ((*spans)[0].name, "first touch");
    EXPECT_LE((*spans)[0].begin, (*spans)[0].end);
    driver->close();
}

}  // namespace
}  // namespace lanewright::test
