// SPDX-License-Identifier: GPL-3.0-or-later
// A thread for each lane of a device that computes or waits on the host, with a queue each: what the drivers of CPU,
// storage and fake share. Dispatch decides who runs what and how wide, so there is no task scheduler here.
#pragma once

#include "engine/devices/driver.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace lanewright {

/// One step on its way through the lanes of its order.
class LaneJob {
public:
    explicit LaneJob(WorkOrderPtr order) : m_order(std::move(order)) {}
    virtual ~LaneJob() = default;
    LaneJob(const LaneJob&) = delete;
    LaneJob& operator=(const LaneJob&) = delete;

    const WorkOrder& order() const { return *m_order; }
    /// On the thread of order().lanes[part]; parts of one job may run at the same time. The part that ends last reports.
    virtual void run(std::size_t part) = 0;

protected:
    /// Just before the report, so that what follows from it finds the memory free again.
    void dropBuffers() { m_order->images.clear(); }

private:
    friend class HostLanes;
    WorkOrderPtr m_order;
    bool m_begun = false;
    std::size_t m_partsLeft = 0;
};
using LaneJobPtr = std::shared_ptr<LaneJob>;

/// Jobs of one lane run in the order submitted. A job begins when those in its order's `after` have reported, so that a
/// step is never reported before one that it depends on.
class HostLanes {
public:
    /// Starts the threads; `names` by lane, for debuggers.
    HostLanes(std::vector<LaneId> lanes, const std::vector<std::string>& names);
    ~HostLanes();
    HostLanes(const HostLanes&) = delete;
    HostLanes& operator=(const HostLanes&) = delete;

    void submit(const LaneJobPtr& job);
    /// True: no lane had begun it, and none will.
    bool revoke(StepId step);
    /// Drops all that has not begun, without a report.
    void clear();
    /// Runs what is queued, then ends the threads. Called by the destructor too.
    void stop();
    const std::vector<LaneId>& lanes() const { return m_lanes; }

private:
    struct Entry {
        LaneJobPtr job;
        std::size_t part = 0;
    };
    struct Queue {
        std::deque<Entry> entries;
        std::condition_variable wake;
    };

    void work(std::size_t lane);
    bool mayBegin(const Queue& queue) const;
    void finish(LaneJob& job);
    Queue& queueOf(LaneId lane);

    std::vector<LaneId> m_lanes;
    std::mutex m_mutex;
    std::vector<std::unique_ptr<Queue>> m_queues;  // by position in m_lanes
    std::set<StepId> m_unfinished;
    bool m_stopping = false;
    std::vector<std::thread> m_threads;
};

}  // namespace lanewright
