// SPDX-License-Identifier: GPL-3.0-or-later
// Key figures on top of the page, and the makespans of prediction and repeats as bars.
#include "engine/report/format.h"
#include "engine/report/html_parts.h"

#include <algorithm>
#include <cmath>

namespace lanewright::html {
namespace {

constexpr std::size_t mostRepeats = 12;

void writeFigure(HtmlSink& out, std::string_view label, std::string_view value, std::string_view note,
                 std::string_view cssClass = "") {
    out.markup("<div class=\"figure ").markup(cssClass).markup("\"><dt>").text(label).markup("</dt><dd><b>");
    out.text(value).markup("</b><small>").text(note).markup("</small></dd></div>\n");
}

std::string makespanNote(const ReportData& data) {
    const RepeatSummary& repeats = data.summary.repeats;
    if (repeats.count < 2) return data.measured() ? std::string(data.texts.makespanOfOne) : std::string();
    return filled(data.texts.makespanOfMany,
                  {{"count", countText(repeats.count - 1)}, {"spread", durationText(repeats.spread)}});
}

void writeCopyFigure(HtmlSink& out, const ReportData& data) {
    ByteCount bytes;
    std::size_t copies = 0;
    for (const LinkSummary& link : data.summary.trace.links) {
        bytes += link.bytes;
        copies += link.copies;
    }
    const std::string note = copies == 0 ? std::string(data.texts.nothingCopied)
                                         : filled(data.texts.copiedIn, {{"copies", countText(copies)}});
    writeFigure(out, data.texts.copied, bytesText(bytes), note);
}

void writeErrorFigure(HtmlSink& out, const ReportData& data) {
    if (!data.summary.predictionError) return;
    const double error = *data.summary.predictionError;
    const std::string note =
        filled(data.texts.predictionWas, {{"predicted", durationText(*data.summary.predictedMakespan)},
                                          {"measured", durationText(data.summary.makespan)}});
    constexpr double good = 0.15;  // what a second run of a plan is held to
    writeFigure(out, data.texts.predictionError, signedPercentText(error), note,
                std::abs(error) <= good ? "good" : "poor");
}

void writeMakespanBar(HtmlSink& out, std::string_view label, std::string_view note, Duration makespan, Duration longest,
                      std::string_view cssClass) {
    const double share =
        longest > Duration(0) ? static_cast<double>(makespan.count()) / static_cast<double>(longest.count()) : 0;
    out.markup("<tr class=\"").markup(cssClass).markup("\"><th scope=\"row\">").text(label);
    if (!note.empty()) out.markup(" <small>").text(note).markup("</small>");
    out.markup("</th><td class=\"bar\"><i style=\"width:").number(share * 100).markup("%\"></i></td><td class=\"n\">");
    out.text(durationText(makespan)).markup("</td></tr>\n");
}

/// One bar for the prediction and one for each repeat; nothing to compare: none.
void writeMakespans(HtmlSink& out, const ReportData& data) {
    const std::size_t bars = data.run.measured.size() + (data.predicted ? 1 : 0);
    if (bars < 2) return;
    Duration longest = data.predicted ? data.predicted->makespan() : Duration(0);
    for (const auto& trace : data.run.measured) longest = std::max(longest, trace->makespan());
    out.markup("<section class=\"panel makespans\"><h2>").text(data.texts.repeats).markup("</h2><table>\n");
    if (data.predicted) writeMakespanBar(out, data.texts.predicted, "", data.predicted->makespan(), longest, "ghosted");
    for (std::size_t i = 0; i < std::min(data.run.measured.size(), mostRepeats); ++i) {
        const bool first = i == 0 && data.run.measured.size() > 1;
        writeMakespanBar(out, filled(data.texts.repeat, {{"number", std::to_string(i + 1)}}),
                         first ? data.texts.firstRepeat : "", data.run.measured[i]->makespan(), longest,
                         first ? "first" : "");
    }
    out.markup("</table>");
    if (data.run.measured.size() > mostRepeats)
        out.markup("<p class=\"hint\">")
            .text(filled(data.texts.moreRepeats, {{"count", countText(data.run.measured.size() - mostRepeats)}}))
            .markup("</p>");
    out.markup("</section>\n");
}

}  // namespace

void writeKeyFigures(HtmlSink& out, const ReportData& data) {
    if (!data.shown) return;
    const Texts& t = data.texts;
    const RunSummary& summary = data.summary;
    out.markup("<div class=\"summary\"><dl class=\"figures\">\n");
    writeFigure(out, data.measured() ? t.makespan : t.predictedMakespan, durationText(summary.makespan),
                makespanNote(data), "lead");
    writeFigure(
        out, t.imagesPerSecond, numberText(summary.imagesPerSecond),
        filled(t.imagesDone, {{"done", countText(summary.trace.images.done)},
                              {"total", countText(std::max(data.run.images.size(), summary.trace.images.total()))}}));
    writeFigure(out, t.megapixelsPerSecond, numberText(summary.megapixelsPerSecond),
                filled(t.megapixelsTotal, {{"megapixels", numberText(data.run.megapixels)}}));
    writeErrorFigure(out, data);
    writeCopyFigure(out, data);
    if (summary.trace.setup > Duration(0)) writeFigure(out, t.setUp, durationText(summary.trace.setup), t.setUpNote);
    out.markup("</dl>\n");
    writeMakespans(out, data);
    out.markup("</div>\n");
}

}  // namespace lanewright::html
