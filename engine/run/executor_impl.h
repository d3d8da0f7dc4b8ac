// SPDX-License-Identifier: GPL-3.0-or-later
// The executor's state. Internal; implemented in executor.cpp (life of a run), executor_setup.cpp (drivers),
// executor_steps.cpp (decisions carried out) and executor_events.cpp (what drivers report).
#pragma once

#include "engine/run/buffer_table.h"
#include "engine/run/dispatch.h"
#include "engine/run/executor.h"
#include "engine/run/record_keeper.h"
#include "engine/trace/builder.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

namespace lanewright {

/// One mutex over Dispatch and all that follows from it. Whichever thread reports takes it, feeds Dispatch and carries out
/// the decisions, so that no step waits for a coordinator to wake up. Locks of drivers and pools are taken inside it, never
/// the other way round.
class Executor::Impl final : public DriverEvents {
public:
    Impl(std::shared_ptr<const Plan> plan, const Catalog& catalog, const ExecutionOptions& options);
    ~Impl() override;
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    Status open();
    Result<ExecutionResult> execute();

    Instant now() const override {
        return Instant(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - m_epoch));
    }
    void started(StepId, Instant) override {}  // Dispatch has no rule about it, spans have their begin from the report
    void finished(WorkReport report) override;
    void outOfMemory(StepId step) override;
    void lost(DeviceId device, Message reason) override;

private:
    /// A step from its SubmitDecision until it has reported, was revoked, or its device was lost.
    struct Active {
        Instant ready;
        StepId cause;
        Instant submitted;
        Instant returned;
        bool queued = false;  ///< its driver has it
        bool stale = false;   ///< it reads what a failed step should have made: whatever comes of it, it must run again
    };
    struct Revoked {
        StepId step;
    };
    struct NoMemory {
        StepId step;
    };
    struct Lost {
        DeviceId device;
    };
    struct Impossible {
        StepId step;
        Message reason;
    };
    /// What came up while decisions were carried out; fed to Dispatch after them.
    using Event = std::variant<Revoked, NoMemory, Lost, Impossible>;

    // Set-up.
    Status openDriver(DeviceId device);
    std::vector<DeviceId> devicesOfPlan() const;
    std::vector<SetupItem> setupItems(DeviceId device);
    void addSetupItems(DeviceId device, FormatClassId formatClass, const ImageShapes& shapes,
                       std::vector<SetupItem>& items) const;
    void addSetupSpans();

    // Life of a run.
    void start();
    void cancel();
    void awaitEnd(std::unique_lock<std::mutex>& lock, Instant start);
    ExecutionResult finishRun();

    // Decisions. All below with m_mutex held.
    void settle();
    void tick(Instant when) { m_eventTime = std::max(m_eventTime, when); }
    void take(const Revoked& event);
    void take(const NoMemory& event);
    void take(const Lost& event);
    void take(const Impossible& event);
    void carryOut(const SubmitDecision& decision);
    void carryOut(const RevokeDecision& decision);
    void carryOut(const ReleaseDecision& decision);
    void carryOut(const EndDecision& decision);
    void carryOut(const ImageEndDecision& decision);
    void carryOut(const SupersedeDecision& decision);
    bool bindInputs(const Step& step, WorkOrder& order);
    bool makeOutputs(const Step& step, WorkOrder& order);
    void nameFiles(const Step& step, WorkOrder& order) const;
    bool behindUnsubmitted(const Step& step) const;
    ImageIndex ownerOf(const StepTemplate& stepTemplate, SlotIndex slot, ImageIndex image) const;
    DeviceDriver& allocatorOf(MemoryId memory);
    void markStale(StepId step, const std::vector<ImageIndex>& images);
    void sampleCounters();

    // Reports.
    void addSpans(const Step& step, const Active& active, const WorkReport& report);
    ByteCount bytesOf(const Step& step, const WorkReport& report) const;
    void keepRecords(const Step& step, WorkReport& report);
    void noteEnd(StepId step, Instant end);

    template <class T>
    static bool contains(const std::vector<T>& list, const T& value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    }

    const std::shared_ptr<const Plan> m_plan;
    const Machine& m_machine;
    const Catalog& m_catalog;
    const ExecutionOptions m_options;
    const std::chrono::steady_clock::time_point m_epoch = std::chrono::steady_clock::now();
    std::vector<std::unique_ptr<DeviceDriver>> m_drivers;  ///< by DeviceId; nullptr: not in the plan
    std::vector<SetupSpan> m_setup;                        ///< until the first trace has them
    std::vector<std::string> m_counterNames;               ///< by MemoryId

    std::mutex m_mutex;
    std::condition_variable m_ended;
    std::vector<std::optional<Message>> m_lost;  ///< by DeviceId, once and for all repeats
    BufferTable m_buffers;
    std::unique_ptr<Policy> m_policy;
    std::unique_ptr<Dispatch> m_dispatch;  ///< of the repeat that runs
    std::unique_ptr<TraceBuilder> m_builder;
    std::unique_ptr<RecordKeeper> m_records;
    std::unordered_map<StepId, Active> m_active;
    Decisions m_decisions;
    std::deque<Event> m_events;
    Instant m_eventTime;  ///< of the latest event; those of several clocks and threads come a little out of order
    Instant m_sampled;    ///< counters, last
    std::vector<double> m_peaks;  ///< by memory, then of images in flight
    bool m_interrupted = false;
};

}  // namespace lanewright
