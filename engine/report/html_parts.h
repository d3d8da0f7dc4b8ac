// SPDX-License-Identifier: GPL-3.0-or-later
// The parts that the HTML report is put together from. Each writes one section; what they show is gathered once.
#pragma once

#include "engine/analysis/compare.h"
#include "engine/analysis/critical_path.h"
#include "engine/analysis/summary.h"
#include "engine/report/exporter.h"
#include "engine/report/html_sink.h"
#include "engine/report/html_texts.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lanewright::html {

struct ReportData {
    ReportData(const Run& run, const ReportOptions& options);

    const Run& run;
    const ReportOptions& options;
    const Texts& texts;
    RunSummary summary;
    std::shared_ptr<const Trace> shown;      ///< the last repeat, or the prediction where nothing ran; may be none
    std::shared_ptr<const Trace> predicted;  ///< beside it; none when `shown` is the prediction
    std::shared_ptr<const Machine> machine;  ///< never none
    std::vector<LaneIdle> idle;              ///< of `shown`
    CriticalPath path;                       ///< of `shown`
    std::optional<Comparison> comparison;

    bool measured() const { return shown && shown->origin != TraceOrigin::predicted; }
    /// Class names of the colours of a stage, or of what else a step does: "c-decode", "c-copy".
    std::string colourClass(const TraceTemplate& description) const;
    std::string colourClass(SpanCategory category, std::string_view stageId) const;
    std::string imageName(ImageIndex image) const;
};

void writePageBegin(HtmlSink& out, const ReportData& data);
void writeHeader(HtmlSink& out, const ReportData& data);
void writeProblems(HtmlSink& out, const ReportData& data);
void writeKeyFigures(HtmlSink& out, const ReportData& data);
void writeTimeline(HtmlSink& out, const ReportData& data);
void writeIdle(HtmlSink& out, const ReportData& data);
void writeCriticalPath(HtmlSink& out, const ReportData& data);
void writeCopies(HtmlSink& out, const ReportData& data);
void writeStages(HtmlSink& out, const ReportData& data);
void writeMachine(HtmlSink& out, const ReportData& data);
void writePageEnd(HtmlSink& out, const ReportData& data);

}  // namespace lanewright::html
