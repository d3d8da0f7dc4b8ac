// SPDX-License-Identifier: GPL-3.0-or-later
// Events are written as they are met: metadata, slices, arrows, counters. The rules are in docs/chrome-trace.md.
#include "engine/report/chrome_trace.h"

#include "engine/report/chrome_flows.h"
#include "engine/report/chrome_layout.h"
#include "engine/report/text_sink.h"

#include <algorithm>
#include <array>
#include <map>

namespace lanewright {
namespace {

using chrome::Exported;
using chrome::Layout;
using chrome::Process;
using chrome::Slice;
using chrome::Thread;

std::string_view chromeCategory(SpanCategory category) {
    switch (category) {
    case SpanCategory::stage:
    case SpanCategory::conversion: return "stage";
    case SpanCategory::copy: return "copy";
    case SpanCategory::read:
    case SpanCategory::write: return "io";
    case SpanCategory::setup: return "setup";
    }
    return "host";
}

/// Chrome takes these names for something else.
std::string eventName(const std::string& name) {
    const bool taken = name == "CpuProfile" || name == "Profile" || name == "ProfileChunk";
    return taken || name.empty() ? "stage " + name : name;
}

class Writer {
public:
    Writer(const Run& run, const PieceWriter& write, const ReportOptions& options)
        : m_run(run), m_options(options), m_layout(chrome::layOut(run, options.predicted)), m_out(write) {
        for (const Exported& exported : m_layout.traces) {
            for (const Batch& batch : exported.trace->batches)
                m_batches[exported.trace][batch.step] = batch.images.size();
        }
    }

    void run() {
        m_out.text("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
        writeNames();
        for (const Slice& slice : m_layout.slices) writeSlice(slice);
        for (const Exported& exported : m_layout.traces) writeFlows(exported);
        for (const Exported& exported : m_layout.traces) writeCounters(exported);
        m_out.text("\n],\"metadata\":{");
        writeMetadata();
        m_out.text("}}\n");
    }

private:
    void begin(char phase, std::uint32_t pid, std::uint32_t tid) {
        m_out.text(m_first ? "\n{\"ph\":\"" : ",\n{\"ph\":\"").text({&phase, 1});
        m_first = false;
        m_out.text("\",\"pid\":").number(pid).text(",\"tid\":").number(tid);
    }

    /// Whole ns as us with three decimals and a fourth that is 1: readers that cut `ts` and `dur` to ns get them back.
    void time(std::string_view key, std::int64_t ns) {
        ns = std::max<std::int64_t>(0, ns);
        const std::array<char, 5> fraction = {'.', static_cast<char>('0' + ns / 100 % 10),
                                              static_cast<char>('0' + ns / 10 % 10), static_cast<char>('0' + ns % 10),
                                              '1'};
        m_out.text(",\"").text(key).text("\":").number(ns / 1000).text({fraction.data(), fraction.size()});
    }

    void writeMeta(std::string_view name, std::uint32_t pid, std::uint32_t tid, std::string_view value) {
        begin('M', pid, tid);
        m_out.text(",\"name\":\"").text(name).text("\",\"args\":{\"name\":").jsonString(value).text("}}");
    }

    void writeOrder(std::string_view name, std::uint32_t pid, std::uint32_t tid, std::uint32_t order) {
        begin('M', pid, tid);
        m_out.text(",\"name\":\"").text(name).text("\",\"args\":{\"sort_index\":").number(order).text("}}");
    }

    void writeNames() {
        for (const Process& process : m_layout.processes) {
            const std::uint32_t first = process.threads.front().tid;
            writeMeta("process_name", process.pid, first, process.name);
            writeOrder("process_sort_index", process.pid, first, process.pid);
            for (const Thread& thread : process.threads) {
                writeMeta("thread_name", process.pid, thread.tid, thread.name);
                writeOrder("thread_sort_index", process.pid, thread.tid, thread.tid);
            }
        }
        if (!m_layout.processes.empty()) return;
        writeMeta("process_name", 1, 2, m_run.projectName.empty() ? "nothing ran" : m_run.projectName);
        writeOrder("process_sort_index", 1, 2, 1);
    }

    void writeSlice(const Slice& slice) {
        const std::vector<TraceTemplate>& templates = slice.trace->templates;
        static const TraceTemplate unknown;
        const bool known = slice.span->stepTemplate < templates.size();
        const TraceTemplate& description = known ? templates[slice.span->stepTemplate] : unknown;
        begin(slice.duration > 0 ? 'X' : 'i', slice.pid, slice.tid);
        m_out.text(",\"cat\":\"").text(chromeCategory(description.category)).text("\",\"name\":");
        m_out.jsonString(eventName(description.name));
        time("ts", slice.begin);
        if (slice.duration > 0)
            time("dur", slice.duration);
        else
            m_out.text(",\"s\":\"t\"");
        if (m_options.arguments) writeArguments(slice);
        m_out.text("}");
    }

    void writeArguments(const Slice& slice) {
        const Span& span = *slice.span;
        m_out.text(",\"args\":{\"step\":").number(span.step.value);
        const auto& batches = m_batches[slice.trace];
        const auto batch = batches.empty() ? batches.end() : batches.find(span.step);
        if (batch != batches.end())
            m_out.text(",\"images\":").unsignedNumber(batch->second);
        else if (span.image.valid() && span.image.index() < m_run.images.size())
            m_out.text(",\"image\":").jsonString(m_run.images[span.image.index()].name);
        if (span.bytes.value > 0) {
            m_out.text(",\"bytes\":").unsignedNumber(span.bytes.value);
            if (slice.duration > 0) {
                const double rate = static_cast<double>(span.bytes.value) / static_cast<double>(slice.duration);
                m_out.text(",\"GB_per_s\":").fixed(rate, 3);
            }
        }
        m_out.text(",\"waited_us\":").fixed(static_cast<double>((span.begin - span.ready).count()) * 1e-3, 3).text("}");
    }

    void writeFlows(const Exported& exported) {
        std::vector<const Span*> spans;
        std::map<const Span*, const Slice*> slices;
        for (const Slice& slice : m_layout.slices)
            if (slice.trace == exported.trace) spans.push_back(slice.span);
        const auto dependencies = dependenciesOf(*exported.trace, spans, m_options.mostArrows);
        if (!dependencies) {
            m_flowsLeftOut = true;
            return;
        }
        for (const Dependency& d : *dependencies) slices[d.producer] = slices[d.consumer] = nullptr;
        for (const Slice& slice : m_layout.slices) {
            const auto wanted = slices.find(slice.span);
            if (wanted != slices.end()) wanted->second = &slice;
        }
        for (const Dependency& d : *dependencies) writeFlow(*slices[d.producer], *slices[d.consumer]);
    }

    /// From the last but one ns of the producer to the second of the consumer. An arrow that would go back in time, by the
    /// uncertainty of the clocks, begins earlier, or is left out.
    void writeFlow(const Slice& from, const Slice& to) {
        if (from.duration < 3 || to.duration < 3) return;
        const std::int64_t arrival = to.begin + 1;
        const std::int64_t departure = std::min(from.begin + from.duration - 1, arrival);
        if (departure <= from.begin) return;
        ++m_flows;
        writeFlowEnd('s', from, departure);
        writeFlowEnd('f', to, arrival);
    }

    void writeFlowEnd(char phase, const Slice& slice, std::int64_t when) {
        begin(phase, slice.pid, slice.tid);
        m_out.text(",\"cat\":\"sync\",\"name\":\"input\",\"id\":\"0x").hexadecimal(m_flows).text("\"");
        if (phase == 'f') m_out.text(",\"bp\":\"e\"");
        time("ts", when);
        m_out.text("}");
    }

    void writeCounters(const Exported& exported) {
        for (const Counter& counter : exported.trace->counters) {
            if (counter.samples.empty()) continue;
            const std::string name =
                counter.name + (exported.trace->origin == TraceOrigin::predicted ? " (predicted)" : "");
            std::int64_t last = 0;
            for (const CounterSample& sample : counter.samples) {
                last = std::max(last, std::max<std::int64_t>(0, toNs(sample.when) + exported.shift));
                writeSample(exported, name, last, sample.value);
            }
            if (last < m_layout.endNs) writeSample(exported, name, m_layout.endNs, counter.samples.back().value);
        }
    }

    void writeSample(const Exported& exported, const std::string& name, std::int64_t when, double value) {
        begin('C', exported.counterPid, exported.counterTid);
        m_out.text(",\"name\":").jsonString(name);
        time("ts", when);
        m_out.text(",\"args\":{").jsonString(name).text(":").shortest(value).text("}}");
    }

    void writeMetadata() {
        m_out.text("\"program\":\"Lanewright\",\"version\":").jsonString(m_run.version);
        m_out.text(",\"project\":").jsonString(m_run.projectName);
        m_out.text(",\"started_at\":").jsonString(m_run.startedAt);
        m_out.text(",\"repeats\":").unsignedNumber(m_run.measured.size());
        m_out.text(",\"run_start_us\":").fixed(static_cast<double>(m_layout.startNs) * 1e-3, 3);
        m_out.text(",\"flows_left_out\":").text(m_flowsLeftOut ? "true" : "false");
        const Trace* shown = shownTrace(m_run);
        if (shown && shown->origin == TraceOrigin::simulated) m_out.text(",\"seed\":").unsignedNumber(shown->seed);
        if (!m_run.machine) return;
        m_out.text(",\"machine\":").jsonString(m_run.machine->name);
        for (std::size_t i = 0; i < m_run.machine->devices.size(); ++i) {
            const Device& device = m_run.machine->devices[i];
            const std::string driver = device.driverVersion.empty() ? "" : ", " + device.driverVersion;
            m_out.text(",").jsonString("device " + device.name).text(":").jsonString(device.label + driver);
            if (shown && i < shown->clockUncertainty.size() && shown->clockUncertainty[i].count() > 0)
                m_out.text(",")
                    .jsonString("clock_uncertainty_ns " + device.name)
                    .text(":")
                    .number(shown->clockUncertainty[i].count());
        }
    }

    const Run& m_run;
    const ReportOptions& m_options;
    Layout m_layout;
    TextSink m_out;
    std::map<const Trace*, std::map<StepId, std::size_t>> m_batches;
    std::uint64_t m_flows = 0;
    bool m_flowsLeftOut = false;
    bool m_first = true;
};

Status saveChromeTrace(const Run& run, const std::filesystem::path& path, const ReportOptions& options) {
    return saveFileInPieces(path, [&](const PieceWriter& write) { writeChromeTrace(run, write, options); });
}

}  // namespace

void writeChromeTrace(const Run& run, const PieceWriter& write, const ReportOptions& options) {
    Writer(run, write, options).run();
}

extern constinit const Exporter chromeTraceExporter;
constinit const Exporter chromeTraceExporter = {
    "trace",
    "--trace",
    "Chrome trace",
    "trace.json",
    "Writes every span as Chrome Trace Event JSON, for Perfetto, Tracy, chrome://tracing or speedscope",
    saveChromeTrace};

}  // namespace lanewright
