// SPDX-License-Identifier: GPL-3.0-or-later
// The user's placement: the deepest stage first, then input order, so that images finish and few buffers are live.
#include "engine/plan/policy.h"

namespace lanewright {
namespace {

class ManualPolicy : public Policy {
public:
    std::string_view name() const override { return "manual"; }
    std::string_view description() const override {
        return "Stages run where they were placed; the deepest stage goes first, then input order.";
    }
    std::optional<Choice> choose(LaneId, std::span<const Candidate> candidates, const DispatchState&) override {
        std::size_t best = 0;
        for (std::size_t i = 1; i < candidates.size(); ++i) {
            if (before(candidates[i], candidates[best])) best = i;
        }
        return Choice{best, {}, 0};
    }

private:
    static bool before(const Candidate& a, const Candidate& b) {
        return a.depth != b.depth ? a.depth > b.depth : a.image < b.image;
    }
};

}  // namespace

std::unique_ptr<Policy> makeManualPolicy() { return std::make_unique<ManualPolicy>(); }

}  // namespace lanewright
