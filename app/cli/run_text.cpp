// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_text.h"

#include "app/cli/console.h"
#include "app/cli/text_table.h"
#include "engine/analysis/summary.h"
#include "engine/report/exporter.h"
#include "engine/report/format.h"
#include "engine/report/html_texts.h"
#include "engine/text/text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace lanewright::cli {
namespace {

using Outcomes = std::array<std::size_t, 5>;  ///< by ImageOutcome

std::size_t count(const Outcomes& outcomes, ImageOutcome outcome) {
    return outcomes[static_cast<std::size_t>(outcome)];
}

Outcomes outcomesOf(const Run& run) {
    Outcomes outcomes{};
    for (const ImageRecord& image : run.images) ++outcomes[static_cast<std::size_t>(image.outcome)];
    return outcomes;
}

std::string_view originText(TraceOrigin origin) {
    switch (origin) {
    case TraceOrigin::predicted: return "predicted";
    case TraceOrigin::measured: return "measured";
    case TraceOrigin::simulated: return "simulated";
    }
    return "";
}

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
    std::string result;
    for (const std::string& text : texts) result += (result.empty() ? "" : std::string(separator)) + text;
    return result;
}

/// "decode, encode on cpu; resize on cpu + opencl:0", so that a summary can be read without its project.
std::string stagesText(const Run& run) {
    std::vector<std::string> places;
    std::vector<std::vector<std::string>> stages;  ///< by place
    for (const StageRecord& stage : run.stages) {
        const std::string place = escaped(joined(stage.devices, " + "));
        const auto found = std::find(places.begin(), places.end(), place);
        const auto index = static_cast<std::size_t>(found - places.begin());
        if (found == places.end()) {
            places.push_back(place);
            stages.emplace_back();
        }
        stages[index].push_back(escaped(stage.id));
    }
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < places.size(); ++i) parts.push_back(joined(stages[i], ", ") + " on " + places[i]);
    return joined(parts, "; ");
}

std::string imagesText(const Run& run) {
    const Outcomes outcomes = outcomesOf(run);
    const std::size_t warned = count(outcomes, ImageOutcome::doneWithWarning);
    std::string text = std::to_string(count(outcomes, ImageOutcome::done) + warned) + " done";
    if (warned > 0) text += " (" + std::to_string(warned) + " with a warning)";
    const std::array<std::pair<ImageOutcome, std::string_view>, 3> others = {
        {{ImageOutcome::failed, "failed"}, {ImageOutcome::skipped, "skipped"}, {ImageOutcome::cancelled, "cancelled"}}};
    for (const auto& [outcome, word] : others) {
        if (count(outcomes, outcome) > 0) {
            text += ", " + std::to_string(count(outcomes, outcome)) + " " + std::string(word);
        }
    }
    return text;
}

std::string headText(const Run& run) {
    std::string text = escaped(run.projectName) + ": " + std::to_string(run.images.size()) +
                       (run.images.size() == 1 ? " image, " : " images, ") + numberText(run.megapixels) + " MP, " +
                       (run.settings.order == Order::planned ? "planned" : "dynamic") + " order";
    if (run.machine && !run.machine->name.empty()) text += ", on " + escaped(run.machine->name);
    return text + "\n  " + stagesText(run) + "\n  " + imagesText(run) + "\n";
}

std::string figuresText(const Run& run, const RunSummary& summary) {
    const TraceOrigin origin = summary.trace.origin;
    const bool both = origin != TraceOrigin::predicted && run.predicted;
    TextTable table({Align::left, Align::right, Align::right, Align::right});
    std::vector<std::string> head = {"", std::string(originText(origin))};
    std::vector<std::string> makespan = {"makespan", durationText(summary.makespan)};
    std::vector<std::string> images = {"images/s", numberText(summary.imagesPerSecond)};
    std::vector<std::string> megapixels = {"MP/s", numberText(summary.megapixelsPerSecond)};
    if (both) {
        const TraceSummary predicted = summarize(*run.predicted, run.images.size(), run.megapixels);
        head.insert(head.end(), {"predicted", "error"});
        makespan.push_back(durationText(predicted.makespan));
        makespan.push_back(summary.predictionError ? signedPercentText(*summary.predictionError) : "");
        images.push_back(numberText(predicted.imagesPerSecond));
        megapixels.push_back(numberText(predicted.megapixelsPerSecond));
    }
    for (auto& row : {head, makespan, images, megapixels}) table.addRow(row);
    if (summary.trace.setup.count() > 0) table.addRow({"set-up", durationText(summary.trace.setup)});
    return table.text();
}

std::string repeatsText(const RepeatSummary& repeats) {
    if (repeats.count < 2) return {};
    std::string text = "repeats: " + std::to_string(repeats.count) + ", first " + durationText(repeats.first);
    if (repeats.count == 2) return text + ", second " + durationText(repeats.median) + "\n";
    return text + ", median of the others " + durationText(repeats.median) + ", spread " +
           durationText(repeats.spread) + "\n";
}

std::string idleText(const LaneSummary& lane, Duration makespan) {
    const auto largest = std::max_element(lane.idle.begin(), lane.idle.end());
    if (largest->count() <= 0 || makespan.count() <= 0) return {};
    const auto reason = static_cast<IdleReason>(largest - lane.idle.begin());
    const double share = static_cast<double>(largest->count()) / static_cast<double>(makespan.count());
    return std::string(html::textsFor("en").reason(reason)) + " " + percentText(share);
}

/// Lanes of devices that did something.
std::string lanesText(const Run& run, const TraceSummary& trace) {
    const Machine& machine = *run.machine;
    std::vector<bool> used(machine.devices.size(), false);
    const auto deviceOf = [&machine](const LaneSummary& lane) { return machine.lane(lane.lane).device.index(); };
    for (const LaneSummary& lane : trace.lanes) {
        if (lane.steps > 0) used[deviceOf(lane)] = true;
    }
    TextTable table({Align::left, Align::right, Align::right, Align::left});
    table.addRow({"lane", "busy", "steps", "idle mostly"});
    for (const LaneSummary& lane : trace.lanes) {
        if (!used[deviceOf(lane)]) continue;
        table.addRow({escaped(lane.name), percentText(lane.busyShare), std::to_string(lane.steps),
                      idleText(lane, trace.makespan)});
    }
    return "\n" + table.text();
}

std::string copiesText(const Run& run, const TraceSummary& trace) {
    if (trace.links.empty()) return {};
    const Machine& machine = *run.machine;
    TextTable table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right});
    table.addRow({"copies", "kind", "count", "bytes", "rate", "busy"});
    for (const LinkSummary& link : trace.links) {
        table.addRow({escaped(machine.memory(link.from).name) + " > " + escaped(machine.memory(link.to).name),
                      std::string(copyKindName(link.kind)), std::to_string(link.copies), bytesText(link.bytes),
                      rateText(link.bytesPerSecond()), percentText(link.busyShare)});
    }
    return "\n" + table.text();
}

/// "a.jpg failed: The file is empty."
Message imageMessage(const char* id, const ImageRecord& image, const Message& reason) {
    return {id, {{"image", image.name}, {"reason", nested(reason)}}};
}

void tellImage(const ImageRecord& image) {
    const bool lost = image.outcome == ImageOutcome::failed || image.outcome == ImageOutcome::skipped;
    const char* id = image.outcome == ImageOutcome::failed    ? "cli.imageFailed"
                     : image.outcome == ImageOutcome::skipped ? "cli.imageSkipped"
                                                              : "cli.imageWarning";
    for (const Message& reason : image.messages) tellError(imageMessage(id, image, reason));
    if (lost && image.messages.empty()) tellError(imageMessage(id, image, {"cli.noReason", {}}));
}

}  // namespace

std::string summaryText(const Run& run) {
    std::string text = headText(run);
    if (!shownTrace(run)) return text;
    const RunSummary summary = summarize(run);
    text += "\n" + figuresText(run, summary) + repeatsText(summary.repeats);
    text += lanesText(run, summary.trace) + copiesText(run, summary.trace);
    if (summary.trace.origin == TraceOrigin::simulated) {
        text += "\nSimulated with seed " + std::to_string(shownTrace(run)->seed) +
                ": this machine is not here, so no images were written.\n";
    }
    if (run.interrupted) text += "\nInterrupted: the figures are of what was done until then.\n";
    return text;
}

void tellOutcomes(const Run& run) {
    for (const Message& message : run.messages) tellError(message);
    for (const ImageRecord& image : run.images) {
        if (image.outcome != ImageOutcome::cancelled) tellImage(image);
    }
}

ExitCode exitCodeOf(const Run& run) {
    if (run.interrupted) return ExitCode::interrupted;
    const bool failed = std::any_of(run.images.begin(), run.images.end(), [](const ImageRecord& image) {
        return image.outcome != ImageOutcome::done && image.outcome != ImageOutcome::doneWithWarning;
    });
    return failed ? ExitCode::imagesFailed : ExitCode::ok;
}

}  // namespace lanewright::cli
