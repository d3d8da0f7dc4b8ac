// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/chrome_layout.h"

#include "engine/report/exporter.h"
#include "engine/report/names.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace lanewright::chrome {
namespace {

/// Spans of one lane of one trace, sorted by begin, and the sub-row of each.
struct LaneRows {
    std::vector<const Span*> spans;
    std::vector<std::uint32_t> rows;
    std::uint32_t rowCount = 0;
};

bool beginsEarlier(const Span* a, const Span* b) {
    return std::tuple(a->begin, b->end, a->step) < std::tuple(b->begin, a->end, b->step);
}

/// Each span goes to the first row that is free when it begins. In a sound trace one row is enough.
void assignRows(LaneRows& lane) {
    if (!std::is_sorted(lane.spans.begin(), lane.spans.end(), beginsEarlier))
        std::sort(lane.spans.begin(), lane.spans.end(), beginsEarlier);
    std::vector<Instant> free;
    for (const Span* span : lane.spans) {
        std::size_t row = 0;
        while (row < free.size() && free[row] > span->begin) ++row;
        if (row == free.size()) free.push_back(span->end);
        free[row] = std::max(free[row], span->end);
        lane.rows.push_back(static_cast<std::uint32_t>(row));
    }
    lane.rowCount = static_cast<std::uint32_t>(free.size());
}

/// By lane.
std::vector<LaneRows> lanesOf(const Trace& trace) {
    std::vector<LaneRows> lanes(trace.machine ? trace.machine->lanes.size() : 0);
    trace.forEach([&lanes](const Span& span) {
        if (span.lane < lanes.size()) lanes[span.lane].spans.push_back(&span);
    });
    for (LaneRows& lane : lanes) assignRows(lane);
    return lanes;
}

std::vector<DeviceId> devicesStorageLast(const Machine& machine) {
    std::vector<DeviceId> devices;
    for (std::size_t i = 0; i < machine.devices.size(); ++i) devices.push_back(DeviceId(i));
    std::stable_partition(devices.begin(), devices.end(), [&](DeviceId id) { return id != machine.storageDevice; });
    return devices;
}

class Builder {
public:
    Builder(const Run& run, bool withPrediction) {
        if (const Trace* shown = shownTrace(run)) add(*shown);
        if (withPrediction && run.predicted && !m_layout.traces.empty() &&
            m_layout.traces[0].trace != run.predicted.get())
            add(*run.predicted);
    }

    Layout build() {
        setTimes();
        std::size_t devices = 0;
        for (const Exported& exported : m_layout.traces)
            if (exported.trace->machine) devices = std::max(devices, exported.trace->machine->devices.size());
        for (std::size_t i = 0; i < devices; ++i) {
            for (std::size_t t = 0; t < m_layout.traces.size(); ++t) addDevice(t, i);
        }
        for (Exported& exported : m_layout.traces) addCounters(exported);
        number();
        std::sort(m_layout.slices.begin(), m_layout.slices.end(), [](const Slice& a, const Slice& b) {
            return std::tuple(a.begin, b.duration, a.tid) < std::tuple(b.begin, a.duration, b.tid);
        });
        return std::move(m_layout);
    }

private:
    void add(const Trace& trace) {
        m_layout.traces.push_back({&trace, std::string(originName(trace.origin))});
        m_lanes.push_back(lanesOf(trace));
    }

    void setTimes() {
        for (std::size_t i = 0; i < m_lanes.size(); ++i) {
            const Trace& trace = *m_layout.traces[i].trace;
            Instant first = trace.start;
            for (const LaneRows& lane : m_lanes[i])
                if (!lane.spans.empty()) first = std::min(first, lane.spans.front()->begin);
            m_layout.startNs = std::max(m_layout.startNs, (trace.start - first).count());
        }
        for (Exported& exported : m_layout.traces) exported.shift = m_layout.startNs - toNs(exported.trace->start);
    }

    /// The `position`th device of trace `t`. Numbers are places in lists until number() makes pids and tids of them.
    void addDevice(std::size_t t, std::size_t position) {
        const Exported& exported = m_layout.traces[t];
        if (!exported.trace->machine || position >= exported.trace->machine->devices.size()) return;
        const Machine& machine = *exported.trace->machine;
        const Device& device = machine.device(devicesStorageLast(machine)[position]);
        Process process;
        process.name = device.name + " (" + exported.origin + ")";
        const auto pid = static_cast<std::uint32_t>(m_layout.processes.size());
        for (std::size_t i = 0; i < machine.lanes.size(); ++i) {
            if (&machine.device(machine.lanes[i].device) != &device) continue;
            const LaneRows& lane = m_lanes[t][i];
            const std::uint32_t firstTid = m_threads;
            for (std::uint32_t row = 0; row < lane.rowCount; ++row) {
                const std::string& name = machine.lanes[i].name;
                process.threads.push_back({m_threads++, row == 0 ? name : name + " (" + std::to_string(row + 1) + ")"});
            }
            for (std::size_t k = 0; k < lane.spans.size(); ++k)
                addSlice(*lane.spans[k], exported, pid, firstTid + lane.rows[k]);
        }
        if (!process.threads.empty()) m_layout.processes.push_back(std::move(process));
    }

    void addSlice(const Span& span, const Exported& exported, std::uint32_t pid, std::uint32_t tid) {
        Slice slice;
        slice.begin = toNs(span.begin) + exported.shift;
        slice.duration = std::max<std::int64_t>(0, (span.end - span.begin).count());
        slice.pid = pid;
        slice.tid = tid;
        slice.span = &span;
        slice.trace = exported.trace;
        m_layout.endNs = std::max(m_layout.endNs, slice.begin + slice.duration);
        m_layout.slices.push_back(slice);
    }

    void addCounters(Exported& exported) {
        if (exported.trace->counters.empty()) return;
        exported.counterPid = static_cast<std::uint32_t>(m_layout.processes.size() + 1);
        exported.counterTid = m_threads;
        m_layout.processes.push_back({0, "counters (" + exported.origin + ")", {{m_threads++, "counters"}}});
    }

    void number() {
        const auto count = static_cast<std::uint32_t>(m_layout.processes.size());
        for (std::uint32_t i = 0; i < count; ++i) {
            m_layout.processes[i].pid = i + 1;
            for (Thread& thread : m_layout.processes[i].threads) thread.tid += count + 1;
        }
        for (Slice& slice : m_layout.slices) {
            slice.pid += 1;
            slice.tid += count + 1;
        }
        for (Exported& exported : m_layout.traces) exported.counterTid += count + 1;
    }

    Layout m_layout;
    std::vector<std::vector<LaneRows>> m_lanes;  ///< by exported trace, by lane
    std::uint32_t m_threads = 0;
};

}  // namespace

Layout layOut(const Run& run, bool withPrediction) { return Builder(run, withPrediction).build(); }

}  // namespace lanewright::chrome
