// SPDX-License-Identifier: GPL-3.0-or-later
// What the engine itself costs: Dispatch, executor and trace around steps that do nothing; and that memory stays flat.
#include "engine/devices/host_pool.h"
#include "tests/engine/executor_rig.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <fstream>
#include <mutex>
#include <thread>

namespace lanewright::test {
namespace {

/// One thread for all lanes that ends each step at once.
class NullDriver final : public DeviceDriver {
public:
    ~NullDriver() override { close(); }
    Result<std::vector<SetupSpan>> open(DriverEvents& events, std::span<const SetupItem>) override {
        m_thread = std::thread([this, &events] { work(events); });
        return std::vector<SetupSpan>();
    }
    BufferPtr allocate(ByteCount size) override { return m_pool->allocate(size); }
    void submit(WorkOrderPtr order) override {
        const std::lock_guard lock(m_mutex);
        m_orders.push_back(std::move(order));
        m_wake.notify_one();
    }
    bool revoke(StepId) override { return false; }
    void close() override {
        {
            const std::lock_guard lock(m_mutex);
            m_stop = true;
            m_wake.notify_one();
        }
        if (m_thread.joinable()) m_thread.join();
    }

private:
    void work(DriverEvents& events) {
        std::unique_lock lock(m_mutex);
        for (;;) {
            m_wake.wait(lock, [this] { return !m_orders.empty() || m_stop; });
            if (m_orders.empty()) return;
            const WorkOrderPtr order = std::move(m_orders.front());
            m_orders.pop_front();
            lock.unlock();
            WorkReport report;
            report.step = order->step;
            const Instant begin = events.now();
            report.results.assign(order->images.size(), StepDone{ByteCount(1)});
            report.parts.push_back({order->lanes.front(), begin, events.now()});
            order->images.clear();
            events.finished(std::move(report));
            lock.lock();
        }
    }

    std::shared_ptr<HostPool> m_pool = HostPool::create(ByteCount(std::uint64_t{1} << 30));
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<WorkOrderPtr> m_orders;
    bool m_stop = false;
    std::thread m_thread;
};

std::size_t residentBytes() {
    std::ifstream stream("/proc/self/statm");
    std::size_t pages = 0;
    stream >> pages >> pages;
    return pages * 4096;
}

RigPlan tinyPlan(std::size_t images) {
    RigPlan description = executorPlan("decode:test_source; add:test_add<decode; sink:test_sink<add", images);
    description.width = 8;
    description.height = 8;
    return description;
}

TEST(ExecutorSpeed, CostOfAStepThatDoesNothing) {
    ExecutorRig rig(tinyPlan(2000));
    rig.options().driverOverride = [](DeviceId) { return std::make_unique<NullDriver>(); };
    const auto executor = rig.open();
    double best = 1e9;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const auto begin = std::chrono::steady_clock::now();
        const auto result = executor->execute();
        const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
        ASSERT_TRUE(result.ok());
        best = std::min(best, taken.count() / static_cast<double>(result.value().trace.spanCount()));
    }
    std::printf("engine: %.2f us a step\n", best);
    RecordProperty("microseconds_per_step", std::to_string(best));
    EXPECT_LT(best, 50);
}

TEST(ExecutorSpeed, TinyImagesThroughFilesAndWorkers) {
    ExecutorRig rig(tinyPlan(2000));
    const ExecutionResult result = rig.run();
    std::printf("tiny images: %.1f us an image, %.1f us a step\n", toMs(result.trace.makespan()) * 1e3 / 2000,
                toMs(result.trace.makespan()) * 1e3 / static_cast<double>(result.trace.spanCount()));
    EXPECT_EQ(countOutcomes(result, ImageOutcome::done), 2000U);
}

/// Resident memory while a run of 10,000 images goes on, without trace and records, which are stated apart.
TEST(ExecutorSpeed, MemoryStaysFlat) {
    constexpr std::size_t images = 10000;
    RigPlan description = tinyPlan(images);
    description.width = 64;
    ExecutorRig rig(std::move(description));
    std::size_t early = 0;
    std::size_t late = 0;
    rig.options().progress = [&](const Progress& progress) {
        if (early == 0 && progress.imagesEnded >= images / 10) early = residentBytes();
        if (progress.imagesEnded >= images * 9 / 10) late = residentBytes();
    };
    const ExecutionResult result = rig.run();
    ASSERT_GT(early, 0U);
    ASSERT_GT(late, 0U);
    std::size_t trace = result.trace.spanCount() * sizeof(Span);
    for (const Counter& counter : result.trace.counters) trace += counter.samples.size() * sizeof(CounterSample);
    const double perSpan = static_cast<double>(trace) / static_cast<double>(result.trace.spanCount());
    std::size_t records =
        result.trace.outcomes.size() * sizeof(Outcome) + result.trace.imageEnds.size() * sizeof(ImageEnd);
    for (const ImageRecord& record : result.images)
        records += sizeof record + record.outputs.size() * sizeof(OutputFile);
    const double perImage = static_cast<double>(records) / images;
    const double growth = static_cast<double>(late) - static_cast<double>(early);
    std::printf("memory: %.1f MiB at 10 %%, %.1f MiB at 90 %%; trace %.1f B a span, records %.0f B an image\n",
                static_cast<double>(early) / 1048576, static_cast<double>(late) / 1048576, perSpan, perImage);
    EXPECT_LT(perSpan, 66);
    EXPECT_LT(perImage, 300);
    // Lists of the trace double as they grow.
    EXPECT_LT(growth, 1.1 * static_cast<double>(trace) + 300.0 * images + 0.05 * static_cast<double>(early));
}

}  // namespace
}  // namespace lanewright::test
