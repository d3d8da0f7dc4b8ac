// SPDX-License-Identifier: GPL-3.0-or-later
// One mutex a device: it is held for a few list operations at a time, and steps take far longer.
#include "engine/devices/host_lanes.h"

#include <algorithm>

#include <pthread.h>

namespace lanewright {

HostLanes::HostLanes(std::vector<LaneId> lanes, const std::vector<std::string>& names) : m_lanes(std::move(lanes)) {
    for (std::size_t i = 0; i < m_lanes.size(); ++i) m_queues.push_back(std::make_unique<Queue>());
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        m_threads.emplace_back([this, i] { work(i); });
        // The kernel takes 15 characters; a longer name would be refused.
        if (i < names.size()) ::pthread_setname_np(m_threads.back().native_handle(), names[i].substr(0, 15).c_str());
    }
}

HostLanes::~HostLanes() { stop(); }

HostLanes::Queue& HostLanes::queueOf(LaneId lane) {
    const auto found = std::find(m_lanes.begin(), m_lanes.end(), lane);
    return *m_queues[static_cast<std::size_t>(found - m_lanes.begin())];
}

void HostLanes::submit(const LaneJobPtr& job) {
    const std::lock_guard lock(m_mutex);
    const std::vector<LaneId>& lanes = job->order().lanes;
    job->m_partsLeft = lanes.size();
    m_unfinished.insert(job->order().step);
    for (std::size_t part = 0; part < lanes.size(); ++part) {
        Queue& queue = queueOf(lanes[part]);
        queue.entries.push_back({job, part});
        queue.wake.notify_one();
    }
}

bool HostLanes::revoke(StepId step) {
    LaneJobPtr revoked;  // its buffers are let go after the lock
    const std::lock_guard lock(m_mutex);
    for (auto& queue : m_queues) {
        const auto entry = std::find_if(queue->entries.begin(), queue->entries.end(),
                                        [step](const Entry& e) { return e.job->order().step == step; });
        if (entry == queue->entries.end()) continue;
        if (entry->job->m_begun) return false;
        revoked = entry->job;
        queue->entries.erase(entry);
    }
    if (revoked) m_unfinished.erase(step);
    return revoked != nullptr;
}

void HostLanes::clear() {
    std::vector<Entry> dropped;  // let go after the lock
    const std::lock_guard lock(m_mutex);
    for (auto& queue : m_queues) {
        const auto begun = [](const Entry& entry) { return entry.job->m_begun; };
        const auto rest = std::stable_partition(queue->entries.begin(), queue->entries.end(), begun);
        std::move(rest, queue->entries.end(), std::back_inserter(dropped));
        queue->entries.erase(rest, queue->entries.end());
    }
    for (const Entry& entry : dropped) m_unfinished.erase(entry.job->order().step);
}

bool HostLanes::mayBegin(const Queue& queue) const {
    if (queue.entries.empty()) return false;
    const LaneJob& job = *queue.entries.front().job;
    if (job.m_begun) return true;
    const auto& after = job.order().after;
    return std::none_of(after.begin(), after.end(), [this](StepId step) { return m_unfinished.contains(step); });
}

void HostLanes::work(std::size_t lane) {
    Queue& queue = *m_queues[lane];
    std::unique_lock lock(m_mutex);
    for (;;) {
        queue.wake.wait(lock, [&] { return mayBegin(queue) || (m_stopping && queue.entries.empty()); });
        if (queue.entries.empty()) return;
        Entry entry = std::move(queue.entries.front());
        queue.entries.pop_front();
        entry.job->m_begun = true;
        lock.unlock();
        entry.job->run(entry.part);
        lock.lock();
        finish(*entry.job);
        lock.unlock();
        entry.job.reset();
        lock.lock();
    }
}

void HostLanes::finish(LaneJob& job) {
    if (--job.m_partsLeft > 0) return;
    m_unfinished.erase(job.order().step);
    for (auto& queue : m_queues) {
        if (!queue->entries.empty()) queue->wake.notify_one();
    }
}

void HostLanes::stop() {
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
        for (auto& queue : m_queues) queue->wake.notify_one();
    }
    for (std::thread& thread : m_threads) {
        if (thread.joinable()) thread.join();
    }
}

}  // namespace lanewright
