// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/summary.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lanewright {
namespace {

double shareOf(Duration part, Duration whole) {
    return whole > Duration(0) ? static_cast<double>(part.count()) / static_cast<double>(whole.count()) : 0;
}

double perSecond(double amount, Duration time) { return time > Duration(0) ? amount / toSeconds(time) : 0; }

/// The worst of an image's outcomes decides; skipped stages of an image follow from a failure or are its own outcome.
int severity(OutcomeKind kind) {
    switch (kind) {
    case OutcomeKind::done: return 0;
    case OutcomeKind::skipped: return 1;
    case OutcomeKind::cancelled: return 2;
    case OutcomeKind::failed: return 3;
    }
    return 0;
}

ImageCounts countImages(const Trace& trace, std::size_t imageCount) {
    std::vector<int> worst(imageCount, -1);
    for (const Outcome& outcome : trace.outcomes) {
        if (outcome.image.index() >= imageCount) continue;
        int& kept = worst[outcome.image.index()];
        kept = std::max(kept, severity(outcome.kind));
    }
    ImageCounts counts;
    counts.done = static_cast<std::size_t>(std::count(worst.begin(), worst.end(), 0));
    counts.skipped = static_cast<std::size_t>(std::count(worst.begin(), worst.end(), 1));
    counts.cancelled = static_cast<std::size_t>(std::count(worst.begin(), worst.end(), 2));
    counts.failed = static_cast<std::size_t>(std::count(worst.begin(), worst.end(), 3));
    return counts;
}

ImageCounts countImages(const std::vector<ImageRecord>& images) {
    ImageCounts counts;
    for (const ImageRecord& image : images) {
        switch (image.outcome) {
        case ImageOutcome::doneWithWarning: ++counts.doneWithWarning; [[fallthrough]];
        case ImageOutcome::done: ++counts.done; break;
        case ImageOutcome::failed: ++counts.failed; break;
        case ImageOutcome::skipped: ++counts.skipped; break;
        case ImageOutcome::cancelled: ++counts.cancelled; break;
        }
    }
    return counts;
}

double megapixelsDone(const ImageCounts& counts, std::size_t imageCount, double megapixels) {
    return imageCount == 0 ? 0 : megapixels * static_cast<double>(counts.done) / static_cast<double>(imageCount);
}

std::vector<LaneSummary> summarizeLanes(const TraceIndex& index) {
    const Trace& trace = index.trace();
    const std::vector<LaneIdle> idle = idleOf(index);
    std::vector<LaneSummary> lanes;
    for (std::size_t i = 0; i < idle.size(); ++i) {
        const Lane& lane = trace.machine->lanes[i];
        LaneSummary summary;
        summary.lane = LaneId(i);
        summary.name = trace.machine->device(lane.device).name + " " + lane.name;
        summary.busy = idle[i].busy;
        summary.busyShare = shareOf(idle[i].busy, trace.makespan());
        summary.idle = idle[i].idle;
        for (const Span* span : index.lane(LaneId(i))) summary.bytes += span->bytes;
        summary.steps = index.lane(LaneId(i)).size();
        lanes.push_back(std::move(summary));
    }
    return lanes;
}

std::vector<LinkSummary> summarizeLinks(const TraceIndex& index) {
    std::map<std::tuple<MemoryId, MemoryId, CopyKind, LaneId>, LinkSummary> links;
    for (const StepRecord& step : index.steps()) {
        const TraceTemplate& description = index.templateOf(step);
        if (description.category != SpanCategory::copy) continue;
        const LaneId lane(std::size_t{index.parts(step).front()->lane});
        LinkSummary& link = links[{description.from, description.to, description.copyKind, lane}];
        ++link.copies;
        link.bytes += step.bytes;
        link.busy += step.duration();
    }
    std::vector<LinkSummary> list;
    for (auto& [key, link] : links) {
        std::tie(link.from, link.to, link.kind, link.lane) = key;
        link.busyShare = shareOf(link.busy, index.trace().makespan());
        list.push_back(link);
    }
    return list;
}

/// For each template the first one of its name and stage: those of several format classes are one row.
std::vector<std::size_t> firstOfName(const std::vector<TraceTemplate>& templates) {
    std::map<std::tuple<std::string_view, std::string_view>, std::size_t> first;
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < templates.size(); ++i) {
        result.push_back(first.try_emplace({templates[i].name, templates[i].stageId}, i).first->second);
    }
    return result;
}

std::vector<StageSummary> summarizeStages(const TraceIndex& index) {
    struct Row {
        std::vector<Duration> durations;
        std::size_t superseded = 0;
    };
    const Trace& trace = index.trace();
    const std::vector<std::size_t> firstTemplate = firstOfName(trace.templates);
    std::map<std::pair<std::size_t, DeviceId>, Row> rows;
    for (const StepRecord& step : index.steps()) {
        const LaneId lane(std::size_t{index.parts(step).front()->lane});
        Row& row = rows[{firstTemplate[step.stepTemplate], trace.machine->lane(lane).device}];
        if (step.superseded) {
            ++row.superseded;
        } else {
            row.durations.push_back(step.duration());
        }
    }
    std::vector<StageSummary> stages;
    for (auto& [key, row] : rows) {
        const TraceTemplate& description = trace.templates[key.first];
        stages.push_back({description.category, description.name, description.stageId, description.letter, key.second,
                          distributionOf(std::move(row.durations)), row.superseded});
    }
    return stages;
}

Duration setupOf(const Trace& trace) {
    Instant first = trace.start;
    trace.forEach([&](const Span& span) {
        const bool setup = span.stepTemplate < trace.templates.size() &&
                           trace.templates[span.stepTemplate].category == SpanCategory::setup;
        if (setup) first = std::min(first, span.begin);
    });
    return trace.start - first;
}

void setRates(TraceSummary& summary, std::size_t imageCount, double megapixels) {
    summary.imagesPerSecond = perSecond(static_cast<double>(summary.images.done), summary.makespan);
    summary.megapixelsPerSecond = perSecond(megapixelsDone(summary.images, imageCount, megapixels), summary.makespan);
}

}  // namespace

double LinkSummary::bytesPerSecond() const { return perSecond(static_cast<double>(bytes.value), busy); }

TraceSummary summarize(const TraceIndex& index, std::size_t imageCount, double megapixels) {
    const Trace& trace = index.trace();
    TraceSummary summary;
    summary.origin = trace.origin;
    summary.images = countImages(trace, imageCount);
    summary.makespan = trace.makespan();
    summary.setup = setupOf(trace);
    summary.lanes = summarizeLanes(index);
    summary.links = summarizeLinks(index);
    summary.stages = summarizeStages(index);
    setRates(summary, imageCount, megapixels);
    return summary;
}

TraceSummary summarize(const Trace& trace, std::size_t imageCount, double megapixels) {
    return summarize(TraceIndex(trace), imageCount, megapixels);
}

RepeatSummary summarizeRepeats(const std::vector<Duration>& makespans) {
    RepeatSummary repeats;
    repeats.count = makespans.size();
    if (makespans.empty()) return repeats;
    repeats.first = makespans.front();
    std::vector<Duration> others(makespans.begin() + (makespans.size() > 1 ? 1 : 0), makespans.end());
    std::sort(others.begin(), others.end());
    repeats.median = quantileOf(others, 0.5);
    repeats.spread = quantileOf(others, 0.75) - quantileOf(others, 0.25);
    return repeats;
}

RunSummary summarize(const Run& run) {
    RunSummary summary;
    std::vector<Duration> makespans;
    for (const auto& trace : run.measured) makespans.push_back(trace->makespan());
    summary.repeats = summarizeRepeats(makespans);
    const bool measured = !run.measured.empty();
    const auto& last = measured ? run.measured.back() : run.predicted;
    if (last) {
        summary.trace = summarize(*last, run.images.size(), run.megapixels);
        if (measured) {
            summary.trace.images = countImages(run.images);
            setRates(summary.trace, run.images.size(), run.megapixels);
        }
        summary.makespan = measured ? summary.repeats.median : last->makespan();
    }
    const ImageCounts& images = summary.trace.images;
    summary.imagesPerSecond = perSecond(static_cast<double>(images.done), summary.makespan);
    summary.megapixelsPerSecond =
        perSecond(megapixelsDone(images, run.images.size(), run.megapixels), summary.makespan);
    if (run.predicted) {
        summary.predictedMakespan = run.predicted->makespan();
        if (measured) summary.predictionError = relativeError(*summary.predictedMakespan, summary.makespan);
    }
    return summary;
}

}  // namespace lanewright
