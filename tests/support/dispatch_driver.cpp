// SPDX-License-Identifier: GPL-3.0-or-later
// Drives Dispatch in tests without time or devices.
#include "tests/support/dispatch_driver.h"

#include <algorithm>

namespace lanewright::test {
namespace {

using BufferKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

class Drive {
public:
    Drive(const Plan& plan, const DriveOptions& options)
        : m_plan(plan),
          m_options(options),
          m_policy(policyFor(plan)),
          m_dispatch(plan, *m_policy),
          m_random(options.seed),
          m_lanes(plan.machine->lanes.size()) {}

    DriveResult run() {
        Decisions decisions;
        m_dispatch.start(tick(), decisions);
        take(decisions);
        while (!m_dispatch.complete() && m_ended < 1'000'000) {
            if (m_options.cancelAfter && m_ended == *m_options.cancelAfter && !m_cancelled) {
                m_cancelled = true;
                decisions.clear();
                m_dispatch.cancel(tick(), decisions);
                take(decisions);
                continue;
            }
            if (!endOne()) break;
        }
        m_result.complete = m_dispatch.complete();
        if (!m_result.complete) problem("the run does not complete");
        if (!m_buffers.empty()) problem(std::to_string(m_buffers.size()) + " buffers are left");
        for (std::size_t i = 0; i < m_plan.machine->memories.size(); ++i) {
            if (m_dispatch.liveBytes(MemoryId(i)).value != 0)
                problem("live bytes are left in " + m_plan.machine->memories[i].name);
        }
        return std::move(m_result);
    }

private:
    Instant tick() { return instantFromNs(++m_clock); }
    void problem(std::string text) { m_result.problems.push_back(std::move(text)); }

    void take(const Decisions& decisions) {
        for (const Decision& decision : decisions) std::visit([this](const auto& d) { carryOut(d); }, decision);
        std::vector<StepId> revoke;
        revoke.swap(m_revoke);
        for (const StepId id : revoke) {
            if (!m_open.contains(id)) continue;
            // Steps behind others have not begun; of the rest about half.
            const Step step = m_open.at(id);
            const bool waits =
                std::any_of(step.after.begin(), step.after.end(), [this](StepId s) { return m_open.contains(s); });
            if (!waits && m_random() % 2 == 0) continue;
            close(step);
            Decisions more;
            m_dispatch.revoked(id, tick(), more);
            take(more);
        }
        m_result.mostInFlight = std::max<std::size_t>(m_result.mostInFlight, m_dispatch.imagesInFlight());
        for (std::size_t i = 1; i < m_plan.machine->memories.size(); ++i) {
            m_result.mostDeviceBytes = std::max(m_result.mostDeviceBytes, m_dispatch.liveBytes(MemoryId(i)).value);
        }
    }

    MemoryId inputMemory(const Step& step) const { return step.memory; }
    MemoryId outputMemory(const Step& step) const {
        const StepTemplate& t = m_plan.stepTemplate(step.stepTemplate);
        return t.kind == TemplateKind::copy ? m_plan.machine->link(t.link).to : step.memory;
    }
    BufferKey key(ImageIndex image, SlotIndex slot, MemoryId memory) const {
        const FormatClass& c = m_plan.formatClass(m_plan.classOf(image));
        const ImageIndex owner = c.slots[slot.index()].constant ? m_plan.constantsImage() : image;
        return {owner.value, slot.value, memory.value};
    }

    void carryOut(const SubmitDecision& decision) {
        const Step step = m_dispatch.step(decision.step);
        const StepTemplate& t = m_plan.stepTemplate(step.stepTemplate);
        if (m_cancelled) problem("submitted after cancel: " + t.name);
        if (m_lost.contains(step.device.value)) problem("submitted to a lost device: " + t.name);
        for (const LaneId lane : step.lanes) {
            if (m_plan.machine->lane(lane).device != step.device) problem("a lane of another device");
            m_lanes[lane.index()].push_back(step.id);
            if (m_lanes[lane.index()].size() > static_cast<std::size_t>(m_plan.machine->lane(lane).queueDepth)) {
                problem("lane deeper than its queue: " + t.name);
            }
        }
        for (const ImageIndex image : step.images) {
            for (const SlotIndex slot : t.inputs) checkInput(step, image, slot, t);
            for (const SlotIndex slot : t.outputs) {
                const BufferKey made = key(image, slot, outputMemory(step));
                if (m_buffers.contains(made)) problem("made twice: " + t.name);
                m_buffers[made] = false;
            }
            m_result.submitted.push_back(t.name + " " + std::to_string(image.value) + " @" +
                                         m_plan.machine->device(step.device).name);
        }
        m_result.widest = std::max(m_result.widest, step.lanes.size());
        m_result.largestBatch = std::max(m_result.largestBatch, step.images.size());
        m_open.emplace(step.id, step);
    }

    void checkInput(const Step& step, ImageIndex image, SlotIndex slot, const StepTemplate& t) {
        const auto found = m_buffers.find(key(image, slot, inputMemory(step)));
        if (found == m_buffers.end())
            return problem("input is not there: " + t.name + " " + std::to_string(image.value));
        if (!found->second && step.after.empty()) problem("input is not valid: " + t.name);
    }

    void carryOut(const RevokeDecision& decision) {
        m_revoke.push_back(decision.step);
        m_doomed.insert(decision.step);
    }
    void carryOut(const ReleaseDecision& decision) {
        const BufferKey freed{decision.buffer.image.value, decision.buffer.slot.value, decision.buffer.memory.value};
        if (m_buffers.erase(freed) == 0) problem("released twice");
        for (const auto& [id, step] : m_open) {
            const StepTemplate& t = m_plan.stepTemplate(step.stepTemplate);
            for (const ImageIndex image : step.images) {
                for (const SlotIndex slot : t.inputs) {
                    const bool void_ = m_lost.contains(step.device.value) || m_doomed.contains(id);
                    if (key(image, slot, inputMemory(step)) == freed && !void_)
                        problem("released while in use: " + t.name);
                }
            }
        }
    }
    void carryOut(const EndDecision& decision) {
        const std::string& stage = m_plan.pipeline->stage(decision.stage).id;
        if (!m_result.outcomes.emplace(std::pair(decision.image.value, stage), decision.outcome).second)
            problem("two outcomes: " + stage);
        if (!decision.message.id.empty()) m_result.messages[decision.image.value] += decision.message.id + " ";
    }
    void carryOut(const ImageEndDecision&) {}
    void carryOut(const SupersedeDecision&) { ++m_result.superseded; }

    bool endOne() {
        std::vector<StepId> possible;
        for (const auto& [id, step] : m_open) {
            const bool first = std::all_of(step.lanes.begin(), step.lanes.end(),
                                           [&](LaneId lane) { return m_lanes[lane.index()].front() == id; });
            const bool after =
                std::none_of(step.after.begin(), step.after.end(), [this](StepId s) { return m_open.contains(s); });
            if (first && after) possible.push_back(id);
        }
        if (possible.empty()) return false;
        const Step step = m_open.at(possible[m_random() % possible.size()]);
        ++m_ended;
        const Fault fault = m_options.fault ? m_options.fault(step, m_plan) : Fault{};
        Decisions decisions;
        if (fault.kind == Fault::Kind::lose) {
            m_lost.insert(step.device.value);
            std::vector<Step> gone;
            for (const auto& [id, other] : m_open) {
                if (other.device == step.device) gone.push_back(other);
            }
            for (const Step& other : gone) close(other);
            m_dispatch.deviceLost(step.device, tick(), {"device.lost", {}}, decisions);
        } else if (fault.kind == Fault::Kind::outOfMemory) {
            close(step);
            m_dispatch.outOfMemory(step.id, tick(), decisions);
        } else {
            close(step);
            m_dispatch.finished(step.id, tick(), results(step, fault), decisions);
        }
        take(decisions);
        return true;
    }

    std::vector<ImageResult> results(const Step& step, const Fault& fault) {
        std::vector<ImageResult> list;
        const StepTemplate& t = m_plan.stepTemplate(step.stepTemplate);
        for (const ImageIndex image : step.images) {
            if (fault.kind == Fault::Kind::refuse) {
                list.emplace_back(StepRefused{{"device.refused", {}}});
            } else if (fault.kind == Fault::Kind::fail) {
                list.emplace_back(StepFailed{{"test.failed", {}}});
            } else {
                list.emplace_back(StepDone{ByteCount(7)});
                for (const SlotIndex slot : t.outputs) m_buffers[key(image, slot, outputMemory(step))] = true;
            }
        }
        return list;
    }

    void close(const Step& step) {
        for (const LaneId lane : step.lanes) std::erase(m_lanes[lane.index()], step.id);
        m_open.erase(step.id);
    }

    const Plan& m_plan;
    const DriveOptions& m_options;
    std::unique_ptr<Policy> m_policy;
    Dispatch m_dispatch;
    std::mt19937_64 m_random;
    std::vector<std::vector<StepId>> m_lanes;
    std::map<StepId, Step> m_open;
    std::map<BufferKey, bool> m_buffers;  ///< valid?
    std::vector<StepId> m_revoke;
    std::set<std::uint32_t> m_lost;
    std::set<StepId> m_doomed;  ///< asked back
    std::int64_t m_clock = 0;
    std::size_t m_ended = 0;
    bool m_cancelled = false;
    DriveResult m_result;
};

}  // namespace

std::size_t DriveResult::countOutcomes(OutcomeKind kind) const {
    return static_cast<std::size_t>(
        std::count_if(outcomes.begin(), outcomes.end(), [kind](const auto& o) { return o.second == kind; }));
}

std::size_t DriveResult::countSubmitted(const std::string& text) const {
    return static_cast<std::size_t>(std::count_if(
        submitted.begin(), submitted.end(), [&](const std::string& s) { return s.find(text) != std::string::npos; }));
}

DriveResult drive(const Plan& plan, const DriveOptions& options) { return Drive(plan, options).run(); }

}  // namespace lanewright::test
