// SPDX-License-Identifier: GPL-3.0-or-later
// The OpenCL driver on whatever OpenCL device is here (PoCL on any machine), and the map of a device's clock.
#include "engine/devices/backends.h"
#include "engine/devices/cpu_driver.h"
#include "engine/devices/device_clock.h"
#include "tests/engine/recorded_events.h"
#include "tests/engine/work_orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>

namespace lanewright::test {
namespace {

TEST(DeviceClock, MapsByOneAnchor) {
    DeviceClock clock;
    EXPECT_FALSE(clock.agrees(0, instantFromNs(0), instantFromNs(0)));
    clock.addAnchor(1000, instantFromNs(5000), instantFromNs(5400));
    EXPECT_EQ(clock.toRun(1000), instantFromNs(5200));
    EXPECT_EQ(clock.toRun(2000), instantFromNs(6200));
    EXPECT_EQ(clock.uncertainty(), Duration(200));
    EXPECT_TRUE(clock.agrees(2000, instantFromNs(6100), instantFromNs(6150)));
    EXPECT_FALSE(clock.agrees(2000, instantFromNs(8000), instantFromNs(8100)));
}

TEST(DeviceClock, TightAnchorsOutweighInterruptedOnes) {
    DeviceClock clock;
    for (int i = 0; i < 10; ++i)
        clock.addAnchor(i * 1000, instantFromNs(i * 1000 + 90), instantFromNs(i * 1000 + 1010));
    clock.addAnchor(10000, instantFromNs(10000), instantFromNs(10000 + 20'000'000));  // interrupted for 20 ms
    EXPECT_NEAR(static_cast<double>(toNs(clock.toRun(10500))), 10500 + 550, 30);
    EXPECT_LT(clock.uncertainty(), Duration(1000));
}

TEST(DeviceClock, FollowsAClockThatRunsFaster) {
    DeviceClock clock;
    std::mt19937 random(1);
    std::uniform_int_distribution<std::int64_t> delay(1000, 9000);
    // 40 millionths fast, from 5 s off, anchored every 100 ms.
    const auto ticksAt = [](std::int64_t host) { return host + 5'000'000'000 + host / 25000; };
    for (std::int64_t host = 0; host < 10'000'000'000; host += 100'000'000) {
        clock.addAnchor(ticksAt(host), instantFromNs(host - delay(random)), instantFromNs(host + delay(random)));
        if (host < 3'000'000'000) continue;
        const std::int64_t later = host + 50'000'000;
        const auto error = static_cast<double>(toNs(clock.toRun(ticksAt(later))) - later);
        EXPECT_LE(std::abs(error), static_cast<double>(clock.uncertainty().count()));
    }
    EXPECT_LT(clock.uncertainty(), Duration(20000));
}

/// Copies, order, clocks, memory. Operations with real kernels are in tst_real_run.
class OpenClTest : public ::testing::Test {
protected:
    void SetUp() override {
        const auto found = m_machine.findDevice("opencl:0");
        if (!found || m_machine.device(*found).absent) GTEST_SKIP() << "no OpenCL device";
        m_device = *found;
        m_host = makeCpuDriver(m_machine, m_machine.hostDevice);
        auto driver = openClBackend().makeDriver(m_machine, m_device, m_catalog);
        ASSERT_TRUE(driver.ok());
        m_driver = std::move(driver).value();
        const auto spans = m_driver->open(m_events, {});
        ASSERT_TRUE(spans.ok());
        ASSERT_FALSE(spans.value().empty());
        EXPECT_EQ(spans.value().front().name, "open");
    }
    void TearDown() override {
        if (m_driver) m_driver->close();
    }
    LaneId lane(LaneRole role) const { return m_machine.lanesOf(m_device, role).at(0); }

    const Catalog m_catalog;
    const Machine m_machine = discoverMachine(m_catalog, {1});
    DeviceId m_device;
    RecordedEvents m_events;
    std::unique_ptr<DeviceDriver> m_host;
    std::unique_ptr<DeviceDriver> m_driver;
};

TEST_F(OpenClTest, IsDescribed) {
    const Device& device = m_machine.device(m_device);
    EXPECT_FALSE(device.label.empty());
    EXPECT_FALSE(device.driverVersion.empty());
    EXPECT_EQ(device.lanes.size(), 3U);
    EXPECT_GT(m_machine.memory(device.memory).budget.value, 1U << 20);
    EXPECT_EQ(m_machine.route(m_machine.hostMemory, device.memory).size(), 1U);
    EXPECT_EQ(m_machine.route(device.memory, m_machine.hostMemory).size(), 1U);
}

TEST_F(OpenClTest, CopiesThereAndBackInOrderWithinTheRunsClock) {
    const ImageShape shape{640, 480, rgb8};
    std::vector<BoundPort> back;
    Instant submitted;
    for (std::size_t i = 0; i < 20; ++i) {
        const BoundPort from = filledPort(*m_host, shape, static_cast<int>(i + 1));
        const BoundPort onDevice = makePort(*m_driver, shape);
        back.push_back(filledPort(*m_host, shape, 0));
        if (i == 0) submitted = m_events.now();
        m_driver->submit(copyOrder(StepId(2 * i), lane(LaneRole::upload), true, from, onDevice));
        auto down = copyOrder(StepId(2 * i + 1), lane(LaneRole::download), false, onDevice, back.back());
        down->after = {StepId(2 * i)};
        m_driver->submit(std::move(down));
    }
    Instant lastUp = submitted;
    Instant lastDown = submitted;
    const Duration uncertainty = m_driver->clockUncertainty();
    for (std::size_t i = 0; i < 20; ++i) {
        const WorkReport up = m_events.report(StepId(2 * i)).value();
        const WorkReport down = m_events.report(StepId(2 * i + 1)).value();
        ASSERT_TRUE(std::holds_alternative<StepDone>(down.results[0]));
        EXPECT_EQ(std::get<StepDone>(down.results[0]).actualBytes, sizeOf(shape));
        EXPECT_EQ(back[i].buffer->hostData()[1000], static_cast<std::byte>(i + 1));
        EXPECT_GE(up.parts[0].begin, lastUp);
        EXPECT_GE(down.parts[0].begin, lastDown);
        EXPECT_GE(down.parts[0].begin + 2 * uncertainty, up.parts[0].end);
        EXPECT_LE(down.parts[0].end, m_events.now());
        EXPECT_GE(up.returned, submitted);
        lastUp = up.parts[0].end;
        lastDown = down.parts[0].end;
    }
    std::printf("clock uncertainty: %.1f us\n", toMs(uncertainty) * 1e3);
    EXPECT_GT(uncertainty.count(), 0);
    EXPECT_LT(toMs(uncertainty), 5);
    const auto order = m_events.order();
    for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_LT(std::find(order.begin(), order.end(), StepId(2 * i)),
                  std::find(order.begin(), order.end(), StepId(2 * i + 1)));
    }
}

TEST_F(OpenClTest, EncodedBytesMoveAsManyAsThereAre) {
    const BytesShape shape{ByteCount(10000)};
    BoundPort from = filledPort(*m_host, shape, 7);
    from.actual = 123;
    const BoundPort onDevice = makePort(*m_driver, shape);
    m_driver->submit(copyOrder(StepId(0), lane(LaneRole::upload), true, from, onDevice));
    const WorkReport report = m_events.report(StepId(0)).value();
    EXPECT_EQ(std::get<StepDone>(report.results[0]).actualBytes.value, 123U);
    BoundPort none = from;
    none.actual = 0;
    m_driver->submit(copyOrder(StepId(1), lane(LaneRole::upload), true, none, onDevice));
    EXPECT_TRUE(std::holds_alternative<StepDone>(m_events.report(StepId(1)).value().results[0]));
}

TEST_F(OpenClTest, MemoryEndsAtTheBudgetAndIsReused) {
    const ByteCount budget = m_machine.memory(m_machine.device(m_device).memory).budget;
    EXPECT_FALSE(m_driver->allocate(ByteCount(budget.value * 2)));
    BufferPtr first = m_driver->allocate(ByteCount(1 << 20));
    ASSERT_TRUE(first);
    EXPECT_EQ(first->hostData(), nullptr);
    void* handle = first->deviceBuffer().handle;
    first.reset();
    EXPECT_EQ(m_driver->allocate(ByteCount((1 << 20) - 5))->deviceBuffer().handle, handle);
}

TEST_F(OpenClTest, AnOperationWithoutAKernelFailsItsImages) {
    const Catalog catalog = makeTestCatalog();
    const StageKind& add = *catalog.find("test_add");
    const Parameters parameters(add.description().parameters);
    const ImageShape shape{8, 8, rgb8};
    m_driver->submit(operationOrder(StepId(0), add, parameters, {lane(LaneRole::compute)}, {makePort(*m_driver, shape)},
                                    {makePort(*m_driver, shape)}));
    const WorkReport report = m_events.report(StepId(0)).value();
    ASSERT_TRUE(std::holds_alternative<StepFailed>(report.results[0]));
    EXPECT_EQ(std::get<StepFailed>(report.results[0]).reason.id, "device.noKernel");
    ASSERT_EQ(report.parts.size(), 1U);
}

TEST_F(OpenClTest, CloseWaitsForWhatIsInFlight) {
    const ImageShape shape{4000, 3000, rgb8};
    const BoundPort onDevice = makePort(*m_driver, shape);
    for (std::size_t i = 0; i < 3; ++i) {
        m_driver->submit(copyOrder(StepId(i), lane(LaneRole::upload), true, filledPort(*m_host, shape, 3), onDevice));
    }
    m_driver->close();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(m_events.hasReport(StepId(i)));
}

}  // namespace
}  // namespace lanewright::test
