// SPDX-License-Identifier: GPL-3.0-or-later
// What a driver reports, kept for a test to wait for and look at.
#pragma once

#include "engine/devices/driver.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace lanewright::test {

class RecordedEvents : public DriverEvents {
public:
    Instant now() const override {
        return Instant(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - m_epoch));
    }
    void started(StepId step, Instant when) override {
        const std::lock_guard lock(m_mutex);
        m_started[step] = when;
        m_changed.notify_all();
    }
    void finished(WorkReport report) override {
        const std::lock_guard lock(m_mutex);
        m_order.push_back(report.step);
        m_finished.emplace(report.step, std::move(report));
        m_changed.notify_all();
    }
    void outOfMemory(StepId step) override {
        const std::lock_guard lock(m_mutex);
        m_outOfMemory.insert(step);
        m_changed.notify_all();
    }
    void lost(DeviceId, Message reason) override {
        const std::lock_guard lock(m_mutex);
        m_lost = std::move(reason);
        m_changed.notify_all();
    }

    /// The report of a step; fails the test's patience after 20 s.
    std::optional<WorkReport> report(StepId step) {
        return await([&] { return m_finished.contains(step); }) ? std::optional(m_finished[step]) : std::nullopt;
    }
    bool awaitStarted(StepId step) {
        return await([&] { return m_started.contains(step); });
    }
    bool awaitOutOfMemory(StepId step) {
        return await([&] { return m_outOfMemory.contains(step); });
    }
    std::optional<Message> awaitLost() {
        return await([&] { return m_lost.has_value(); }) ? m_lost : std::nullopt;
    }
    bool hasReport(StepId step) {
        const std::lock_guard lock(m_mutex);
        return m_finished.contains(step);
    }
    std::vector<StepId> order() {
        const std::lock_guard lock(m_mutex);
        return m_order;
    }

private:
    template <class F>
    bool await(F&& condition) {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, std::chrono::seconds(20), condition);
    }

    const std::chrono::steady_clock::time_point m_epoch = std::chrono::steady_clock::now();
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::map<StepId, Instant> m_started;
    std::map<StepId, WorkReport> m_finished;
    std::set<StepId> m_outOfMemory;
    std::optional<Message> m_lost;
    std::vector<StepId> m_order;
};

}  // namespace lanewright::test
