// SPDX-License-Identifier: GPL-3.0-or-later
// The contract for images: outcomes, ends, complete chains of what is done, attempts that do not count, lost devices.
#include "engine/trace/contract_state.h"

#include <algorithm>
#include <map>

namespace lanewright::contract {
namespace {

std::string imageText(ImageIndex image) { return "image " + std::to_string(image.value); }

/// Stages that the image has: all but the constants', or those of the pseudo-image.
bool hasStage(const Plan& plan, ImageIndex image, StageIndex stage) {
    const bool constant =
        plan.constantsClass.valid() && plan.formatClass(plan.constantsClass).stages[stage.index()].present;
    return constant == (image == plan.constantsImage());
}

std::size_t ownersOf(const Plan& plan) { return plan.imageCount() + (plan.constantsClass.valid() ? 1 : 0); }

void checkOutcomeCounts(State& state) {
    const std::size_t stages = state.plan.pipeline->stages.size();
    std::vector<std::uint32_t> counts(ownersOf(state.plan) * stages, 0);
    for (const Outcome& outcome : state.trace.outcomes)
        ++counts[outcome.image.index() * stages + outcome.stage.index()];
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const ImageIndex image(i / stages);
        const StageIndex stage(i % stages);
        const std::uint32_t wanted = hasStage(state.plan, image, stage) ? 1 : 0;
        const std::string name = state.stageName(stage) + " of " + imageText(image);
        if (counts[i] < wanted) state.report(ContractRule::outcomeMissing, name + " has no outcome");
        if (counts[i] > wanted) {
            state.report(ContractRule::outcomeTwice,
                         name + " has " + std::to_string(counts[i]) + " outcomes of " + std::to_string(wanted));
        }
    }
}

/// Outcomes carry no time. They are written just before their image's end, so they come in the order of the ends.
void checkOutcomeOrder(State& state) {
    const std::size_t owners = ownersOf(state.plan);
    std::vector<std::size_t> endPlace(owners, owners);
    for (std::size_t i = 0; i < state.trace.imageEnds.size(); ++i) {
        endPlace[state.trace.imageEnds[i].image.index()] = i;
    }
    std::size_t latest = 0;
    for (const Outcome& outcome : state.trace.outcomes) {
        const std::size_t place = endPlace[outcome.image.index()];
        if (place < latest) {
            state.report(ContractRule::outcomeLate, "the outcome of " + state.stageName(outcome.stage) + " of " +
                                                        imageText(outcome.image) +
                                                        " was written after the image had ended");
        }
        latest = std::max(latest, place);
    }
}

void checkEnds(State& state) {
    const Trace& trace = state.trace;
    std::vector<const ImageEnd*> ends(ownersOf(state.plan), nullptr);
    for (std::size_t i = 0; i < trace.imageEnds.size(); ++i) {
        const ImageEnd& end = trace.imageEnds[i];
        const ImageEnd*& kept = ends[end.image.index()];
        if (kept) state.report(ContractRule::imageEnd, imageText(end.image) + " ends twice");
        kept = &end;
        if (end.when < trace.start || end.when > trace.end) {
            state.report(ContractRule::range,
                         imageText(end.image) + " ends at " + timeText(end.when) + ", outside the run");
        }
        if (i > 0 && end.when < trace.imageEnds[i - 1].when) {
            state.report(ContractRule::imageEnd, "the end of " + imageText(end.image) + " is not in order of time");
        }
    }
    for (std::size_t i = 0; i < ends.size(); ++i) {
        if (!ends[i]) state.report(ContractRule::imageEnd, imageText(ImageIndex(i)) + " does not end");
    }
    for (const StepRecord& step : state.index.steps()) {
        const Duration tolerance = state.tolerance(state.deviceOf(step), DeviceId{});
        for (const ImageIndex image : state.index.images(step)) {
            const ImageEnd* end = ends[image.index()];
            if (!end || !state.counts(step, image) || step.end <= end->when + tolerance) continue;
            state.report(ContractRule::imageEnd, state.nameOf(step) + " ends after " + imageText(image));
        }
    }
}

/// The steps that count, of one image.
struct Done {
    std::vector<StepPosition> steps;

    const StepRecord* find(const State& state, TemplateId stepTemplate) const {
        for (const StepPosition position : steps) {
            const StepRecord& step = state.index.step(position);
            if (TemplateId(std::size_t{step.stepTemplate}) == stepTemplate) return &step;
        }
        return nullptr;
    }

    bool madeAll(const State& state, const StepTemplate& wanted) const {
        if (wanted.outputs.empty()) return false;
        return std::all_of(wanted.outputs.begin(), wanted.outputs.end(), [&](SlotIndex slot) {
            return std::any_of(steps.begin(), steps.end(), [&](StepPosition position) {
                const StepTemplate& other = state.templateOf(state.index.step(position));
                const bool made = std::find(other.outputs.begin(), other.outputs.end(), slot) != other.outputs.end();
                return made && other.kind != TemplateKind::copy;
            });
        });
    }
};

/// Each step of the chain ran, or another step made its outputs (a conversion that two stages share).
bool complete(const State& state, const Done& done, const Variant& variant) {
    const bool all = std::all_of(variant.chain.begin(), variant.chain.end(), [&](TemplateId id) {
        return done.find(state, id) || done.madeAll(state, state.plan.stepTemplate(id));
    });
    return all && (variant.chain.empty() || done.find(state, variant.chain.back()));
}

void checkRepeats(State& state, ImageIndex image, const Done& done) {
    std::map<std::pair<std::uint16_t, MemoryId>, StepPosition> known;
    for (const StepPosition position : done.steps) {
        const StepRecord& step = state.index.step(position);
        const TemplateKind kind = state.templateOf(step).kind;
        if (kind == TemplateKind::copy) continue;
        // A conversion may run once in each memory.
        const MemoryId memory = kind == TemplateKind::conversion ? state.index.outputMemory(step) : MemoryId{};
        const auto [other, isNew] = known.try_emplace({step.stepTemplate, memory}, position);
        if (isNew) continue;
        state.report(ContractRule::repeated, state.nameOf(step) + " and " +
                                                 state.nameOf(state.index.step(other->second)) + " both count for " +
                                                 imageText(image));
    }
}

}  // namespace

void checkOutcomes(State& state) {
    checkOutcomeCounts(state);
    checkOutcomeOrder(state);
    checkEnds(state);
}

void checkChains(State& state) {
    std::vector<Done> done(ownersOf(state.plan));
    const auto steps = state.index.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        for (const ImageIndex image : state.index.images(steps[i])) {
            if (state.counts(steps[i], image)) done[image.index()].steps.push_back(static_cast<StepPosition>(i));
        }
    }
    for (std::size_t i = 0; i < done.size(); ++i) checkRepeats(state, ImageIndex(i), done[i]);
    for (const Outcome& outcome : state.trace.outcomes) {
        if (outcome.kind != OutcomeKind::done || !hasStage(state.plan, outcome.image, outcome.stage)) continue;
        const std::string name = state.stageName(outcome.stage) + " of " + imageText(outcome.image);
        const FormatClassId id = state.plan.classOf(outcome.image);
        if (!id.valid()) {
            state.report(ContractRule::chain, name + " is done, but the image could not be read");
            continue;
        }
        const auto& variants = state.plan.formatClass(id).stages[outcome.stage.index()].variants;
        const bool any = std::any_of(variants.begin(), variants.end(), [&](const Variant& variant) {
            return complete(state, done[outcome.image.index()], variant);
        });
        if (!any) state.report(ContractRule::chain, name + " is done without all the steps of a variant");
    }
}

void checkSuperseded(State& state) {
    for (const Superseded& record : state.trace.superseded) {
        const std::string name = "the record of step " + std::to_string(record.step.value);
        if (record.when < state.trace.start || record.when > state.trace.end) {
            state.report(ContractRule::superseded, name + " is outside the run");
        }
        const StepPosition position = state.index.find(record.step);
        if (position == noStep) continue;  // out of memory, revoked: nothing of it ran
        const StepRecord& step = state.index.step(position);
        const auto images = state.index.images(step);
        if (record.image.valid() && std::find(images.begin(), images.end(), record.image) == images.end()) {
            state.report(ContractRule::superseded, name + " is of an image that it did not work on");
        }
        if (record.when < step.begin) state.report(ContractRule::superseded, name + " is older than the step");
    }
    for (const StepRecord& step : state.index.steps()) {
        const auto lost = state.lostAt(state.deviceOf(step));
        if (!lost || step.begin <= *lost + state.tolerance(state.deviceOf(step), DeviceId{})) continue;
        state.report(ContractRule::lostDevice,
                     state.nameOf(step) + " begins after its device was lost at " + timeText(*lost));
    }
}

}  // namespace lanewright::contract
