// SPDX-License-Identifier: GPL-3.0-or-later
// Look-ups in a pipeline.
#include "engine/pipeline/pipeline.h"

#include <functional>
#include <queue>

namespace lanewright {

std::optional<StageIndex> Pipeline::find(std::string_view id) const {
    for (std::size_t i = 0; i < stages.size(); ++i) {
        if (stages[i].id == id) return StageIndex(i);
    }
    return std::nullopt;
}

std::optional<Edge> Pipeline::edgeInto(StageIndex stage, std::uint32_t port) const {
    for (const Edge& edge : edges) {
        if (edge.to == stage && edge.toPort == port) return edge;
    }
    return std::nullopt;
}

// Kahn's algorithm; of several stages that could be next the first in the list is, so the order is stable.
std::vector<StageIndex> Pipeline::topologicalOrder() const {
    const auto inside = [this](const Edge& edge) {
        return edge.from.index() < stages.size() && edge.to.index() < stages.size();
    };
    std::vector<std::size_t> waitingFor(stages.size(), 0);
    for (const Edge& edge : edges) {
        if (inside(edge)) ++waitingFor[edge.to.index()];
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        if (waitingFor[i] == 0) ready.push(i);
    }
    std::vector<StageIndex> order;
    while (!ready.empty()) {
        const StageIndex next(ready.top());
        ready.pop();
        order.push_back(next);
        for (const Edge& edge : edges) {
            if (inside(edge) && edge.from == next && --waitingFor[edge.to.index()] == 0) ready.push(edge.to.index());
        }
    }
    return order;
}

}  // namespace lanewright
