// SPDX-License-Identifier: GPL-3.0-or-later
// The summary of a run for other programs. Its keys are a contract: docs/summary-json.md; add, never rename.
#include "engine/analysis/summary.h"
#include "engine/files/files.h"
#include "engine/files/json.h"
#include "engine/report/exporter.h"
#include "engine/report/names.h"
#include "engine/text/text.h"

namespace lanewright {
namespace {

constexpr JsonFormat format{"summary", 1, {}, {}, {}};

Json messagesJson(const std::vector<Message>& messages, const std::string& language) {
    Json list = Json::array();
    for (const Message& message : messages) list.push_back({{"id", message.id}, {"text", textOf(message, language)}});
    return list;
}

Json imagesJson(const ImageCounts& counts) {
    return {{"total", counts.total()}, {"done", counts.done},       {"done_with_warning", counts.doneWithWarning},
            {"failed", counts.failed}, {"skipped", counts.skipped}, {"cancelled", counts.cancelled}};
}

Json repeatsJson(const Run& run, const RepeatSummary& repeats) {
    Json makespans = Json::array();
    for (const auto& trace : run.measured) makespans.push_back(trace->makespan().count());
    return {{"count", repeats.count},
            {"makespans_ns", std::move(makespans)},
            {"first_ns", repeats.first.count()},
            {"median_ns", repeats.median.count()},
            {"spread_ns", repeats.spread.count()}};
}

Json lanesJson(const TraceSummary& summary, const Machine& machine) {
    Json list = Json::array();
    for (const LaneSummary& lane : summary.lanes) {
        const Lane& description = machine.lane(lane.lane);
        Json idle = Json::object();
        for (std::size_t i = 0; i < idleReasonCount; ++i)
            idle[idleKey(static_cast<IdleReason>(i))] = lane.idle[i].count();
        list.push_back({{"device", machine.device(description.device).name},
                        {"lane", description.name},
                        {"role", laneRoleName(description.role)},
                        {"steps", lane.steps},
                        {"bytes", lane.bytes.value},
                        {"busy_ns", lane.busy.count()},
                        {"busy_share", lane.busyShare},
                        {"idle_ns", std::move(idle)}});
    }
    return list;
}

Json linksJson(const TraceSummary& summary, const Machine& machine) {
    Json list = Json::array();
    for (const LinkSummary& link : summary.links) {
        list.push_back({{"from", memoryName(machine, link.from)},
                        {"to", memoryName(machine, link.to)},
                        {"kind", copyKindName(link.kind)},
                        {"copies", link.copies},
                        {"bytes", link.bytes.value},
                        {"seconds", toSeconds(link.busy)},
                        {"gb_per_s", link.bytesPerSecond() * 1e-9},
                        {"busy_share", link.busyShare}});
    }
    return list;
}

Json stagesJson(const TraceSummary& summary, const Machine& machine) {
    Json list = Json::array();
    for (const StageSummary& stage : summary.stages) {
        const Distribution& d = stage.durations;
        list.push_back({{"name", stage.name},
                        {"stage", stage.stageId},
                        {"category", categoryName(stage.category)},
                        {"device", machine.device(stage.device).name},
                        {"count", d.count},
                        {"total_ns", d.total.count()},
                        {"mean_ns", d.mean.count()},
                        {"min_ns", d.min.count()},
                        {"median_ns", d.median.count()},
                        {"p90_ns", d.p90.count()},
                        {"p99_ns", d.p99.count()},
                        {"max_ns", d.max.count()},
                        {"superseded", stage.superseded}});
    }
    return list;
}

/// Images with something to say: failed and skipped ones, and those with warnings.
Json problemsJson(const Run& run, const std::string& language) {
    Json list = Json::array();
    for (const ImageRecord& image : run.images) {
        if (image.outcome == ImageOutcome::done && image.messages.empty()) continue;
        list.push_back({{"image", image.name},
                        {"outcome", outcomeName(image.outcome)},
                        {"messages", messagesJson(image.messages, language)}});
    }
    return list;
}

Json machineJson(const Machine& machine) {
    Json devices = Json::array();
    for (const Device& device : machine.devices) {
        devices.push_back({{"name", device.name},
                           {"label", device.label},
                           {"kind", deviceKindName(device.kind)},
                           {"driver_version", device.driverVersion}});
    }
    return {{"name", machine.name},
            {"fingerprint", machine.fingerprint},
            {"present", machine.present},
            {"devices", std::move(devices)}};
}

Json settingsJson(const RunSettings& settings) {
    return {{"order", settings.order == Order::planned ? "planned" : "dynamic"},
            {"workers", settings.workers},
            {"images_in_flight", settings.imagesInFlight},
            {"batch", settings.batch},
            {"repeat", settings.repeat},
            {"copy_kind", copyKindName(settings.copyKind)},
            {"host_memory_limit_bytes", settings.hostMemoryLimit.value}};
}

Json summaryJson(const Run& run, const std::string& language) {
    const RunSummary summary = summarize(run);
    static const Machine nowhere;
    const Trace* shown = shownTrace(run);
    const Machine& machine = shown && shown->machine ? *shown->machine : run.machine ? *run.machine : nowhere;
    Json root;
    writeHeader(root, format);
    root["version"] = run.version;
    root["project"] = run.projectName;
    root["started_at"] = run.startedAt;
    root["origin"] = shown ? Json(originName(shown->origin)) : Json();
    if (shown && shown->origin == TraceOrigin::simulated) root["seed"] = shown->seed;
    root["interrupted"] = run.interrupted;
    root["images"] = imagesJson(summary.trace.images);
    root["makespan_ns"] = summary.makespan.count();
    root["images_per_s"] = summary.imagesPerSecond;
    root["megapixels_per_s"] = summary.megapixelsPerSecond;
    root["predicted"] = nullptr;
    if (summary.predictedMakespan) {
        const Json error = summary.predictionError ? Json(*summary.predictionError) : Json();
        root["predicted"] = {{"makespan_ns", summary.predictedMakespan->count()}, {"error", error}};
    }
    root["repeats"] = repeatsJson(run, summary.repeats);
    root["last_repeat"] = {{"makespan_ns", summary.trace.makespan.count()}, {"setup_ns", summary.trace.setup.count()}};
    root["lanes"] = lanesJson(summary.trace, machine);
    root["links"] = linksJson(summary.trace, machine);
    root["stages"] = stagesJson(summary.trace, machine);
    root["problems"] = problemsJson(run, language);
    root["messages"] = messagesJson(run.messages, language);
    root["machine"] = machineJson(machine);
    root["settings"] = settingsJson(run.settings);
    return root;
}

Status saveSummary(const Run& run, const std::filesystem::path& path, const ReportOptions& options) {
    const std::string text = jsonText(summaryJson(run, options.language));
    return saveFileInPieces(path, [&text](const PieceWriter& write) { write(text); });
}

}  // namespace

extern constinit const Exporter summaryJsonExporter;
constinit const Exporter summaryJsonExporter = {"json",
                                                "--json",
                                                "Summary (JSON)",
                                                "summary.json",
                                                "Writes the summary as JSON, with stable keys, for other programs",
                                                saveSummary};

}  // namespace lanewright
