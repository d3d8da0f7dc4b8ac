// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline as inline SVG: per lane the prediction as outlines behind the measured spans. Places along time are
// percentages, so that it fills any width while text keeps its size; rows are in pixels.
#include "engine/figure/timeline_figure.h"
#include "engine/report/format.h"
#include "engine/report/html_parts.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace lanewright::html {
namespace {

constexpr double referenceWidth = 1000;  // what labels are fitted to; the figure is never shown narrower
constexpr double axisHeight = 26;
constexpr double bottomHeight = 20;
constexpr double slimBelow = 6;  ///< narrower marks are plain: neither hatch nor outline could be seen
// What keeps the page below 2 MB however long the run was.
constexpr std::size_t mostMarks = 3200;
constexpr std::size_t mostGhosts = 2200;
constexpr std::size_t mostGaps = 1200;

/// A cautious guess for the sans-serif fonts of a page, 11 px high.
double textWidth(std::string_view text) {
    const auto characters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
    return 6.9 * static_cast<double>(characters);
}

std::size_t markCount(const TimelineFigure& figure) {
    std::size_t count = 0;
    for (const LaneFigure& lane : figure.lanes) count += lane.spans.size() + lane.blocks.size();
    return count;
}

std::size_t gapCount(const TimelineFigure& figure) {
    std::size_t count = 0;
    for (const LaneFigure& lane : figure.lanes) count += lane.gaps.size();
    return count;
}

class Timeline {
public:
    Timeline(HtmlSink& out, const ReportData& data) : m_out(out), m_data(data), m_index(data.shown) {
        if (data.predicted) m_ghostIndex.emplace(data.predicted);
        const FigureIndex* const indices[] = {&m_index, m_ghostIndex ? &*m_ghostIndex : nullptr};
        const std::vector<LaneId> lanes = lanesInUse(*data.machine, indices);
        const double row = lanes.size() > 40 ? 14 : lanes.size() > 18 ? 20 : 26;
        m_rows = layoutRows(*data.machine, lanes, {row, row > 20 ? 4.0 : 2.0, row > 20 ? 16.0 : 10.0});
        m_length =
            std::max({Duration(1), data.shown->makespan(), data.predicted ? data.predicted->makespan() : Duration(0)});
        m_length += m_length / 60;  // room for the text at the last line
        for (const Superseded& record : data.shown->superseded) m_superseded.insert(record.step);
        for (const ImageEnd& end : data.shown->imageEnds) {
            const bool known = end.image.index() < data.run.images.size();
            if (known && data.run.images[end.image.index()].outcome == ImageOutcome::failed)
                m_failing.insert(end.lastStep);
        }
        for (const Batch& batch : data.shown->batches) m_batches[batch.step] = batch.images.size();
        layOut();
    }

    void write() {
        const Texts& t = m_data.texts;
        m_out.markup("<section class=\"panel timeline\"><div class=\"head\"><h2>").text(t.timeline).markup("</h2>");
        if (m_ghosts) writeSwitch();
        writeUncertainty();
        m_out.markup("</div>\n<div class=\"lanes\">");
        writeLabels();
        const double height = axisHeight + m_rows.height + bottomHeight;
        m_out.markup("<div class=\"scroll\" tabindex=\"0\" role=\"img\" aria-label=\"").text(t.timelineLabel);
        m_out.markup("\"><svg width=\"100%\" height=\"").number(height).markup("\">\n");
        writeAxis();
        for (std::size_t i = 0; i < m_rows.rows.size(); ++i) writeRow(i);
        writeEnds();
        m_out.markup("</svg></div></div>\n");
        writeLegend();
        m_out.markup("</section>\n");
    }

private:
    void layOut() {
        FigureOptions options;
        options.width = referenceWidth;
        options.textWidth = textWidth;
        options.names = false;
        options.foldBelow = 1.5;
        options.gapBelow = 3;
        options.range = {m_data.shown->start, m_data.shown->start + m_length};
        for (;; options.foldBelow *= 1.5, options.blockWidth *= 1.5) {
            m_figure = layoutTimeline(m_index, m_rows, {}, options);
            if (markCount(m_figure) <= mostMarks || options.foldBelow > referenceWidth) break;
        }
        m_foldBelow = options.foldBelow;
        for (;; options.gapBelow *= 1.5) {
            m_gaps = layoutTimeline(m_index, m_rows, m_data.idle, options);
            if (gapCount(m_gaps) <= mostGaps || options.gapBelow > referenceWidth) break;
        }
        if (!m_ghostIndex) return;
        options.range = {m_data.predicted->start, m_data.predicted->start + m_length};
        options.foldBelow = 1.5;
        options.textWidth = nullptr;
        for (;; options.foldBelow *= 1.5, options.blockWidth *= 1.5) {
            m_ghosts = layoutTimeline(*m_ghostIndex, m_rows, {}, options);
            if (markCount(*m_ghosts) <= mostGhosts || options.foldBelow > referenceWidth) break;
        }
    }

    void percent(double pixels) { m_out.number(pixels / referenceWidth * 100).markup("%"); }

    void writeSwitch() {
        const Texts& t = m_data.texts;
        m_out.markup("<fieldset class=\"switch\">");
        const std::array<std::pair<std::string_view, std::string_view>, 3> choices = {
            {{"show-predicted", t.showPredicted}, {"show-measured", t.showMeasured}, {"show-both", t.showBoth}}};
        for (const auto& [id, label] : choices) {
            m_out.markup("<input type=\"radio\" name=\"show\" id=\"")
                .markup(id)
                .markup(id == "show-both" ? "\" checked>" : "\">");
            m_out.markup("<label for=\"").markup(id).markup("\">").text(label).markup("</label>");
        }
        m_out.markup("</fieldset>");
    }

    void writeUncertainty() {
        Duration largest{0};
        for (const Duration d : m_data.shown->clockUncertainty) largest = std::max(largest, d);
        if (largest <= Duration(0)) return;
        m_out.markup("<p class=\"aside\">")
            .text(filled(m_data.texts.clockUncertainty, {{"time", durationText(largest)}}))
            .markup("</p>");
    }

    void writeLabels() {
        m_out.markup("<div class=\"names\" style=\"height:").number(axisHeight + m_rows.height).markup("px\">");
        for (const DeviceRows& device : m_rows.devices) {
            const std::string& name = m_data.machine->device(device.device).name;
            writeLabel("device", axisHeight + device.y, m_rows.rows[device.firstRow].height, name);
        }
        for (const TimelineRow& row : m_rows.rows)
            writeLabel("lane", axisHeight + row.y, row.height, m_data.machine->lane(row.lane).name);
        m_out.markup("</div>");
    }

    void writeLabel(std::string_view cssClass, double y, double height, std::string_view text) {
        m_out.markup("<span class=\"").markup(cssClass).markup("\" style=\"top:").number(y).markup("px;line-height:");
        m_out.number(height).markup("px\">").text(text).markup("</span>");
    }

    void writeAxis() {
        const double bottom = axisHeight + m_rows.height;
        m_out.markup("<g class=\"axis\">");
        for (const Tick& tick : m_figure.ticks.ticks) {
            const bool last = tick.x > referenceWidth - 24;
            m_out.markup("<line x1=\"");
            percent(tick.x);
            m_out.markup("\" x2=\"");
            percent(tick.x);
            m_out.markup("\" y1=\"")
                .number(axisHeight - 6)
                .markup("\" y2=\"")
                .number(bottom)
                .markup("\"/><text y=\"12\" x=\"");
            percent(tick.x);
            m_out.markup(tick.x < 12 ? "\" class=\"first\">"
                         : last      ? "\" class=\"last\">"
                                     : "\">")
                .text(tick.label)
                .markup("</text>");
        }
        m_out.markup("</g>\n");
    }

    void writeRow(std::size_t i) {
        const TimelineRow& row = m_rows.rows[i];
        m_out.markup("<g><rect class=\"track\" width=\"100%\" y=\"").number(axisHeight + row.y).markup("\" height=\"");
        m_out.number(row.height).markup("\"/>");
        for (const GapBox& gap : m_gaps.lanes[i].gaps) writeGap(gap, row);
        if (m_ghosts) {
            m_out.markup("<g class=\"predicted\">");
            for (const SpanBox& span : m_ghosts->lanes[i].spans) writeGhost(span, row);
            for (const FoldedBlock& block : m_ghosts->lanes[i].blocks) writeGhostBlock(block, row);
            m_out.markup("</g>");
        }
        m_out.markup("<g class=\"measured\">");
        for (const FoldedBlock& block : m_figure.lanes[i].blocks) writeBlock(block, row);
        for (const SpanBox& span : m_figure.lanes[i].spans) writeSpan(span, row);
        m_out.markup("</g></g>\n");
    }

    /// The measured marks leave a margin in which the prediction shows.
    double inset(const TimelineRow& row) const { return m_ghosts ? row.height * 0.16 : row.height * 0.06; }

    void writeRect(std::string_view cssClass, double x, double width, double y, double height) {
        m_out.markup("<rect class=\"").markup(cssClass).markup("\" x=\"");
        percent(x);
        m_out.markup("\" width=\"");
        percent(std::max(width, 1.0));
        m_out.markup("\" y=\"").number(y).markup("\" height=\"").number(height).markup("\"");
    }

    void writeGap(const GapBox& box, const TimelineRow& row) {
        const Texts& t = m_data.texts;
        const double height = std::max(3.0, row.height * 0.16);
        writeRect("gap r-" + std::string(idleReasonName(box.gap->reason)), box.x, box.width,
                  axisHeight + row.y + (row.height - height) / 2, height);
        m_out.markup("><title>").text(t.reason(box.gap->reason)).markup("\n");
        m_out.text(fromText(box.gap->begin, box.gap->end, m_data.shown->start)).markup("</title></rect>");
    }

    std::string fromText(Instant begin, Instant end, Instant origin) const {
        return filled(m_data.texts.spanFrom,
                      {{"duration", durationText(end - begin)}, {"begin", durationText(begin - origin)}});
    }

    const TraceTemplate& templateOf(const Trace& trace, std::uint16_t number) const {
        static const TraceTemplate unknown;
        return number < trace.templates.size() ? trace.templates[number] : unknown;
    }

    void writeSpan(const SpanBox& box, const TimelineRow& row) {
        const Span& span = *box.span;
        const TraceTemplate& description = templateOf(*m_data.shown, span.stepTemplate);
        const double margin = inset(row);
        std::string cssClass = m_data.colourClass(description);
        if (box.width < slimBelow) cssClass += " slim";
        if (m_superseded.contains(span.step)) cssClass += " undone";
        if (m_failing.contains(span.step)) cssClass += " broken";
        writeRect(cssClass, box.x, box.width, axisHeight + row.y + margin, row.height - 2 * margin);
        m_out.markup("><title>").text(tooltip(span, description)).markup("</title></rect>");
        const std::string_view label = labelOf(box, description);
        if (label.empty()) return;
        m_out.markup("<text class=\"t").markup(m_data.colourClass(description).substr(1)).markup("\" x=\"");
        percent(box.x + box.width / 2);
        m_out.markup("\" y=\"")
            .number(axisHeight + row.y + row.height / 2 + 4)
            .markup("\">")
            .text(label)
            .markup("</text>");
    }

    /// Copies carry their direction, stages their letter or name, files nothing: their lane says it.
    std::string_view labelOf(const SpanBox& box, const TraceTemplate& description) const {
        switch (description.category) {
        case SpanCategory::copy:
            return box.width < 12 ? "" : description.to == m_data.machine->hostMemory ? "\u2193" : "\u2191";
        case SpanCategory::conversion: return box.width < 14 ? "" : "\u21c4";
        case SpanCategory::read:
        case SpanCategory::write:
        case SpanCategory::setup: return "";
        case SpanCategory::stage: break;
        }
        return box.label;
    }

    std::string tooltip(const Span& span, const TraceTemplate& description) const {
        const Texts& t = m_data.texts;
        std::string text = description.name;
        const auto batch = m_batches.find(span.step);
        if (batch != m_batches.end())
            text += " \u00b7 " + filled(t.spanImages, {{"count", countText(batch->second)}});
        else if (const std::string image = m_data.imageName(span.image); !image.empty())
            text += " \u00b7 " + image;
        std::string result = text + "\n" + fromText(span.begin, span.end, m_data.shown->start);
        const Duration waited = span.begin - span.ready;
        if (waited > Duration(0)) result += ", " + filled(t.spanWaited, {{"time", durationText(waited)}});
        if (span.bytes.value > 0 && span.end > span.begin) {
            const double rate = static_cast<double>(span.bytes.value) / toSeconds(span.end - span.begin);
            result += "\n" + filled(t.spanBytes, {{"bytes", bytesText(span.bytes)}, {"rate", rateText(rate)}});
        }
        if (m_failing.contains(span.step)) result += "\n" + std::string(t.spanFailed);
        if (m_superseded.contains(span.step)) result += "\n" + std::string(t.spanSuperseded);
        return result;
    }

    void writeBlock(const FoldedBlock& block, const TimelineRow& row) {
        const TraceTemplate& description = templateOf(*m_data.shown, block.stepTemplate);
        // As high as it was busy, so that sparse blocks look sparse; never too low to see.
        const double full = row.height - 2 * inset(row);
        const double height = full * (0.35 + 0.65 * block.busyShare);
        writeRect("fold " + m_data.colourClass(description), block.x, block.width,
                  axisHeight + row.y + (row.height - height) / 2, height);
        m_out.markup("><title>").text(blockText(block, description, m_data.shown->start)).markup("</title></rect>");
    }

    std::string blockText(const FoldedBlock& block, const TraceTemplate& description, Instant origin) const {
        const Texts& t = m_data.texts;
        return filled(t.blockCount, {{"count", countText(block.count)}, {"name", description.name}}) + "\n" +
               filled(t.blockBusy, {{"share", percentText(block.busyShare)},
                                    {"duration", durationText(block.end - block.begin)},
                                    {"begin", durationText(block.begin - origin)}});
    }

    void writeGhost(const SpanBox& box, const TimelineRow& row) {
        const TraceTemplate& description = templateOf(*m_data.predicted, box.span->stepTemplate);
        writeRect(box.width < slimBelow ? "ghost slim" : "ghost", box.x, box.width, axisHeight + row.y + 0.5,
                  row.height - 1);
        m_out.markup("><title>");
        m_out.text(
            filled(m_data.texts.spanPredicted, {{"name", description.name},
                                                {"duration", durationText(box.span->end - box.span->begin)},
                                                {"begin", durationText(box.span->begin - m_data.predicted->start)}}));
        m_out.markup("</title></rect>");
    }

    void writeGhostBlock(const FoldedBlock& block, const TimelineRow& row) {
        const TraceTemplate& description = templateOf(*m_data.predicted, block.stepTemplate);
        writeRect("ghost folded", block.x, block.width, axisHeight + row.y + 0.5, row.height - 1);
        m_out.markup("><title>").text(blockText(block, description, m_data.predicted->start)).markup("</title></rect>");
    }

    /// Lines where the run ended, and where it was predicted to.
    void writeEnds() {
        const Texts& t = m_data.texts;
        const bool simulated = m_data.shown->origin == TraceOrigin::simulated;
        const std::string_view own = !m_data.measured() ? t.endPredicted : simulated ? t.endSimulated : t.endMeasured;
        const Duration shown = m_data.shown->makespan();
        const Duration predicted = m_data.predicted ? m_data.predicted->makespan() : shown;
        // Of two lines close together one text ends at its line, the other too, but one line lower or left of it.
        if (m_data.predicted) writeEnd("end predicted", t.endPredicted, predicted, predicted <= shown);
        writeEnd("end measured", own, shown, predicted > shown);
    }

    void writeEnd(std::string_view cssClass, std::string_view text, Duration when, bool farther) {
        const double x = pixelAt(Instant(when), {Instant(), Instant(m_length)}, referenceWidth);
        const double bottom = axisHeight + m_rows.height;
        m_out.markup("<g class=\"").markup(cssClass).markup("\"><line x1=\"");
        percent(x);
        m_out.markup("\" x2=\"");
        percent(x);
        m_out.markup("\" y1=\"").number(axisHeight - 6).markup("\" y2=\"").number(bottom + 4).markup("\"/><text y=\"");
        m_out.number(bottom + 16).markup("\" x=\"");
        percent(m_data.predicted && farther ? x - 120 : x);
        m_out.markup("\">").text(filled(text, {{"time", durationText(when)}})).markup("</text></g>\n");
    }

    void writeLegend() {
        const Texts& t = m_data.texts;
        m_out.markup("<ul class=\"legend\">");
        for (const StageRecord& stage : m_data.run.stages) {
            m_out.markup("<li><b class=\"key ").markup(m_data.colourClass(SpanCategory::stage, stage.id)).markup("\">");
            m_out.text(stage.letter).markup("</b>").text(stage.label).markup("</li>");
        }
        std::array<bool, 6> used{};
        m_data.shown->forEach([&](const Span& span) {
            used[static_cast<std::size_t>(templateOf(*m_data.shown, span.stepTemplate).category)] = true;
        });
        if (used[static_cast<std::size_t>(SpanCategory::copy)]) {
            m_out.markup("<li><b class=\"key c-copy\">\u2191</b>").text(t.legendUpload).markup("</li>");
            m_out.markup("<li><b class=\"key c-copy\">\u2193</b>").text(t.legendDownload).markup("</li>");
        }
        if (used[static_cast<std::size_t>(SpanCategory::conversion)])
            m_out.markup("<li><b class=\"key c-setup\">\u21c4</b>").text(t.legendConversion).markup("</li>");
        m_out.markup("<li><b class=\"key c-file\"></b>").text(t.legendFiles).markup("</li>");
        if (m_ghosts) m_out.markup("<li><b class=\"key ghost\"></b>").text(t.legendPredicted).markup("</li>");
        m_out.markup("<li><b class=\"key band\"></b>").text(t.legendGap).markup("</li>");
        if (!m_failing.empty() || !m_superseded.empty())
            m_out.markup("<li><b class=\"key broken\"></b>").text(t.legendFailed).markup("</li>");
        m_out.markup("</ul>");
        const bool folded = std::any_of(m_figure.lanes.begin(), m_figure.lanes.end(),
                                        [](const LaneFigure& l) { return !l.blocks.empty(); });
        if (folded)
            m_out.markup("<p class=\"hint\">")
                .text(filled(t.fold, {{"pixels", fixedText(m_foldBelow, 1)}}))
                .markup("</p>");
    }

    HtmlSink& m_out;
    const ReportData& m_data;
    FigureIndex m_index;
    std::optional<FigureIndex> m_ghostIndex;
    RowLayout m_rows;
    TimelineFigure m_figure;  ///< without gaps
    TimelineFigure m_gaps;
    std::optional<TimelineFigure> m_ghosts;
    Duration m_length{1};
    double m_foldBelow = 0;
    std::unordered_set<StepId> m_superseded;
    std::unordered_set<StepId> m_failing;  ///< last steps of images that failed
    std::unordered_map<StepId, std::size_t> m_batches;
};

}  // namespace

void writeTimeline(HtmlSink& out, const ReportData& data) {
    if (data.shown && data.shown->machine && data.shown->spanCount() > 0) Timeline(out, data).write();
}

}  // namespace lanewright::html
