// SPDX-License-Identifier: GPL-3.0-or-later
// Threads around an OpenCL device: one enqueues (a driver may take milliseconds over it, and submit() must not), one for
// each queue waits for its commands in order and reports.
#include "engine/devices/opencl_driver.h"

#include "engine/devices/device_clock.h"
#include "engine/devices/opencl_device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <pthread.h>

namespace lanewright {
namespace {

constexpr int firstAnchors = 12;
constexpr Duration anchorInterval = std::chrono::milliseconds(20);
constexpr Duration longestWithoutAnchor = std::chrono::seconds(1);
constexpr std::size_t framesTouched = 3;

/// One step on its way.
struct Flight {
    WorkOrderPtr order;
    OpenClQueue queue = OpenClQueue::compute;
    Instant submitted;
    OpenClWork work;
};

class OpenClDriver final : public DeviceDriver {
public:
    OpenClDriver(const Machine& machine, DeviceId device, void* clDevice, bool oneQueue, DeviceRuntimeFactory factory)
        : m_machine(machine), m_device(device), m_clDevice(clDevice), m_oneQueue(oneQueue), m_factory(factory) {}
    ~OpenClDriver() override { close(); }
    OpenClDriver(const OpenClDriver&) = delete;
    OpenClDriver& operator=(const OpenClDriver&) = delete;

    Result<std::vector<SetupSpan>> open(DriverEvents& events, std::span<const SetupItem> items) override;
    BufferPtr allocate(ByteCount size) override { return m_lost ? nullptr : m_openCl->memory().allocate(size); }
    void submit(WorkOrderPtr order) override;
    bool revoke(StepId step) override;
    Duration clockUncertainty() const override;
    void close() override;

private:
    struct Waiting {
        std::deque<Flight> flights;
        std::condition_variable wake;
    };

    // Set-up.
    LaneId computeLane() const { return m_machine.lanesOf(m_device, LaneRole::compute).front(); }
    void anchorAtOpen();
    Status touch(std::span<const SetupItem> items);
    // The thread that enqueues.
    void enqueueAll();
    void enqueue(Flight& flight);
    // The threads that wait.
    void watch(std::size_t queue);
    void finish(Flight& flight, std::size_t queue);
    PartTime timesOf(const Flight& flight, std::size_t queue);
    void anchorAfter(const Flight& flight, const OpenClStamps& stamps);
    void awaitReported(const std::vector<StepId>& steps);
    void forget(StepId step);
    template <class F>
    void report(F&& send);
    void lose(Message reason);

    const Machine& m_machine;
    const DeviceId m_device;
    void* const m_clDevice;
    const bool m_oneQueue;
    const DeviceRuntimeFactory m_factory;
    DriverEvents* m_events = nullptr;
    std::unique_ptr<OpenClDevice> m_openCl;

    std::mutex m_mutex;
    std::condition_variable m_submittedOne;
    std::condition_variable m_reportedOne;
    std::deque<Flight> m_submitted;
    std::array<Waiting, openClQueueCount> m_waiting;
    std::map<StepId, void*> m_unreported;  ///< with the last cl_event, once it is enqueued
    bool m_closing = false;
    bool m_enqueuedAll = false;

    std::mutex m_reporting;  ///< no report may overtake lost()
    std::atomic<bool> m_lost{false};

    mutable std::mutex m_clockMutex;
    DeviceClock m_clock;
    bool m_queuedIsHost = false;  ///< the QUEUED stamp is taken inside the enqueuing call
    Instant m_anchored;
    std::array<Instant, openClQueueCount> m_lastEnd{};  ///< each used by its own thread only

    std::vector<std::thread> m_threads;
};

Result<std::vector<SetupSpan>> OpenClDriver::open(DriverEvents& events, std::span<const SetupItem> items) {
    m_events = &events;
    std::vector<SetupSpan> spans;
    const auto timed = [&](std::string name, auto&& work) {
        const Instant begin = events.now();
        Status status = work();
        spans.push_back({std::move(name), computeLane(), begin, events.now()});
        return status;
    };
    const ByteCount budget = m_machine.memory(m_machine.device(m_device).memory).budget;
    Status opened = timed("open", [&]() -> Status {
        auto device = OpenClDevice::open(m_clDevice, m_oneQueue, m_factory, budget);
        if (!device) return std::move(device).error();
        m_openCl = std::move(device).value();
        anchorAtOpen();
        return {};
    });
    if (!opened) return opened.error();
    for (const SetupItem& item : items) {
        Status prepared = timed("compile " + item.stageId, [&] { return m_openCl->prepare(item); });
        if (!prepared) return prepared.error();
    }
    Status touched = timed("first touch", [&] { return touch(items); });
    if (!touched) return touched.error();
    m_threads.emplace_back([this] { enqueueAll(); });
    ::pthread_setname_np(m_threads.back().native_handle(), "opencl enqueue");
    for (std::size_t queue = 0; queue < (m_oneQueue ? 1 : openClQueueCount); ++queue) {
        m_threads.emplace_back([this, queue] { watch(queue); });
        ::pthread_setname_np(m_threads.back().native_handle(), "opencl watch");
    }
    return spans;
}

void OpenClDriver::anchorAtOpen() {
    bool queuedIsHost = true;
    for (int i = 0; i < firstAnchors; ++i) {
        const auto anchor = m_openCl->anchor(*m_events);
        if (!anchor) continue;
        m_clock.addAnchor(anchor->stamps.end, anchor->before, anchor->after);
        if (!m_clock.agrees(anchor->stamps.queued, anchor->before, anchor->enqueued)) queuedIsHost = false;
    }
    m_queuedIsHost = queuedIsHost && m_clock.anchors() > 0;
    m_anchored = m_events->now();
}

/// Frames of typical images become warm in the pool; a quarter of the budget at most.
Status OpenClDriver::touch(std::span<const SetupItem> items) {
    std::vector<BufferPtr> blocks;
    ByteCount left(m_machine.memory(m_machine.device(m_device).memory).budget.value / 4);
    for (const SetupItem& item : items) {
        for (const auto* ports : {&item.inputs, &item.outputs}) {
            for (const PortShape& shape : *ports) {
                for (std::size_t i = 0; i < std::min(framesTouched, item.images); ++i) {
                    const ByteCount size = sizeOf(shape);
                    if (size > left) continue;
                    left -= size;
                    if (auto block = m_openCl->memory().allocate(size)) blocks.push_back(std::move(block));
                }
            }
        }
    }
    return m_openCl->touch(blocks);
}

void OpenClDriver::submit(WorkOrderPtr order) {
    Flight flight;
    const LaneRole role = m_machine.lane(order->lanes.front()).role;
    flight.queue = role == LaneRole::upload     ? OpenClQueue::upload
                   : role == LaneRole::download ? OpenClQueue::download
                                                : OpenClQueue::compute;
    flight.submitted = m_events->now();
    const std::lock_guard lock(m_mutex);
    if (m_lost) return;
    m_unreported[order->step] = nullptr;
    flight.order = std::move(order);
    m_submitted.push_back(std::move(flight));
    m_submittedOne.notify_one();
}

bool OpenClDriver::revoke(StepId step) {
    Flight revoked;  // its buffers go after the lock
    const std::lock_guard lock(m_mutex);
    const auto found = std::find_if(m_submitted.begin(), m_submitted.end(),
                                    [step](const Flight& flight) { return flight.order->step == step; });
    if (found == m_submitted.end()) return false;
    revoked = std::move(*found);
    m_submitted.erase(found);
    m_unreported.erase(step);
    return true;
}

void OpenClDriver::enqueueAll() {
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_submittedOne.wait(lock, [this] { return !m_submitted.empty() || m_closing; });
        if (m_submitted.empty()) break;
        Flight flight = std::move(m_submitted.front());
        m_submitted.pop_front();
        lock.unlock();
        enqueue(flight);
        lock.lock();
    }
    m_enqueuedAll = true;
    for (Waiting& waiting : m_waiting) waiting.wake.notify_one();
}

void OpenClDriver::enqueue(Flight& flight) {
    std::vector<void*> after;
    {
        // A step that is not there any more has ended.
        const std::lock_guard lock(m_mutex);
        for (const StepId step : flight.order->after) {
            const auto found = m_unreported.find(step);
            if (found != m_unreported.end() && found->second && !m_oneQueue)
                after.push_back(m_openCl->retainedEvent(found->second));
        }
    }
    flight.work = m_openCl->enqueue(*flight.order, flight.queue, after, *m_events);
    for (void* event : after) m_openCl->releaseEvent(event);
    const std::lock_guard lock(m_mutex);
    const auto found = m_unreported.find(flight.order->step);
    if (found != m_unreported.end() && !flight.work.events.empty()) {
        found->second = m_openCl->retainedEvent(flight.work.events.back());
    }
    Waiting& waiting = m_waiting[m_oneQueue ? 0 : static_cast<std::size_t>(flight.queue)];
    waiting.flights.push_back(std::move(flight));
    waiting.wake.notify_one();
}

void OpenClDriver::watch(std::size_t queue) {
    Waiting& waiting = m_waiting[queue];
    std::unique_lock lock(m_mutex);
    for (;;) {
        waiting.wake.wait(lock, [&] { return !waiting.flights.empty() || m_enqueuedAll; });
        if (waiting.flights.empty()) return;
        Flight flight = std::move(waiting.flights.front());
        waiting.flights.pop_front();
        lock.unlock();
        finish(flight, queue);
        lock.lock();
    }
}

void OpenClDriver::finish(Flight& flight, std::size_t queue) {
    const Status waited = m_openCl->wait(flight.work);
    if (!waited && !m_lost && !m_openCl->anchor(*m_events)) lose(waited.error());
    const StepId step = flight.order->step;
    const std::vector<StepId> after = flight.order->after;
    const PartTime part = timesOf(flight, queue);
    m_openCl->releaseEvents(flight.work);
    const bool outOfMemory = flight.work.outOfMemory || (!waited && waited.error().id == "device.openClMemory");
    if (!waited) flight.work.results.assign(flight.order->images.size(), StepFailed{waited.error()});
    flight.work.scratch.reset();
    flight.order.reset();
    awaitReported(after);
    report([&](DriverEvents& events) {
        events.started(step, part.begin);
        if (outOfMemory) return events.outOfMemory(step);
        WorkReport made;
        made.step = step;
        made.results = std::move(flight.work.results);
        made.parts.push_back(part);
        made.returned = flight.work.after;
        events.finished(std::move(made));
    });
    forget(step);
}

/// On the run's clock; never before the submission, nor before the end of what ran earlier on the queue, nor in the future:
/// the map of the clock may be off by its uncertainty.
PartTime OpenClDriver::timesOf(const Flight& flight, std::size_t queue) {
    const Instant now = m_events->now();
    Instant begin = flight.work.after;
    Instant end = flight.work.after;
    if (const auto stamps = m_openCl->stamps(flight.work)) {
        anchorAfter(flight, *stamps);
        const std::lock_guard lock(m_clockMutex);
        begin = m_clock.toRun(stamps->start);
        end = m_clock.toRun(stamps->end);
    }
    begin = std::min(std::max({begin, flight.submitted, m_lastEnd[queue]}), now);
    end = std::clamp(end, begin, now);
    m_lastEnd[queue] = end;
    return {flight.order->lanes.front(), begin, end};
}

/// A step's own commands anchor the clock where the QUEUED stamp allows it; else tiny commands now and then.
void OpenClDriver::anchorAfter(const Flight& flight, const OpenClStamps& stamps) {
    bool idle = false;
    {
        const std::lock_guard lock(m_mutex);
        idle = m_unreported.size() == 1;
    }
    std::unique_lock lock(m_clockMutex);
    const Duration since = m_events->now() - m_anchored;
    if (since < anchorInterval) return;
    if (m_queuedIsHost) {
        m_clock.addAnchor(stamps.queued, flight.work.before, flight.work.after);
        m_anchored = m_events->now();
    } else if (idle || since > longestWithoutAnchor) {
        m_anchored = m_events->now();
        lock.unlock();
        const auto anchor = m_openCl->anchor(*m_events);
        lock.lock();
        if (anchor) m_clock.addAnchor(anchor->stamps.end, anchor->before, anchor->after);
    }
}

/// Queues are watched by threads of their own: a step must not be reported before one that it depends on.
void OpenClDriver::awaitReported(const std::vector<StepId>& steps) {
    if (steps.empty()) return;
    std::unique_lock lock(m_mutex);
    m_reportedOne.wait(lock, [&] {
        return std::none_of(steps.begin(), steps.end(), [this](StepId step) { return m_unreported.contains(step); });
    });
}

void OpenClDriver::forget(StepId step) {
    const std::lock_guard lock(m_mutex);
    const auto found = m_unreported.find(step);
    if (found == m_unreported.end()) return;
    m_openCl->releaseEvent(found->second);
    m_unreported.erase(found);
    m_reportedOne.notify_all();
}

template <class F>
void OpenClDriver::report(F&& send) {
    const std::lock_guard lock(m_reporting);
    if (!m_lost) send(*m_events);
}

void OpenClDriver::lose(Message reason) {
    const std::lock_guard reporting(m_reporting);
    if (m_lost.exchange(true)) return;
    {
        const std::lock_guard lock(m_mutex);
        for (const Flight& flight : m_submitted) m_unreported.erase(flight.order->step);
        m_submitted.clear();
        m_reportedOne.notify_all();
    }
    m_events->lost(m_device, std::move(reason));
}

Duration OpenClDriver::clockUncertainty() const {
    const std::lock_guard lock(m_clockMutex);
    return m_clock.uncertainty();
}

void OpenClDriver::close() {
    {
        const std::lock_guard lock(m_mutex);
        m_closing = true;
        m_submittedOne.notify_one();
    }
    for (std::thread& thread : m_threads) {
        if (thread.joinable()) thread.join();
    }
    for (const auto& [step, event] : m_unreported) m_openCl->releaseEvent(event);  // of a lost device
    m_unreported.clear();
}

}  // namespace

std::unique_ptr<DeviceDriver> makeOpenClDriver(const Machine& machine, DeviceId device, void* clDevice, bool oneQueue,
                                               DeviceRuntimeFactory factory) {
    return std::make_unique<OpenClDriver>(machine, device, clDevice, oneQueue, factory);
}

}  // namespace lanewright
