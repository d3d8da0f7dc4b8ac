// SPDX-License-Identifier: GPL-3.0-or-later
// Stacked bars: how busy each lane was and why it was idle, and what the critical path is made of.
#include "engine/figure/stacked_bar.h"
#include "engine/figure/timeline_figure.h"
#include "engine/report/format.h"
#include "engine/report/html_parts.h"

#include <algorithm>
#include <array>

namespace lanewright::html {
namespace {

constexpr double referenceWidth = 520;  // what labels are fitted to; bars are hardly ever narrower
constexpr double barHeight = 20;
constexpr std::size_t mostLanesEach = 6;  ///< of one device and role; more are shown as their mean, each on demand

double textWidth(std::string_view text) { return 6.4 * static_cast<double>(text.size()); }

/// Busy first, then the reasons.
using Parts = std::array<Duration, idleReasonCount + 1>;

Parts partsOf(const LaneSummary& lane) {
    Parts parts{};
    parts[0] = lane.busy;
    std::copy(lane.idle.begin(), lane.idle.end(), parts.begin() + 1);
    return parts;
}

struct BarRow {
    std::string device;  ///< empty: the same as above
    std::string name;
    Parts parts{};
    Duration total{0};
};

class IdleChart {
public:
    IdleChart(HtmlSink& out, const ReportData& data) : m_out(out), m_data(data) {}

    void write() {
        const Texts& t = m_data.texts;
        m_out.markup("<section class=\"panel idle\"><h2>")
            .text(t.idle)
            .markup("</h2><p class=\"hint\">")
            .text(t.idleNote)
            .markup("</p>\n");
        const FigureIndex index(m_data.shown);
        const FigureIndex* const indices[] = {&index};
        const std::vector<LaneId> lanes = lanesInUse(*m_data.machine, indices);
        m_out.markup("<div class=\"bars\">\n");
        for (std::size_t first = 0; first < lanes.size();) first = writeGroup(lanes, first);
        m_out.markup("</div>\n");
        writeLegend();
        m_out.markup("</section>\n");
    }

private:
    const LaneSummary& summaryOf(LaneId lane) const { return m_data.summary.trace.lanes[lane.index()]; }

    /// The lanes of one device and role from `first` on; returns one past the last.
    std::size_t writeGroup(const std::vector<LaneId>& lanes, std::size_t first) {
        const Machine& machine = *m_data.machine;
        const Lane& lane = machine.lane(lanes[first]);
        std::size_t last = first;
        while (last < lanes.size() && machine.lane(lanes[last]).device == lane.device &&
               machine.lane(lanes[last]).role == lane.role)
            ++last;
        const bool newDevice = first == 0 || machine.lane(lanes[first - 1]).device != lane.device;
        std::string device = newDevice ? machine.device(lane.device).name : std::string();
        if (last - first <= mostLanesEach) {
            for (std::size_t i = first; i < last; ++i) writeLane(lanes[i], std::exchange(device, {}));
            return last;
        }
        const auto count = static_cast<std::int64_t>(last - first);
        BarRow mean{device,
                    filled(m_data.texts.meanOf, {{"count", countText(last - first)}}),
                    {},
                    m_data.summary.trace.makespan * count};
        for (std::size_t i = first; i < last; ++i) {
            const Parts parts = partsOf(summaryOf(lanes[i]));
            for (std::size_t k = 0; k < parts.size(); ++k) mean.parts[k] += parts[k];
        }
        writeBar(mean, count);
        m_out.markup("</div><details><summary>")
            .text(filled(m_data.texts.eachLane, {{"count", countText(last - first)}}));
        m_out.markup("</summary><div class=\"bars\">\n");
        for (std::size_t i = first; i < last; ++i) writeLane(lanes[i], {});
        m_out.markup("</div></details><div class=\"bars\">\n");
        return last;
    }

    void writeLane(LaneId lane, std::string device) {
        writeBar({std::move(device), m_data.machine->lane(lane).name, partsOf(summaryOf(lane)),
                  m_data.summary.trace.makespan},
                 1);
    }

    void writeBar(const BarRow& row, std::int64_t lanes) {
        const Texts& t = m_data.texts;
        m_out.markup("<div class=\"row\"><span class=\"device\">")
            .text(row.device)
            .markup("</span><span class=\"lane\">")
            .text(row.name);
        m_out.markup("</span><svg width=\"100%\" height=\"").number(barHeight).markup("\" role=\"img\">");
        const std::vector<BarSegment> bar = layoutBar(row.parts, row.total, {referenceWidth, 0.4, 5, textWidth});
        for (const BarSegment& segment : bar) {
            const bool busy = segment.part == 0;
            const auto reason = static_cast<IdleReason>(busy ? 0 : segment.part - 1);
            const double x = segment.x / referenceWidth * 100;
            m_out.markup("<rect class=\"").markup(busy ? "busy" : "r-" + std::string(idleReasonName(reason)));
            m_out.markup("\" x=\"").number(x).markup("%\" width=\"").number(segment.width / referenceWidth * 100);
            m_out.markup("%\" height=\"")
                .number(barHeight)
                .markup("\"><title>")
                .text(busy ? t.busy : t.reason(reason))
                .markup(" ");
            m_out.text(percentText(segment.share))
                .markup(", ")
                .text(durationText(row.parts[segment.part] / lanes))
                .markup("</title></rect>");
            if (segment.label.empty()) continue;
            m_out.markup("<text class=\"")
                .markup(busy ? "on-busy" : "on-idle")
                .markup("\" dx=\"5\" y=\"14.5\" x=\"")
                .number(x)
                .markup("%\">");
            m_out.text(segment.label).markup("</text>");
        }
        m_out.markup("</svg></div>\n");
        for (std::size_t i = 0; i < row.parts.size(); ++i) m_used[i] = m_used[i] || row.parts[i] > Duration(0);
    }

    void writeLegend() {
        const Texts& t = m_data.texts;
        m_out
            .markup("<ul class=\"legend\"><li><svg class=\"key\"><rect class=\"busy\" width=\"100%\" "
                    "height=\"100%\"/></svg>")
            .text(t.busy)
            .markup("</li>");
        for (std::size_t i = 0; i < idleReasonCount; ++i) {
            if (!m_used[i + 1]) continue;
            const auto reason = static_cast<IdleReason>(i);
            m_out.markup("<li><svg class=\"key\"><rect class=\"r-")
                .markup(idleReasonName(reason))
                .markup("\" width=\"100%\" height=\"100%\"/></svg>");
            m_out.text(t.reason(reason)).markup("</li>");
        }
        m_out.markup("</ul>");
    }

    HtmlSink& m_out;
    const ReportData& m_data;
    std::array<bool, idleReasonCount + 1> m_used{};
};

/// What a piece of the path is called and which colours it has.
struct PathPart {
    std::string name;
    std::string cssClass;
    std::string letter;
    Duration duration{0};
};

std::vector<PathPart> pathParts(const ReportData& data) {
    constexpr double leastShare = 0.01;
    const Texts& t = data.texts;
    std::vector<PathPart> parts;
    PathPart other{std::string(t.pathOther), "c-setup", "", Duration(0)};
    for (const PathShare& share : data.path.shares) {
        if (share.share < leastShare || parts.size() == 8) {
            other.duration += share.duration;
            continue;
        }
        PathPart part{share.name, "", "", share.duration};
        switch (share.kind) {
        case PathPieceKind::step: part.cssClass = data.colourClass(share.category, share.stageId); break;
        case PathPieceKind::scheduler: part = {std::string(t.pathScheduler), "r-scheduler", "", share.duration}; break;
        case PathPieceKind::device: part = {std::string(t.pathDevice), "r-device", "", share.duration}; break;
        case PathPieceKind::finishing:
            part = {std::string(t.pathFinishing), "r-nothingLeft", "", share.duration};
            break;
        }
        const bool isStage = share.kind == PathPieceKind::step && share.category == SpanCategory::stage;
        for (const StageRecord& stage : data.run.stages)
            if (isStage && stage.id == share.stageId) part.letter = stage.letter;
        parts.push_back(std::move(part));
    }
    if (other.duration > Duration(0)) parts.push_back(std::move(other));
    return parts;
}

}  // namespace

void writeIdle(HtmlSink& out, const ReportData& data) {
    if (data.shown && data.shown->machine && data.shown->spanCount() > 0) IdleChart(out, data).write();
}

void writeCriticalPath(HtmlSink& out, const ReportData& data) {
    const std::vector<PathPart> parts = pathParts(data);
    if (parts.empty() || !data.shown) return;
    std::vector<Duration> durations;
    for (const PathPart& part : parts) durations.push_back(part.duration);
    const Duration total = data.shown->makespan();
    out.markup("<section class=\"panel path\"><h2>")
        .text(data.texts.path)
        .markup("</h2><p class=\"hint\">")
        .text(data.texts.pathNote);
    out.markup("</p><svg class=\"whole\" width=\"100%\" height=\"26\" role=\"img\">");
    constexpr double width = 600;
    for (const BarSegment& segment : layoutBar(durations, total, {width, 0.4, 5, textWidth})) {
        const PathPart& part = parts[segment.part];
        out.markup("<rect class=\"")
            .markup(part.cssClass)
            .markup("\" x=\"")
            .number(segment.x / width * 100)
            .markup("%\" width=\"");
        out.number(segment.width / width * 100).markup("%\" height=\"26\"><title>").text(part.name).markup(" ");
        out.text(percentText(segment.share)).markup("</title></rect>");
        const bool named = part.cssClass.starts_with("c-");
        const std::string label = part.letter.empty() ? segment.label : part.letter + "  " + segment.label;
        if (segment.label.empty() || textWidth(label) + 10 > segment.width) continue;
        out.markup("<text class=\"")
            .markup(named ? "t" + part.cssClass.substr(1) : "on-idle")
            .markup("\" y=\"17.5\" x=\"");
        out.number((segment.x + segment.width / 2) / width * 100).markup("%\">").text(label).markup("</text>");
    }
    out.markup("</svg><ul class=\"legend\">");
    for (const PathPart& part : parts) {
        if (part.cssClass.starts_with("c-"))
            out.markup("<li><b class=\"key ").markup(part.cssClass).markup("\">").text(part.letter).markup("</b>");
        else
            out.markup("<li><svg class=\"key\"><rect class=\"")
                .markup(part.cssClass)
                .markup("\" width=\"100%\" height=\"100%\"/></svg>");
        out.text(part.name).markup(" <span class=\"n\">").text(durationText(part.duration)).markup("</span></li>");
    }
    out.markup("</ul></section>\n");
}

}  // namespace lanewright::html
