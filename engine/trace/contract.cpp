// SPDX-License-Identifier: GPL-3.0-or-later
// The list of checks, and those of single spans: that they refer to what is there, times, places, parts, causes.
#include "engine/trace/contract.h"

#include "engine/trace/contract_state.h"

#include <algorithm>
#include <array>

namespace lanewright {
namespace contract {
namespace {

constexpr std::array<std::string_view, ruleCount> ruleNames = {
    "references",  "place",          "times",        "range",          "parts",     "cause",
    "laneOverlap", "deviceOverlap",  "groupOverlap", "queueDepth",     "inputs",    "bytes",
    "copyNeeded",  "outcomeMissing", "outcomeTwice", "outcomeLate",    "imageEnd",  "chain",
    "repeated",    "superseded",     "lostDevice",   "imagesInFlight", "liveBytes", "idleSum",
};

std::string stepText(StepId step) { return "step " + std::to_string(step.value); }

bool isSetup(const Trace& trace, const Span& span) {
    return trace.templates[span.stepTemplate].category == SpanCategory::setup;
}

/// What is wrong with the references of a span, or nothing.
std::string faultOf(const Plan& plan, const Trace& trace, const Span& span) {
    if (span.lane >= plan.machine->lanes.size()) return "is on no lane of the machine";
    if (span.stepTemplate >= trace.templates.size()) return "has no template";
    if (isSetup(trace, span)) return {};
    if (span.stepTemplate >= plan.templates.size()) return "has a template that the plan does not have";
    if (!span.step.valid()) return "has no step id";
    const std::size_t images = plan.imageCount() + (plan.constantsClass.valid() ? 1 : 0);
    if (span.image.index() >= images) return "is of an image that the plan does not have";
    if (plan.classOf(span.image) != plan.templates[span.stepTemplate].formatClass) {
        return "has a template of another format class than its image";
    }
    return {};
}

std::string faultOf(const Plan& plan, const Batch& batch) {
    if (batch.images.size() < 2) return "is of fewer than two images";
    for (std::size_t i = 0; i < batch.images.size(); ++i) {
        if (batch.images[i].index() >= plan.imageCount()) return "is of an image that the plan does not have";
        if (std::count(batch.images.begin(), batch.images.end(), batch.images[i]) > 1) return "has an image twice";
        if (plan.classOf(batch.images[i]) != plan.classOf(batch.images[0])) return "is of images of several classes";
    }
    return {};
}

}  // namespace

bool checkReferences(const Plan& plan, const Trace& trace, std::vector<ContractViolation>& violations) {
    const auto report = [&violations](std::string text) {
        if (violations.size() < 20) violations.push_back({ContractRule::references, std::move(text)});
    };
    if (trace.machine != plan.machine) report("the trace is of another machine than the plan");
    if (trace.templates.size() < plan.templates.size()) report("the trace lacks templates of the plan");
    if (trace.end < trace.start) report("the trace ends before it starts");
    if (!violations.empty()) return false;
    trace.forEach([&](const Span& span) {
        const std::string fault = faultOf(plan, trace, span);
        if (!fault.empty()) report("a span of " + stepText(span.step) + " " + fault);
    });
    for (const Batch& batch : trace.batches) {
        const std::string fault = faultOf(plan, batch);
        if (!fault.empty()) report("the batch of " + stepText(batch.step) + " " + fault);
    }
    const std::size_t images = plan.imageCount() + (plan.constantsClass.valid() ? 1 : 0);
    for (const Outcome& outcome : trace.outcomes) {
        if (outcome.image.index() >= images || outcome.stage.index() >= plan.pipeline->stages.size()) {
            report("an outcome is of an image or stage that the plan does not have");
        }
    }
    for (const ImageEnd& end : trace.imageEnds) {
        if (end.image.index() >= images) report("an end is of an image that the plan does not have");
    }
    return violations.empty();
}

/// A step queued behind an unfinished one of its device is ready only when that has ended, after it was submitted.
bool queuedBehind(const State& state, const StepRecord& step) {
    const StepPosition cause = step.cause.valid() ? state.index.find(step.cause) : noStep;
    return cause != noStep && state.deviceOf(state.index.step(cause)) == state.deviceOf(step) &&
           state.index.step(cause).end >= step.submitted;
}

void checkTimes(State& state) {
    const Trace& trace = state.trace;
    trace.forEach([&](const Span& span) {
        const bool setup = isSetup(trace, span);
        const DeviceId device = trace.machine->lane(LaneId(std::size_t{span.lane})).device;
        const Duration tolerance = state.tolerance(device, DeviceId{});
        const std::string name = trace.templates[span.stepTemplate].name + ", " + stepText(span.step);
        const Instant from = setup ? Instant::min() : trace.start;
        const Instant to = setup ? trace.start : trace.end;
        if (span.begin < from || span.end > to) {
            state.report(ContractRule::range, name + " ran from " + timeText(span.begin) + " to " + timeText(span.end) +
                                                  ", outside " + timeText(from) + " to " + timeText(to));
        }
        if (span.end < span.begin) state.report(ContractRule::times, name + " ends before it begins");
        if (setup) return;
        if (span.begin + tolerance < span.submitted)
            state.report(ContractRule::times, name + " begins before it is submitted");
        if (span.returned < span.submitted) state.report(ContractRule::times, name + " returns before it is submitted");
        const StepRecord& step = state.index.step(state.index.find(span.step));
        const Instant latest = queuedBehind(state, step) ? span.begin + tolerance : span.submitted;
        if (span.ready > latest) state.report(ContractRule::times, name + " is submitted before it is ready");
        if (span.ready < trace.start) state.report(ContractRule::range, name + " is ready before the run starts");
    });
    for (const StepRecord& step : state.index.steps()) {
        const StepPosition position = step.cause.valid() ? state.index.find(step.cause) : noStep;
        if (position == noStep) continue;
        const StepRecord& cause = state.index.step(position);
        const Duration tolerance = state.tolerance(state.deviceOf(cause), state.deviceOf(step));
        const Instant by = queuedBehind(state, step) ? step.begin : step.ready;
        if (cause.end <= by + tolerance) continue;
        state.report(ContractRule::cause,
                     state.nameOf(step) + " is ready before the end of its cause, " + state.nameOf(cause));
    }
}

void checkPlaces(State& state) {
    const Machine& machine = *state.plan.machine;
    for (const StepRecord& step : state.index.steps()) {
        const StepTemplate& wanted = state.templateOf(step);
        const LaneId lane = state.laneOf(step);
        const LaneRole role = machine.lane(lane).role;
        const DeviceId device = machine.lane(lane).device;
        bool right = false;
        switch (wanted.kind) {
        case TemplateKind::read: right = role == LaneRole::read; break;
        case TemplateKind::write: right = role == LaneRole::write; break;
        case TemplateKind::copy: right = lane == machine.link(wanted.link).lane; break;
        case TemplateKind::operation:
        case TemplateKind::conversion: {
            const PlannedStage& planned = state.plan.stages[wanted.stage.index()];
            const auto listed = [device](const std::vector<DeviceId>& list) {
                return std::find(list.begin(), list.end(), device) != list.end();
            };
            const bool onDevice = wanted.place == TemplatePlace::host
                                      ? device == machine.hostDevice
                                      : listed(planned.devices) || listed(planned.fallbacks);
            right =
                onDevice && (role == LaneRole::worker || role == LaneRole::compute || role == LaneRole::decodeEngine);
        }
        }
        if (!right) state.report(ContractRule::place, state.nameOf(step) + " ran on " + machine.lane(lane).name);
    }
}

void checkParts(State& state) {
    for (const StepRecord& step : state.index.steps()) {
        const auto parts = state.index.parts(step);
        for (std::size_t i = 1; i < parts.size(); ++i) {
            const Span& first = *parts[0];
            const Span& part = *parts[i];
            const bool alike = part.stepTemplate == first.stepTemplate && part.image == first.image &&
                               part.cause == first.cause && part.ready == first.ready &&
                               part.submitted == first.submitted;
            const bool apart = std::none_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i),
                                            [&part](const Span* other) { return other->lane == part.lane; });
            const auto deviceOf = [&](const Span& span) {
                return state.plan.machine->lane(LaneId(std::size_t{span.lane})).device;
            };
            if (alike && apart && deviceOf(part) == deviceOf(first)) continue;
            state.report(ContractRule::parts, "parts of " + state.nameOf(step) + " do not belong together");
        }
    }
}

void checkIdle(State& state) {
    const std::vector<LaneIdle> lanes = idleOf(state.index);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (lanes[i].total() == state.trace.makespan()) continue;
        state.report(ContractRule::idleSum, "busy and idle of " + state.plan.machine->lanes[i].name + " sum to " +
                                                std::to_string(lanes[i].total().count()) + " ns, the makespan is " +
                                                std::to_string(state.trace.makespan().count()) + " ns");
    }
}

}  // namespace contract

std::string_view contractRuleName(ContractRule rule) { return contract::ruleNames[static_cast<std::size_t>(rule)]; }

std::vector<ContractViolation> checkContract(const Plan& plan, const Trace& trace) {
    std::vector<ContractViolation> violations;
    if (!contract::checkReferences(plan, trace, violations)) return violations;
    contract::State state(plan, trace);
    for (const auto check :
         {&contract::checkTimes, &contract::checkPlaces, &contract::checkParts, &contract::checkLanes,
          &contract::checkOutcomes, &contract::checkChains, &contract::checkWindow, &contract::checkSuperseded,
          &contract::checkBuffers, &contract::checkLiveBytes, &contract::checkIdle}) {
        check(state);
    }
    return std::move(state.violations);
}

std::string contractText(const std::vector<ContractViolation>& violations) {
    std::string text;
    for (const ContractViolation& violation : violations) {
        text += std::string(contractRuleName(violation.rule)) + ": " + violation.text + "\n";
    }
    return text;
}

}  // namespace lanewright
