// SPDX-License-Identifier: GPL-3.0-or-later
// Plays back the frozen choices of planned order, lane by lane.
#include "engine/plan/policy.h"

#include <algorithm>
#include <deque>
#include <vector>

namespace lanewright {
namespace {

class FrozenPolicy : public Policy {
public:
    explicit FrozenPolicy(const Plan& plan)
        : m_plan(plan),
          m_ended(plan.imageCount() + 1, false),
          m_lanes(plan.machine->lanes.size()),
          m_manual(makeManualPolicy()) {
        for (std::size_t i = 0; i < plan.frozen.size(); ++i) {
            for (const LaneId lane : plan.frozen[i].lanes) m_lanes[lane.index()].push_back(i);
        }
    }

    std::string_view name() const override { return "planned"; }
    std::string_view description() const override {
        return "Each lane follows the order that was frozen when the plan was made.";
    }

    std::optional<Choice> choose(LaneId lane, std::span<const Candidate> candidates,
                                 const DispatchState& state) override {
        if (const FrozenStep* next = head(lane)) {
            for (std::size_t i = 0; i < candidates.size(); ++i) {
                if (matches(candidates[i], *next) && atAllHeads(*next)) return choiceFor(i, *next);
            }
        }
        // Retries and fallbacks are not in the frozen order.
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            if (candidates[i].attempt > 0) return Choice{i, {}, 0};
        }
        return state.mustChoose ? m_manual->choose(lane, candidates, state) : std::nullopt;
    }

    void submitted(TemplateId id, std::span<const ImageIndex> images, std::span<const LaneId> lanes) override {
        for (const LaneId lane : lanes) {
            auto& queue = m_lanes[lane.index()];
            const auto found = std::find_if(queue.begin(), queue.end(), [&](std::size_t i) {
                const FrozenStep& step = m_plan.frozen[i];
                return step.stepTemplate == id &&
                       std::equal(step.images.begin(), step.images.end(), images.begin(), images.end());
            });
            if (found != queue.end()) queue.erase(found);
        }
    }

    void ended(ImageIndex image) override { m_ended[image.index()] = true; }

private:
    /// The lane's next frozen step; those whose images have all ended will not come.
    const FrozenStep* head(LaneId lane) {
        auto& queue = m_lanes[lane.index()];
        while (!queue.empty()) {
            const FrozenStep& step = m_plan.frozen[queue.front()];
            const bool gone =
                std::all_of(step.images.begin(), step.images.end(), [&](ImageIndex i) { return m_ended[i.index()]; });
            if (!gone) return &step;
            queue.pop_front();
        }
        return nullptr;
    }

    /// A step over several lanes starts once it is next on each of them.
    bool atAllHeads(const FrozenStep& step) {
        return std::all_of(step.lanes.begin(), step.lanes.end(), [&](LaneId lane) { return head(lane) == &step; });
    }

    /// A stage that is not bound yet is bound by the lane on which it was frozen; then it comes again as a candidate.
    bool matches(const Candidate& candidate, const FrozenStep& step) const {
        if (candidate.stepTemplate != step.stepTemplate) return false;
        if (std::find(step.images.begin(), step.images.end(), candidate.image) == step.images.end()) return false;
        const auto living =
            std::count_if(step.images.begin(), step.images.end(), [&](ImageIndex i) { return !m_ended[i.index()]; });
        return !candidate.assigned || candidate.available >= static_cast<std::uint32_t>(living);
    }

    static Choice choiceFor(std::size_t index, const FrozenStep& step) {
        return {index, step.lanes, static_cast<std::uint32_t>(step.images.size())};
    }

    const Plan& m_plan;
    std::vector<bool> m_ended;
    std::vector<std::deque<std::size_t>> m_lanes;
    std::unique_ptr<Policy> m_manual;
};

}  // namespace

std::unique_ptr<Policy> makeFrozenPolicy(const Plan& plan) { return std::make_unique<FrozenPolicy>(plan); }

std::unique_ptr<Policy> policyFor(const Plan& plan) {
    return plan.frozen.empty() ? makeManualPolicy() : makeFrozenPolicy(plan);
}

}  // namespace lanewright
