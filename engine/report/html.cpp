// SPDX-License-Identifier: GPL-3.0-or-later
// The run as one page that is complete in itself: problems first, then figures, timeline, reasons, tables.
#include "engine/files/files.h"
#include "engine/report/exporter.h"
#include "engine/report/html_parts.h"

namespace lanewright {
namespace {

Status saveHtml(const Run& run, const std::filesystem::path& path, const ReportOptions& options) {
    const html::ReportData data(run, options);
    return saveFileInPieces(path, [&data](const PieceWriter& write) {
        html::HtmlSink out(write);
        html::writePageBegin(out, data);
        html::writeHeader(out, data);
        html::writeProblems(out, data);
        html::writeKeyFigures(out, data);
        html::writeTimeline(out, data);
        html::writeIdle(out, data);
        html::writeCriticalPath(out, data);
        html::writeCopies(out, data);
        html::writeStages(out, data);
        html::writeMachine(out, data);
        html::writePageEnd(out, data);
    });
}

}  // namespace

extern constinit const Exporter htmlExporter;
constinit const Exporter htmlExporter = {
    "html",  "--html", "Report (HTML)", "html", "Writes one page with timeline, idle reasons, copies and tables",
    saveHtml};

}  // namespace lanewright
