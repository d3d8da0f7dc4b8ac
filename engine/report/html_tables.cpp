// SPDX-License-Identifier: GPL-3.0-or-later
// Tables: copies by link, steps by stage and device, the machine and the settings.
#include "engine/report/format.h"
#include "engine/report/html_parts.h"
#include "engine/report/names.h"
#include "engine/text/text.h"

#include <algorithm>
#include <cmath>

namespace lanewright::html {
namespace {

void writeHeading(HtmlSink& out, std::initializer_list<std::string_view> names, std::size_t texts) {
    out.markup("<thead><tr>");
    std::size_t column = 0;
    for (const std::string_view name : names) {
        out.markup(column++ < texts ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"n\">")
            .text(name)
            .markup("</th>");
    }
    out.markup("</tr></thead>\n");
}

void writeNumber(HtmlSink& out, std::string_view text) { out.markup("<td class=\"n\">").text(text).markup("</td>"); }

/// A share as a small bar with its figure.
void writeShare(HtmlSink& out, double share) {
    out.markup("<td class=\"share\"><i><b style=\"width:").number(std::clamp(share, 0.0, 1.0) * 100);
    out.markup("%\"></b></i>").text(percentText(share)).markup("</td>");
}

void writeStage(HtmlSink& out, const ReportData& data, const StageSummary& stage) {
    const Distribution& d = stage.durations;
    const bool isStage = stage.category == SpanCategory::stage;
    out.markup("<tr><th scope=\"row\"><b class=\"key ")
        .markup(data.colourClass(stage.category, stage.stageId))
        .markup("\">");
    out.text(isStage ? std::string_view(stage.letter) : "").markup("</b>").text(stage.name);
    if (stage.superseded > 0)
        out.markup("<small>")
            .text(filled(data.texts.supersededCount, {{"count", countText(stage.superseded)}}))
            .markup("</small>");
    out.markup("</th><td>").text(data.machine->device(stage.device).name).markup("</td>");
    writeNumber(out, countText(d.count));
    for (const Duration duration : {d.total, d.mean, d.median, d.p90, d.p99, d.max})
        writeNumber(out, durationText(duration));
}

/// The error of a kind of step over all devices stands on its first row.
void writeError(HtmlSink& out, const ReportData& data, std::size_t row) {
    const auto& stages = data.summary.trace.stages;
    const auto same = [&](const auto& other) {
        return other.name == stages[row].name && other.stageId == stages[row].stageId;
    };
    const bool first = std::none_of(stages.begin(), stages.begin() + static_cast<std::ptrdiff_t>(row), same);
    const auto group = std::find_if(data.comparison->groups.begin(), data.comparison->groups.end(), same);
    const bool known = first && group != data.comparison->groups.end() && group->error();
    if (!known) {
        out.markup("<td></td>");
        return;
    }
    const double error = *group->error();
    constexpr double poor = 0.25;
    out.markup(std::abs(error) > poor ? "<td class=\"n poor\">" : "<td class=\"n\">")
        .text(signedPercentText(error))
        .markup("</td>");
}

void writeSetting(HtmlSink& out, std::string_view name, std::string_view value) {
    out.markup("<div><dt>").text(name).markup("</dt><dd>").text(value).markup("</dd></div>");
}

void writeSettings(HtmlSink& out, const ReportData& data) {
    const Texts& t = data.texts;
    const RunSettings& settings = data.run.settings;
    const auto orAutomatic = [&t](std::int32_t value) {
        return value > 0 ? std::to_string(value) : std::string(t.automatic);
    };
    out.markup("<section class=\"panel settings\"><h2>").text(t.settings).markup("</h2><dl>");
    writeSetting(out, t.order, settings.order == Order::planned ? t.orderPlanned : t.orderDynamic);
    writeSetting(out, t.workers, orAutomatic(settings.workers));
    writeSetting(out, t.imagesInFlight, orAutomatic(settings.imagesInFlight));
    writeSetting(out, t.batch, filled(t.imagesEach, {{"count", std::to_string(settings.batch)}}));
    writeSetting(out, t.repeatSetting, std::to_string(settings.repeat));
    writeSetting(out, t.copyKind, copyKindName(settings.copyKind));
    writeSetting(out, t.memoryLimit,
                 settings.hostMemoryLimit.value > 0 ? bytesText(settings.hostMemoryLimit) : std::string(t.automatic));
    out.markup("</dl></section>\n");
}

}  // namespace

void writeCopies(HtmlSink& out, const ReportData& data) {
    const Texts& t = data.texts;
    const auto& links = data.summary.trace.links;
    if (links.empty()) return;
    out.markup("<section class=\"panel copies\"><h2>")
        .text(t.copies)
        .markup("</h2><div class=\"wide\" tabindex=\"0\"><table>");
    writeHeading(out, {t.link, t.kind, t.copyCount, t.bytes, t.rate, t.linkBusy}, 2);
    out.markup("<tbody>\n");
    for (const LinkSummary& link : links) {
        const bool down = link.to == data.machine->hostMemory;
        out.markup("<tr><th scope=\"row\"><b class=\"key c-copy\">").markup(down ? "\u2193" : "\u2191").markup("</b>");
        out.text(memoryName(*data.machine, link.from)).markup(" \u2192 ").text(memoryName(*data.machine, link.to));
        out.markup("</th><td>").text(copyKindName(link.kind)).markup("</td>");
        writeNumber(out, countText(link.copies));
        writeNumber(out, bytesText(link.bytes));
        writeNumber(out, rateText(link.bytesPerSecond()));
        writeShare(out, link.busyShare);
        out.markup("</tr>\n");
    }
    out.markup("</tbody></table></div></section>\n");
}

void writeStages(HtmlSink& out, const ReportData& data) {
    const Texts& t = data.texts;
    const auto& stages = data.summary.trace.stages;
    if (stages.empty()) return;
    out.markup("<section class=\"panel stages\"><h2>")
        .text(t.stages)
        .markup("</h2><div class=\"wide\" tabindex=\"0\"><table>");
    if (data.comparison)
        writeHeading(out, {t.step, t.device, t.count, t.total, t.mean, t.median, t.p90, t.p99, t.max, t.error}, 2);
    else
        writeHeading(out, {t.step, t.device, t.count, t.total, t.mean, t.median, t.p90, t.p99, t.max}, 2);
    out.markup("<tbody>\n");
    for (std::size_t i = 0; i < stages.size(); ++i) {
        writeStage(out, data, stages[i]);
        if (data.comparison) writeError(out, data, i);
        out.markup("</tr>\n");
    }
    out.markup("</tbody></table></div></section>\n");
}

void writeMachine(HtmlSink& out, const ReportData& data) {
    const Texts& t = data.texts;
    out.markup("<div class=\"pair\"><section class=\"panel machine\"><h2>").text(t.machine).markup("</h2><dl>");
    for (std::size_t i = 0; i < data.machine->devices.size(); ++i) {
        const Device& device = data.machine->devices[i];
        const auto lanes =
            static_cast<std::size_t>(std::count_if(data.machine->lanes.begin(), data.machine->lanes.end(),
                                                   [i](const Lane& lane) { return lane.device == DeviceId(i); }));
        std::string text = device.label;
        if (!device.driverVersion.empty()) text += ", " + device.driverVersion;
        text += " \u00b7 " + (lanes == 1 ? std::string(t.oneLane) : filled(t.lanes, {{"count", countText(lanes)}}));
        if (device.absent)
            text += " \u00b7 " + std::string(t.absentDevice) + ": " + textOf(*device.absent, data.options.language);
        writeSetting(out, device.name, text);
    }
    out.markup("</dl></section>\n");
    writeSettings(out, data);
    out.markup("</div>\n");
}

}  // namespace lanewright::html
