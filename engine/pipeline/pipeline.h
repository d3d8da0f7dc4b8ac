// SPDX-License-Identifier: GPL-3.0-or-later
// A pipeline: stages and edges, a directed acyclic graph. A value; edits and checks are in edits.h and checks.h.
#pragma once

#include "kernels/api/catalog.h"
#include "kernels/api/ids.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

struct Stage {
    std::string id;  ///< unique in its pipeline: "resize"
    const StageKind* kind = nullptr;
    Parameters parameters;
};

/// From output `fromPort` of one stage to input `toPort` of another. An output may feed many; an input has one edge.
struct Edge {
    StageIndex from;
    std::uint32_t fromPort = 0;
    StageIndex to;
    std::uint32_t toPort = 0;
    friend bool operator==(const Edge&, const Edge&) = default;
};

struct Pipeline {
    std::vector<Stage> stages;
    std::vector<Edge> edges;

    const Stage& stage(StageIndex index) const { return stages[index.index()]; }
    std::optional<StageIndex> find(std::string_view id) const;
    std::optional<Edge> edgeInto(StageIndex stage, std::uint32_t port) const;
    /// Stages so that each comes after those it reads from; shorter than `stages` when there is a cycle.
    std::vector<StageIndex> topologicalOrder() const;
};

/// Where a stage runs: one device; several with shares (by image, in input order); several without: whichever is free.
struct StagePlacement {
    std::vector<std::string> devices;
    std::vector<double> shares;  ///< empty, or one positive number a device
    friend bool operator==(const StagePlacement&, const StagePlacement&) = default;
};

/// By position in Pipeline::stages. An empty device list means "cpu".
struct Placement {
    std::vector<StagePlacement> stages;
};

}  // namespace lanewright
