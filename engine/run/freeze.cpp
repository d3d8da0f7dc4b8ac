// SPDX-License-Identifier: GPL-3.0-or-later
// Planned order: simulates once and keeps the choices.
#include "engine/run/simulator.h"

#include <utility>

namespace lanewright {
namespace {

/// Writes down what another policy chooses.
class RecordingPolicy : public Policy {
public:
    RecordingPolicy(Policy& inner, std::vector<FrozenStep>& record) : m_inner(inner), m_record(record) {}
    std::string_view name() const override { return m_inner.name(); }
    std::string_view description() const override { return m_inner.description(); }
    std::optional<Choice> choose(LaneId lane, std::span<const Candidate> candidates,
                                 const DispatchState& state) override {
        return m_inner.choose(lane, candidates, state);
    }
    void submitted(TemplateId id, std::span<const ImageIndex> images, std::span<const LaneId> lanes) override {
        m_record.push_back({id, {images.begin(), images.end()}, {lanes.begin(), lanes.end()}});
        m_inner.submitted(id, images, lanes);
    }
    void ended(ImageIndex image) override { m_inner.ended(image); }

private:
    Policy& m_inner;
    std::vector<FrozenStep>& m_record;
};

}  // namespace

Status freeze(Plan& plan, const CostModel& costs) {
    std::vector<FrozenStep> frozen;
    plan.frozen.clear();
    const auto manual = makeManualPolicy();
    RecordingPolicy recorder(*manual, frozen);
    const auto trace = simulate(plan, costs, recorder, {});
    if (!trace) return trace.error();
    plan.frozen = std::move(frozen);
    return {};
}

}  // namespace lanewright
