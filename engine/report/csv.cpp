// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/csv.h"

#include "engine/analysis/summary.h"
#include "engine/report/names.h"
#include "engine/report/text_sink.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace lanewright {
namespace {

/// Fields of one line after the other; the caller keeps to the columns of the heading.
class Table {
public:
    Table(const PieceWriter& write, std::string_view heading) : m_out(write) { m_out.text(heading).text("\r\n"); }

    Table& text(std::string_view value) {
        separate();
        m_out.text(csvField(value));
        return *this;
    }
    Table& number(std::int64_t value) {
        separate();
        m_out.number(value);
        return *this;
    }
    Table& number(Duration value) { return number(value.count()); }
    Table& count(std::uint64_t value) {
        separate();
        m_out.unsignedNumber(value);
        return *this;
    }
    Table& rate(double value) {
        separate();
        m_out.fixed(value, 6);
        return *this;
    }
    Table& empty() {
        separate();
        return *this;
    }
    void end() {
        m_out.text("\r\n");
        m_first = true;
    }

private:
    void separate() {
        if (!m_first) m_out.text(",");
        m_first = false;
    }

    TextSink m_out;
    bool m_first = true;
};

std::vector<const Trace*> tracesOf(const Run& run, const ReportOptions& options) {
    std::vector<const Trace*> traces;
    if (const Trace* shown = shownTrace(run)) traces.push_back(shown);
    if (options.predicted && run.predicted && !run.measured.empty()) traces.push_back(run.predicted.get());
    return traces;
}

/// All spans by begin; equal ones by lane and step, so that the same run gives the same file.
std::vector<const Span*> sortedSpans(const Trace& trace) {
    std::vector<const Span*> spans;
    spans.reserve(trace.spanCount());
    trace.forEach([&spans](const Span& span) { spans.push_back(&span); });
    std::sort(spans.begin(), spans.end(), [](const Span* a, const Span* b) {
        return std::tuple(a->begin, a->lane, a->step) < std::tuple(b->begin, b->lane, b->step);
    });
    return spans;
}

/// What the rows of one trace look up.
struct TraceRows {
    TraceRows(const Run& run, const Trace& trace) : run(run), trace(trace) {
        for (const Batch& batch : trace.batches) batches[batch.step] = batch.images.size();
        for (const Superseded& record : trace.superseded) superseded.insert(record.step);
    }

    void write(Table& table, const Span& span) const {
        static const TraceTemplate unknown;
        const bool known = span.stepTemplate < trace.templates.size();
        const TraceTemplate& description = known ? trace.templates[span.stepTemplate] : unknown;
        table.text(originName(trace.origin)).count(span.step.value);
        table.text(description.name).text(description.stageId).text(categoryName(description.category));
        writePlace(table, span);
        writeImage(table, span);
        for (const Instant when : {span.ready, span.submitted, span.returned, span.begin, span.end})
            table.number(when - trace.start);
        const Duration duration = span.end - span.begin;
        table.number(duration).number(span.begin - span.ready).count(span.bytes.value);
        if (span.bytes.value > 0 && duration > Duration(0))
            table.rate(static_cast<double>(span.bytes.value) / static_cast<double>(duration.count()));
        else
            table.empty();
        table.count(superseded.contains(span.step) ? 1 : 0).end();
    }

    void writePlace(Table& table, const Span& span) const {
        const Machine* machine = trace.machine.get();
        if (!machine || span.lane >= machine->lanes.size()) {
            table.empty().empty();
            return;
        }
        const Lane& lane = machine->lanes[span.lane];
        table.text(machine->device(lane.device).name).text(lane.name);
    }

    void writeImage(Table& table, const Span& span) const {
        if (!span.image.valid()) {
            table.empty().empty().count(0);
            return;
        }
        table.count(span.image.value);
        table.text(span.image.index() < run.images.size() ? run.images[span.image.index()].name : std::string());
        const auto batch = batches.find(span.step);
        table.count(batch == batches.end() ? 1 : batch->second);
    }

    const Run& run;
    const Trace& trace;
    std::unordered_map<StepId, std::size_t> batches;
    std::unordered_set<StepId> superseded;
};

Status saveCsv(const Run& run, const std::filesystem::path& path, const ReportOptions& options) {
    const Status spans = saveFileInPieces(path, [&](const PieceWriter& write) { writeSpansCsv(run, write, options); });
    std::error_code error;
    const bool pipe = std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
    if (!spans || pipe) return spans;
    return saveFileInPieces(stagesPath(path), [&](const PieceWriter& write) { writeStagesCsv(run, write, options); });
}

}  // namespace

void writeSpansCsv(const Run& run, const PieceWriter& write, const ReportOptions& options) {
    Table table(write, "origin,step,name,stage,category,device,lane,image_index,image,images,ready_ns,submitted_ns,"
                       "returned_ns,begin_ns,end_ns,duration_ns,waited_ns,bytes,rate_GB_per_s,superseded");
    for (const Trace* trace : tracesOf(run, options)) {
        const TraceRows rows(run, *trace);
        for (const Span* span : sortedSpans(*trace)) rows.write(table, *span);
    }
}

void writeStagesCsv(const Run& run, const PieceWriter& write, const ReportOptions& options) {
    Table table(write, "origin,name,stage,category,device,count,total_ns,mean_ns,min_ns,median_ns,p90_ns,p99_ns,max_ns,"
                       "superseded");
    for (const Trace* trace : tracesOf(run, options)) {
        const TraceSummary summary = summarize(*trace, run.images.size(), run.megapixels);
        for (const StageSummary& stage : summary.stages) {
            const Distribution& d = stage.durations;
            table.text(originName(trace->origin)).text(stage.name).text(stage.stageId);
            table.text(categoryName(stage.category)).text(trace->machine->device(stage.device).name).count(d.count);
            table.number(d.total).number(d.mean).number(d.min).number(d.median).number(d.p90).number(d.p99);
            table.number(d.max).count(stage.superseded).end();
        }
    }
}

std::filesystem::path stagesPath(const std::filesystem::path& path) {
    std::filesystem::path result = path;
    if (result.extension() == ".csv") result.replace_extension();
    result += ".stages.csv";
    return result;
}

std::string csvField(std::string_view text) {
    constexpr std::string_view formulaStarts = "=+-@\t\r";
    std::string value = withValidUtf8(text);
    if (!value.empty() && formulaStarts.find(value.front()) != std::string_view::npos) value.insert(0, 1, '\'');
    const bool quoted = value.find_first_of(",\"\r\n") != std::string::npos ||
                        (!value.empty() && (value.front() == ' ' || value.back() == ' '));
    if (!quoted) return value;
    std::string result = "\"";
    for (const char c : value) {
        if (c == '"') result += '"';
        result += c;
    }
    return result + "\"";
}

extern constinit const Exporter csvExporter;
constinit const Exporter csvExporter = {
    "csv",  "--csv", "Tables (CSV)", "csv", "Writes a row per span, and beside it (.stages.csv) a row per stage",
    saveCsv};

}  // namespace lanewright
