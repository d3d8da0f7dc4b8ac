// SPDX-License-Identifier: GPL-3.0-or-later
// The scripted device does what its script says.
#include "engine/devices/backends.h"
#include "engine/devices/cpu_driver.h"
#include "engine/devices/fake.h"
#include "tests/engine/recorded_events.h"
#include "tests/engine/work_orders.h"

#include <gtest/gtest.h>

#include <latch>

namespace lanewright::test {
namespace {

class FakeTest : public ::testing::Test {
protected:
    FakeTest() : m_machine(discoverMachine(m_catalog, {1})) {
        m_device = addFakeDevice(m_machine, {.memory = ByteCount(20000)});
        m_host = makeCpuDriver(m_machine, m_machine.hostDevice);
    }
    ~FakeTest() override {
        if (m_fake) m_fake->close();
    }
    void open(FakeScript script) {
        m_fake = makeFakeDriver(m_machine, m_device, std::move(script), m_record);
        ASSERT_TRUE(m_fake->open(m_events, {}).ok());
    }
    LaneId lane(LaneRole role) const { return m_machine.lanesOf(m_device, role).at(0); }
    StepId upload(int value) {
        m_onDevice = makePort(*m_fake, m_shape);
        m_fake->submit(
            copyOrder(StepId(m_steps), lane(LaneRole::upload), true, filledPort(*m_host, m_shape, value), m_onDevice));
        return StepId(m_steps++);
    }
    StepId add(std::vector<StepId> after = {}) {
        const BoundPort result = makePort(*m_fake, m_shape);
        auto order = operationOrder(StepId(m_steps), *m_catalog.find("test_add"), m_parameters,
                                    {lane(LaneRole::compute)}, {m_onDevice}, {result});
        order->after = std::move(after);
        m_fake->submit(std::move(order));
        m_onDevice = result;
        return StepId(m_steps++);
    }
    StepId download(std::vector<StepId> after = {}) {
        m_back = filledPort(*m_host, m_shape, 0);
        auto order = copyOrder(StepId(m_steps), lane(LaneRole::download), false, m_onDevice, m_back);
        order->after = std::move(after);
        m_fake->submit(std::move(order));
        return StepId(m_steps++);
    }
    ImageResult resultOf(StepId step) { return m_events.report(step).value().results.at(0); }

    const Catalog m_catalog = makeTestCatalog();
    Machine m_machine;
    DeviceId m_device;
    const ImageShape m_shape{10, 10, rgb8};
    const Parameters m_parameters = withParameter(*m_catalog.find("test_add"), "value", std::int64_t{3});
    RecordedEvents m_events;
    std::shared_ptr<FakeRecord> m_record = std::make_shared<FakeRecord>();
    std::unique_ptr<DeviceDriver> m_host;
    std::unique_ptr<DeviceDriver> m_fake;
    BoundPort m_onDevice;
    BoundPort m_back;
    std::size_t m_steps = 0;
};

TEST_F(FakeTest, CopiesComputesAndCopiesBack) {
    open({});
    const StepId up = upload(4);
    const StepId sum = add({up});
    const StepId down = download({sum});
    EXPECT_TRUE(std::holds_alternative<StepDone>(resultOf(down)));
    EXPECT_EQ(m_back.buffer->hostData()[0], std::byte{7});
    EXPECT_EQ(m_events.order(), (std::vector<StepId>{up, sum, down}));
    EXPECT_EQ(m_record->uploads, 1U);
    EXPECT_EQ(m_record->downloads, 1U);
    EXPECT_EQ(m_onDevice.buffer->hostData(), nullptr);
}

TEST_F(FakeTest, MemoryRunsOut) {
    open({.failedAllocations = {1}});
    const BufferPtr first = m_fake->allocate(ByteCount(1000));
    EXPECT_TRUE(first);
    EXPECT_FALSE(m_fake->allocate(ByteCount(1000)));
    EXPECT_TRUE(m_fake->allocate(ByteCount(19000)));
    EXPECT_FALSE(m_fake->allocate(ByteCount(19001)));
    EXPECT_EQ(m_record->liveBytes, 1000U);
    EXPECT_EQ(m_record->peakBytes, 20000U);
}

TEST_F(FakeTest, StepsFailRefuseAndRunOutOfMemory) {
    open({.outOfMemorySteps = {3}, .failedSteps = {1}, .refusedImages = {ImageIndex(0)}});
    upload(1);
    EXPECT_TRUE(std::holds_alternative<StepFailed>(resultOf(upload(1))));
    EXPECT_TRUE(std::holds_alternative<StepRefused>(resultOf(add())));
    EXPECT_TRUE(m_events.awaitOutOfMemory(upload(1)));
}

TEST_F(FakeTest, CorruptsAndIsSlow) {
    open({.slowness = 1, .corruptSteps = {1}});
    const StepId up = upload(4);
    const StepId sum = add({up});
    resultOf(download({sum}));
    EXPECT_EQ(m_back.buffer->hostData()[0], std::byte{255 - 7});
    m_fake->close();
    open({.sleepPerStep = std::chrono::milliseconds(20)});
    const auto report = m_events.report(upload(1)).value();
    EXPECT_GE(toMs(report.parts[0].end - report.parts[0].begin), 20);
}

TEST_F(FakeTest, AfterALossNothingIsReported) {
    std::latch both(2);
    open({.lostAtStep = 1, .onBegin = [&](const WorkOrder&) { both.arrive_and_wait(); }});
    const StepId up = upload(1);  // waits on its lane until the device is lost
    ASSERT_TRUE(m_events.awaitStarted(up));
    const StepId sum = add();
    EXPECT_TRUE(m_events.awaitLost());
    both.count_down();
    EXPECT_FALSE(m_fake->allocate(ByteCount(1)));
    m_fake->close();
    EXPECT_FALSE(m_events.hasReport(up));
    EXPECT_FALSE(m_events.hasReport(sum));
}

}  // namespace
}  // namespace lanewright::test
