// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of the page: head, colours, header with what the run found, problems first, footer.
#include "engine/figure/palette.h"
#include "engine/report/format.h"
#include "engine/report/html_parts.h"
#include "engine/text/text.h"

#include <algorithm>
#include <cmath>

namespace lanewright {
namespace report {
extern const std::string_view styleSheet;  // resources/themes/report.css
}
namespace html {
namespace {

constexpr std::size_t mostProblems = 200;
constexpr std::array<std::string_view, 4> categoryNames = {"decode", "size", "filter", "encode"};

void writeColour(HtmlSink& out, std::string_view name, Colour colour) {
    out.markup("--").markup(name).markup(":").markup(colourText(colour)).markup(";");
}

void writeMark(HtmlSink& out, std::string_view name, const MarkColours& mark) {
    writeColour(out, std::string(name) + "-fill", mark.fill);
    writeColour(out, std::string(name) + "-text", mark.text);
    writeColour(out, std::string(name) + "-tint", mark.tint);
}

/// The theme as CSS variables; report.css uses nothing else for colour.
void writeVariables(HtmlSink& out, const Palette& p) {
    const std::array<std::pair<std::string_view, Colour>, 12> plain = {{{"page", p.page},
                                                                        {"panel", p.panel},
                                                                        {"raised", p.raised},
                                                                        {"line", p.line},
                                                                        {"grid", p.grid},
                                                                        {"ink", p.ink},
                                                                        {"soft", p.soft},
                                                                        {"accent", p.accent},
                                                                        {"good", p.good},
                                                                        {"warning", p.warning},
                                                                        {"bad", p.bad},
                                                                        {"ghost", p.ghost}}};
    for (const auto& [name, colour] : plain) writeColour(out, name, colour);
    for (std::size_t i = 0; i < categoryNames.size(); ++i) writeMark(out, categoryNames[i], p.stages[i]);
    writeMark(out, "copy", p.copy);
    writeMark(out, "file", p.file);
    writeMark(out, "setup", p.setup);
    writeColour(out, "busy-fill", p.busy.fill);
    writeColour(out, "busy-text", p.busy.text);
    for (std::size_t i = 0; i < idleReasonCount; ++i)
        writeColour(out, idleReasonName(static_cast<IdleReason>(i)), p.reasons[i].fill);
}

struct Motif {
    FillPattern pattern;
    int size;
    std::string_view shape;  ///< of one tile, drawn with the soft colour
};
constexpr std::array motifs = {
    Motif{FillPattern::hatch, 6, R"(<path d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5" stroke-width="1.2"/>)"},
    Motif{FillPattern::dots, 5, R"(<circle cx="2.5" cy="2.5" r=".9" stroke="none" class="dot"/>)"},
    Motif{FillPattern::horizontal, 5, R"(<path d="M0 2.5H5" stroke-width="1"/>)"},
    Motif{FillPattern::vertical, 5, R"(<path d="M2.5 0V5" stroke-width="1"/>)"},
    Motif{FillPattern::cross, 7, R"(<path d="M-1 8L8 -1M-1 -1L8 8" stroke-width=".8"/>)"},
};

void writePattern(HtmlSink& out, std::string_view id, std::string_view ground, int size, std::string_view shape) {
    out.markup("<pattern id=\"").markup(id).markup("\" width=\"").number(size).markup("\" height=\"").number(size);
    out.markup("\" patternUnits=\"userSpaceOnUse\"><rect width=\"").number(size).markup("\" height=\"").number(size);
    out.markup("\" style=\"fill:var(--").markup(ground).markup(")\"/>").markup(shape).markup("</pattern>");
}

/// Patterns for idle reasons ("p-<reason>"), copies and folded blocks ("f-<colours>"); used from every figure of the page.
void writePatterns(HtmlSink& out) {
    out.markup("<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>");
    const Palette& p = palette(Theme::light);  // patterns are the same in both
    for (std::size_t i = 0; i < idleReasonCount; ++i) {
        for (const Motif& motif : motifs) {
            const std::string_view name = idleReasonName(static_cast<IdleReason>(i));
            if (motif.pattern == p.reasons[i].pattern)
                writePattern(out, "p-" + std::string(name), name, motif.size, motif.shape);
        }
    }
    writePattern(out, "p-copy", "copy-fill", motifs[0].size, motifs[0].shape);
    for (const std::string_view name : {"decode", "size", "filter", "encode", "copy", "file", "setup"}) {
        writePattern(out, "f-" + std::string(name), std::string(name) + "-fill", 4,
                     R"(<rect x="2.6" width="1.4" height="4" class="stripe"/>)");
    }
    out.markup("</defs></svg>\n<style>");
    for (std::size_t i = 0; i < idleReasonCount; ++i) {
        const std::string name(idleReasonName(static_cast<IdleReason>(i)));
        const bool plain = p.reasons[i].pattern == FillPattern::none;
        out.markup(".r-")
            .markup(name)
            .markup("{fill:")
            .markup(plain ? "var(--" + name + ")" : "url(#p-" + name + ")")
            .markup("}");
    }
    out.markup("</style>\n");
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : std::string(between)) + part;
    return text;
}

/// "cpu worker 1 was busy 99 % of the time. decode makes up 92 % of the critical path."
std::string finding(const ReportData& data) {
    const auto& lanes = data.summary.trace.lanes;
    const auto busiest = std::max_element(lanes.begin(), lanes.end(), [](const LaneSummary& a, const LaneSummary& b) {
        return a.busyShare < b.busyShare;
    });
    if (busiest == lanes.end() || busiest->busy <= Duration(0)) return {};
    std::string text = filled(data.texts.finding, {{"lane", busiest->name}, {"busy", percentText(busiest->busyShare)}});
    const auto& shares = data.path.shares;
    const auto step =
        std::find_if(shares.begin(), shares.end(), [](const PathShare& s) { return s.kind == PathPieceKind::step; });
    if (step == shares.end()) return text;
    const auto& stages = data.run.stages;
    const auto stage =
        std::find_if(stages.begin(), stages.end(), [&](const StageRecord& s) { return s.id == step->stageId; });
    const bool named = step->category == SpanCategory::stage && stage != stages.end();
    text += " " + filled(data.texts.findingPath,
                         {{"step", named ? stage->label : step->name}, {"share", percentText(step->share)}});
    return text;
}

void writeStageChips(HtmlSink& out, const ReportData& data) {
    out.markup("<ol class=\"chain\">");
    for (const StageRecord& stage : data.run.stages) {
        out.markup("<li class=\"chip c-")
            .markup(categoryNames[static_cast<std::size_t>(stage.category)])
            .markup("\"><b class=\"letter\">");
        out.text(stage.letter)
            .markup("</b><span><strong>")
            .text(stage.label)
            .markup("</strong><small>")
            .text(stage.summary);
        out.markup("</small></span><em>").text(joined(stage.devices, ", ")).markup("</em></li>");
    }
    out.markup("</ol>");
}

void writeProblem(HtmlSink& out, const ReportData& data, std::string_view cssClass, std::string_view state,
                  std::string_view name, const std::vector<Message>& messages) {
    out.markup("<tr class=\"")
        .markup(cssClass)
        .markup("\"><td><span class=\"state\">")
        .text(state)
        .markup("</span></td><th scope=\"row\">");
    out.text(name).markup("</th><td>");
    if (messages.empty()) out.text(data.texts.noReason);
    for (const Message& message : messages)
        out.markup("<p>").text(textOf(message, data.options.language)).markup("</p>");
    out.markup("</td></tr>\n");
}

bool isProblem(const ImageRecord& image) { return image.outcome != ImageOutcome::done || !image.messages.empty(); }

}  // namespace

ReportData::ReportData(const Run& r, const ReportOptions& o)
    : run(r), options(o), texts(textsFor(o.language)), summary(summarize(r)) {
    shown = r.measured.empty() ? r.predicted : r.measured.back();
    if (!r.measured.empty() && o.predicted) predicted = r.predicted;
    machine = shown && shown->machine ? shown->machine : r.machine ? r.machine : std::make_shared<const Machine>();
    if (!shown || !shown->machine) return;
    const TraceIndex index(*shown);
    idle = idleOf(index);
    path = criticalPathOf(index);
    if (predicted && predicted->machine) comparison = compare(TraceIndex(*predicted), index);
}

std::string ReportData::colourClass(SpanCategory category, std::string_view stageId) const {
    switch (category) {
    case SpanCategory::copy: return "c-copy";
    case SpanCategory::read:
    case SpanCategory::write: return "c-file";
    case SpanCategory::setup:
    case SpanCategory::conversion: return "c-setup";
    case SpanCategory::stage: break;
    }
    for (const StageRecord& stage : run.stages) {
        if (stage.id == stageId) return "c-" + std::string(categoryNames[static_cast<std::size_t>(stage.category)]);
    }
    return "c-setup";
}

std::string ReportData::colourClass(const TraceTemplate& description) const {
    return colourClass(description.category, description.stageId);
}

std::string ReportData::imageName(ImageIndex image) const {
    return image.valid() && image.index() < run.images.size() ? run.images[image.index()].name : std::string();
}

void writePageBegin(HtmlSink& out, const ReportData& data) {
    const std::string& project = data.run.projectName;
    out.markup("<!doctype html>\n<html lang=\"")
        .markup(data.texts.language)
        .markup("\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.markup(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
    out.markup("<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    out.text(filled(data.texts.title, {{"project", project.empty() ? std::string(data.texts.untitled) : project}}));
    out.markup("</title>\n<style>\n:root{");
    writeVariables(out, palette(Theme::light));
    out.markup("}\n@media screen and (prefers-color-scheme:dark){:root{");
    writeVariables(out, palette(Theme::dark));
    out.markup("}}\n").markup(report::styleSheet).markup("</style>\n</head>\n<body>\n");
    writePatterns(out);
    out.markup("<main>\n");
}

void writeHeader(HtmlSink& out, const ReportData& data) {
    const Texts& t = data.texts;
    out.markup("<header><p class=\"brand\">Lanewright</p><h1>");
    out.text(data.run.projectName.empty() ? t.untitled : std::string_view(data.run.projectName))
        .markup("</h1><p class=\"meta\">");
    std::vector<std::string> parts;
    if (!data.run.startedAt.empty()) parts.push_back(startText(data.run.startedAt));
    parts.push_back(filled(t.subtitleImages, {{"images", countText(data.run.images.size())},
                                              {"megapixels", numberText(data.run.megapixels)}}));
    if (!data.machine->name.empty()) parts.push_back(data.machine->name);
    out.text(joined(parts, " \u00b7 ")).markup("</p>");
    const bool simulated = data.shown && data.shown->origin == TraceOrigin::simulated;
    if (!data.shown)
        out.markup("<p class=\"note\">").text(t.nothing).markup("</p>");
    else if (simulated)
        out.markup("<p class=\"note\">")
            .text(filled(t.simulated, {{"seed", std::to_string(data.shown->seed)}}))
            .markup("</p>");
    else if (!data.measured())
        out.markup("<p class=\"note\">").text(t.predictedOnly).markup("</p>");
    if (data.run.interrupted) out.markup("<p class=\"note warn\">").text(t.interrupted).markup("</p>");
    const std::string sentence = finding(data);
    if (!sentence.empty()) out.markup("<p class=\"finding\">").text(sentence).markup("</p>");
    if (!data.run.stages.empty()) writeStageChips(out, data);
    out.markup("</header>\n");
}

void writeProblems(HtmlSink& out, const ReportData& data) {
    const Texts& t = data.texts;
    const auto count =
        static_cast<std::size_t>(std::count_if(data.run.images.begin(), data.run.images.end(), isProblem));
    if (count == 0 && data.run.messages.empty()) return;
    out.markup("<section class=\"panel problems\"><h2>").text(t.problems).markup("</h2><table>\n");
    if (!data.run.messages.empty()) writeProblem(out, data, "warning", t.warning, t.wholeRun, data.run.messages);
    std::size_t listed = 0;
    for (const bool failures : {true, false}) {
        for (const ImageRecord& image : data.run.images) {
            const bool failed = image.outcome == ImageOutcome::failed;
            if (!isProblem(image) || failed != failures || listed == mostProblems) continue;
            ++listed;
            const std::string_view state = failed                                     ? t.failed
                                           : image.outcome == ImageOutcome::skipped   ? t.skipped
                                           : image.outcome == ImageOutcome::cancelled ? t.cancelled
                                                                                      : t.warning;
            writeProblem(out, data, failed ? "failed" : "warning", state, image.name, image.messages);
        }
    }
    out.markup("</table>");
    if (count > listed)
        out.markup("<p>").text(filled(t.moreProblems, {{"count", countText(count - listed)}})).markup("</p>");
    out.markup("</section>\n");
}

void writePageEnd(HtmlSink& out, const ReportData& data) {
    out.markup("<footer>")
        .text(filled(data.texts.footer, {{"version", data.run.version}}))
        .markup("</footer>\n</main>\n</body>\n</html>\n");
}

}  // namespace html
}  // namespace lanewright
