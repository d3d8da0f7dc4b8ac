// SPDX-License-Identifier: GPL-3.0-or-later
// Virtual time: lanes run their queues in order, capacity groups stretch what runs together, costs come from the model.
#include "engine/run/simulator.h"

#include "engine/run/dispatch.h"
#include "engine/run/strips.h"
#include "engine/trace/builder.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <random>

namespace lanewright {
namespace {

/// One lane's part of a running step. `remaining` is in nanoseconds at full rate.
struct Part {
    StepId step;
    LaneId lane;
    double remaining = 0;
    double rate = 1;
    Instant begin;
};

/// A step that was submitted: its figures, and how many parts still run.
struct Pending {
    Step step;
    Instant submitted;
    std::vector<double> parts;  ///< full-rate nanoseconds, by lane of the step
    std::vector<ImageResult> results;
    ByteCount bytes;
    bool begun = false;
    std::size_t running = 0;
    std::vector<Span> spans;
};

class Simulation {
public:
    Simulation(const Plan& plan, const CostModel& costs, const SimulationOptions& options, Policy& policy)
        : m_plan(plan),
          m_machine(*plan.machine),
          m_costs(costs),
          m_options(options),
          m_dispatch(plan, policy),
          m_builder(plan, options.seed ? TraceOrigin::simulated : TraceOrigin::predicted),
          m_queues(m_machine.lanes.size()),
          m_laneBusy(m_machine.lanes.size(), false),
          m_random(options.seed.value_or(0)) {
        m_groupsOf.resize(m_machine.lanes.size());
        for (std::size_t g = 0; g < m_machine.groups.size(); ++g) {
            for (const GroupMember& member : m_machine.groups[g].members) {
                m_groupsOf[member.lane.index()].push_back({g, member.demand});
            }
        }
        m_groupLoad.resize(m_machine.groups.size(), 0);
        if (options.seed) m_builder.setSeed(*options.seed);
    }

    Result<Trace> run() {
        Decisions decisions;
        m_dispatch.start(m_now, decisions);
        carryOut(decisions);
        while (!m_dispatch.complete()) {
            if (m_options.stop.stop_requested()) return Message{"run.cancelled", {}};
            if (!m_parts.empty()) {
                advanceToNextEnd();
            } else if (m_pending.empty()) {
                return Message{"plan.stuck", {{"stage", stuckStage()}}};
            }
        }
        return m_builder.finish(m_now);
    }

private:
    struct Membership {
        std::size_t group;
        double demand;
    };

    void carryOut(const Decisions& decisions) {
        for (const Decision& decision : decisions) {
            std::visit([this](const auto& d) { take(d); }, decision);
        }
        sampleCounters();
        beginWhatCan();
    }

    void take(const SubmitDecision& decision) {
        Pending pending;
        pending.step = m_dispatch.step(decision.step);
        pending.submitted = m_now;
        estimate(pending);
        for (const LaneId lane : pending.step.lanes) m_queues[lane.index()].push_back(decision.step);
        if (pending.step.images.size() > 1) m_builder.addBatch({decision.step, pending.step.images});
        m_pending.emplace(decision.step, std::move(pending));
    }
    void take(const RevokeDecision& decision) { m_revocations.push_back(decision.step); }
    void take(const ReleaseDecision&) {}
    void take(const EndDecision& decision) { m_builder.addOutcome({decision.image, decision.stage, decision.outcome}); }
    void take(const ImageEndDecision& decision) { m_builder.addImageEnd({decision.image, m_now, decision.lastStep}); }
    void take(const SupersedeDecision& decision) {
        m_builder.addSuperseded({decision.step, decision.attempt, decision.reason, m_now, decision.image});
    }

    void sampleCounters() {
        for (std::size_t i = 0; i < m_machine.memories.size(); ++i) {
            m_builder.addSample("live bytes " + m_machine.memories[i].name, m_now,
                                static_cast<double>(m_dispatch.liveBytes(MemoryId(i)).value));
        }
        m_builder.addSample("images in flight", m_now, m_dispatch.imagesInFlight());
    }

    /// Durations of the step's parts, and the bytes it moves or makes.
    void estimate(Pending& pending) {
        const StepTemplate& stepTemplate = m_plan.stepTemplate(pending.step.stepTemplate);
        double total = 0;
        std::int32_t rows = 1;
        for (const ImageIndex image : pending.step.images) {
            const ImageShapes& shapes = m_dispatch.shapes(image);
            const ByteCount actual =
                stepTemplate.inputs.empty() ? ByteCount{} : m_dispatch.actualBytes(image, stepTemplate.inputs.front());
            const StepQuery query =
                makeQuery(m_plan, stepTemplate, image, shapes, pending.step.device, actual, m_scratch);
            total += drawn(m_costs.cost(query));
            const ByteCount bytes = bytesOf(stepTemplate, query);
            pending.bytes += bytes;
            pending.results.push_back(StepDone{bytes});
            rows = rowsOf(m_scratch.inputs, m_scratch.outputs);
        }
        const auto& lanes = pending.step.lanes;
        if (lanes.size() == 1) {
            pending.parts = {total};
            return;
        }
        for (const RowRange& part : splitRows(rows, 1, lanes.size())) {
            pending.parts.push_back(total * part.count() / std::max(1, rows));
        }
        pending.parts.resize(lanes.size(), 0);
    }

    ByteCount bytesOf(const StepTemplate& stepTemplate, const StepQuery& query) const {
        if (stepTemplate.kind != TemplateKind::operation)
            return stepTemplate.kind == TemplateKind::conversion ? ByteCount{} : query.bytes;
        const bool encodes =
            !query.call.outputs.empty() && std::holds_alternative<BytesShape>(query.call.outputs.front());
        return encodes ? m_costs.encodedBytes(query) : ByteCount{};
    }

    double drawn(const CostEstimate& cost) {
        const auto mean = static_cast<double>(cost.duration.count());
        if (!m_options.seed || cost.relativeSpread <= 0) return mean;
        // Log-normal: never negative, mean and spread as asked.
        const double variance = std::log1p(cost.relativeSpread * cost.relativeSpread);
        std::normal_distribution<double> normal(-variance / 2, std::sqrt(variance));
        return mean * std::exp(normal(m_random));
    }

    /// Starts steps that are first on all their lanes, whose predecessors have ended and whose exclusive groups are free, in
    /// the order of submission.
    void beginWhatCan() {
        for (bool progress = true; progress;) {
            progress = false;
            StepId first;
            for (std::size_t i = 0; i < m_queues.size(); ++i) {
                if (m_laneBusy[i] || m_queues[i].empty()) continue;
                const StepId id = m_queues[i].front();
                if ((!first.valid() || id < first) && canBegin(m_pending.at(id))) first = id;
            }
            if (!first.valid()) break;
            begin(m_pending.at(first));
            progress = true;
        }
    }

    bool canBegin(const Pending& pending) const {
        if (pending.begun) return false;
        for (const LaneId lane : pending.step.lanes) {
            if (m_laneBusy[lane.index()] || m_queues[lane.index()].front() != pending.step.id) return false;
            for (const Membership& member : m_groupsOf[lane.index()]) {
                if (m_machine.groups[member.group].rule == GroupRule::exclusive && m_groupLoad[member.group] > 0)
                    return false;
            }
        }
        return std::none_of(pending.step.after.begin(), pending.step.after.end(),
                            [this](StepId id) { return m_pending.contains(id); });
    }

    void begin(Pending& pending) {
        pending.begun = true;
        pending.running = pending.step.lanes.size();
        for (std::size_t i = 0; i < pending.step.lanes.size(); ++i) {
            const LaneId lane = pending.step.lanes[i];
            m_laneBusy[lane.index()] = true;
            for (const Membership& member : m_groupsOf[lane.index()]) m_groupLoad[member.group] += member.demand;
            m_parts.push_back({pending.step.id, lane, std::max(1.0, pending.parts[i]), 1, m_now});
        }
        m_dispatch.started(pending.step.id, m_now);
        updateRates();
    }

    void updateRates() {
        for (Part& part : m_parts) {
            part.rate = 1;
            for (const Membership& member : m_groupsOf[part.lane.index()]) {
                const CapacityGroup& group = m_machine.groups[member.group];
                if (group.rule == GroupRule::shared && m_groupLoad[member.group] > group.capacity) {
                    part.rate = std::min(part.rate, group.capacity / m_groupLoad[member.group]);
                }
            }
        }
    }

    void advanceToNextEnd() {
        double soonest = std::numeric_limits<double>::max();
        for (const Part& part : m_parts) soonest = std::min(soonest, part.remaining / part.rate);
        const Duration step(static_cast<std::int64_t>(std::ceil(soonest)));
        m_now += step;
        std::vector<StepId> ended;
        for (Part& part : m_parts) part.remaining -= static_cast<double>(step.count()) * part.rate;
        for (std::size_t i = 0; i < m_parts.size();) {
            if (m_parts[i].remaining > 0.5 * m_parts[i].rate) {
                ++i;
                continue;
            }
            if (endPart(m_parts[i])) ended.push_back(m_parts[i].step);
            m_parts[i] = m_parts.back();
            m_parts.pop_back();
        }
        updateRates();
        std::sort(ended.begin(), ended.end());
        for (const StepId id : ended) endStep(id);
    }

    /// True with the last part of its step.
    bool endPart(const Part& part) {
        Pending& pending = m_pending.at(part.step);
        for (const Membership& member : m_groupsOf[part.lane.index()]) m_groupLoad[member.group] -= member.demand;
        Span span;
        span.begin = part.begin;
        span.end = m_now;
        span.lane = static_cast<std::uint16_t>(part.lane.value);
        pending.spans.push_back(span);
        return --pending.running == 0;
    }

    void endStep(StepId id) {
        auto node = m_pending.extract(id);
        Pending& pending = node.mapped();
        const auto cause = lastCause(pending);
        for (Span& span : pending.spans) {
            span.ready = std::max(pending.step.ready, cause.when);
            span.submitted = pending.submitted;
            if (span.ready > span.submitted) span.ready = std::min(span.ready, span.begin);
            span.returned = pending.submitted;
            span.bytes = pending.bytes;
            span.step = id;
            span.image = pending.step.images.front();
            span.cause = cause.step;
            span.stepTemplate = static_cast<std::uint16_t>(pending.step.stepTemplate.value);
            m_builder.add(span);
        }
        m_endOf[id] = m_now;
        for (const LaneId lane : pending.step.lanes) {
            m_laneBusy[lane.index()] = false;
            m_queues[lane.index()].pop_front();
        }
        Decisions decisions;
        m_dispatch.finished(id, m_now, pending.results, decisions);
        while (m_endOf.size() > 4096) m_endOf.erase(m_endOf.begin());
        carryOut(decisions);
        takeRevocations();
    }

    struct Cause {
        Instant when;
        StepId step;
    };
    /// What made the step ready: the last of those it queued behind, else what Dispatch knew when it submitted it.
    Cause lastCause(const Pending& pending) const {
        Cause cause{pending.step.ready, pending.step.cause};
        for (const StepId id : pending.step.after) {
            const auto found = m_endOf.find(id);
            if (found != m_endOf.end() && found->second >= cause.when) cause = {found->second, id};
        }
        return cause;
    }

    void takeRevocations() {
        while (!m_revocations.empty()) {
            const StepId id = m_revocations.back();
            m_revocations.pop_back();
            const auto found = m_pending.find(id);
            if (found == m_pending.end() || found->second.begun) continue;
            for (const LaneId lane : found->second.step.lanes) std::erase(m_queues[lane.index()], id);
            m_pending.erase(found);
            Decisions decisions;
            m_dispatch.revoked(id, m_now, decisions);
            carryOut(decisions);
        }
    }

    std::string stuckStage() const { return m_plan.pipeline->stages.empty() ? "" : m_plan.pipeline->stages.front().id; }

    const Plan& m_plan;
    const Machine& m_machine;
    const CostModel& m_costs;
    const SimulationOptions& m_options;
    Dispatch m_dispatch;
    TraceBuilder m_builder;
    std::map<StepId, Pending> m_pending;
    std::map<StepId, Instant> m_endOf;  ///< recent ends
    std::vector<std::deque<StepId>> m_queues;
    std::vector<bool> m_laneBusy;
    std::vector<std::vector<Membership>> m_groupsOf;
    std::vector<double> m_groupLoad;
    std::vector<Part> m_parts;
    std::vector<StepId> m_revocations;
    QueryScratch m_scratch;
    std::mt19937_64 m_random;
    Instant m_now;
};

}  // namespace

Result<Trace> simulate(const Plan& plan, const CostModel& costs, const SimulationOptions& options) {
    const auto policy = policyFor(plan);
    return simulate(plan, costs, *policy, options);
}

Result<Trace> simulate(const Plan& plan, const CostModel& costs, Policy& policy, const SimulationOptions& options) {
    return Simulation(plan, costs, options, policy).run();
}

}  // namespace lanewright
