// SPDX-License-Identifier: GPL-3.0-or-later
// The life of a run: start, wait with progress, cancel, end.
#include "engine/run/executor.h"

#include "engine/run/executor_impl.h"

#include <utility>

namespace lanewright {
namespace {

constexpr auto progressInterval = std::chrono::milliseconds(50);
constexpr Duration snapshotInterval = std::chrono::milliseconds(100);

}  // namespace

Executor::Executor(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Executor::~Executor() = default;

Result<std::unique_ptr<Executor>> Executor::open(std::shared_ptr<const Plan> plan, const Catalog& catalog,
                                                 const ExecutionOptions& options) {
    auto impl = std::make_unique<Impl>(std::move(plan), catalog, options);
    if (Status opened = impl->open(); !opened) return opened.error();
    return std::unique_ptr<Executor>(new Executor(std::move(impl)));
}

Result<ExecutionResult> Executor::execute() { return m_impl->execute(); }

Executor::Impl::Impl(std::shared_ptr<const Plan> plan, const Catalog& catalog, const ExecutionOptions& options)
    : m_plan(std::move(plan)),
      m_machine(*m_plan->machine),
      m_catalog(catalog),
      m_options(options),
      m_drivers(m_machine.devices.size()),
      m_lost(m_machine.devices.size()) {
    for (const Memory& memory : m_machine.memories) m_counterNames.push_back("live bytes " + memory.name);
}

Executor::Impl::~Impl() {
    for (auto& driver : m_drivers) {
        if (driver) driver->close();
    }
    m_buffers.clear();
}

Result<ExecutionResult> Executor::Impl::execute() {
    std::unique_lock lock(m_mutex);
    start();
    const Instant begin = m_eventTime;
    lock.unlock();
    {
        const std::stop_callback onStop(m_options.stop, [this] { cancel(); });
        lock.lock();
        awaitEnd(lock, begin);
        lock.unlock();
    }
    lock.lock();
    return finishRun();
}

void Executor::Impl::start() {
    m_policy = policyFor(*m_plan);
    m_dispatch = std::make_unique<Dispatch>(*m_plan, *m_policy);
    m_builder = std::make_unique<TraceBuilder>(*m_plan, TraceOrigin::measured);
    m_records = std::make_unique<RecordKeeper>(*m_plan);
    m_interrupted = m_options.stop.stop_requested();
    addSetupSpans();
    m_eventTime = now();
    m_builder->setStart(m_eventTime);
    m_sampled = m_eventTime;
    m_peaks.assign(m_counterNames.size() + 1, -1);
    for (std::size_t d = 0; d < m_lost.size(); ++d) {
        if (m_lost[d]) m_events.emplace_back(Lost{DeviceId(d)});
    }
    m_dispatch->start(m_eventTime, m_decisions);
    if (m_interrupted) m_dispatch->cancel(m_eventTime, m_decisions);
    settle();
}

/// Called by who asked for the stop, on that thread; it may be one of the lanes' (from a callback).
void Executor::Impl::cancel() {
    const std::lock_guard lock(m_mutex);
    if (m_interrupted || !m_dispatch || m_dispatch->complete()) return;
    m_interrupted = true;
    tick(now());
    m_dispatch->cancel(m_eventTime, m_decisions);
    settle();
}

/// Tells progress from the caller's thread, so that no lane waits for who listens.
void Executor::Impl::awaitEnd(std::unique_lock<std::mutex>& lock, Instant start) {
    const auto complete = [this] { return m_dispatch->complete(); };
    Instant snapshotAt = start + snapshotInterval;
    const auto tell = [&] {
        const Progress progress{m_records->ended(), m_records->failed(), m_plan->imageCount(), now() - start};
        std::optional<Trace> trace;
        if (m_options.snapshot && now() >= snapshotAt) {
            trace = m_builder->snapshot(m_eventTime);
            snapshotAt = now() + snapshotInterval;
        }
        lock.unlock();
        if (m_options.progress) m_options.progress(progress);
        if (trace) m_options.snapshot(*trace);
        lock.lock();
    };
    if (!m_options.progress && !m_options.snapshot) return m_ended.wait(lock, complete);
    while (!m_ended.wait_for(lock, progressInterval, complete)) tell();
    tell();
}

ExecutionResult Executor::Impl::finishRun() {
    for (std::size_t d = 0; d < m_drivers.size(); ++d) {
        if (m_drivers[d]) m_builder->setClockUncertainty(DeviceId(d), m_drivers[d]->clockUncertainty());
    }
    ExecutionResult result;
    result.trace = m_builder->finish(m_eventTime);
    result.images = m_records->takeImages();
    result.messages = m_records->takeMessages();
    result.interrupted = m_interrupted;
    m_dispatch.reset();
    m_policy.reset();
    m_builder.reset();
    m_records.reset();
    m_buffers.clear();
    m_active.clear();
    return result;
}

}  // namespace lanewright
