// SPDX-License-Identifier: GPL-3.0-or-later
// Each edit copies the pipeline and changes the copy: pipelines are small and old values are what undo keeps.
#include "engine/pipeline/edits.h"

#include "engine/pipeline/checks.h"

#include <algorithm>
#include <utility>

namespace lanewright {
namespace {

bool has(const Pipeline& pipeline, StageIndex stage) { return stage.index() < pipeline.stages.size(); }

Message noStage() { return {"pipeline.noStage", {}}; }

Status usableId(const Pipeline& pipeline, std::string_view id) {
    if (!isStageId(id)) return Message{"pipeline.stageId", {{"stage", std::string(id)}}};
    if (pipeline.find(id)) return Message{"pipeline.duplicateId", {{"stage", std::string(id)}}};
    return {};
}

Status usablePorts(const Pipeline& pipeline, const Edge& edge) {
    if (!has(pipeline, edge.from) || !has(pipeline, edge.to)) return noStage();
    const Stage& from = pipeline.stage(edge.from);
    const Stage& to = pipeline.stage(edge.to);
    if (edge.fromPort >= from.kind->description().outputs.size()) {
        return Message{"pipeline.noPort",
                       {{"stage", from.id}, {"side", "output"}, {"port", std::to_string(edge.fromPort)}}};
    }
    if (edge.toPort >= to.kind->description().inputs.size()) {
        return Message{"pipeline.noPort", {{"stage", to.id}, {"side", "input"}, {"port", std::to_string(edge.toPort)}}};
    }
    return {};
}

bool hasEdge(const Pipeline& pipeline, const Edge& edge) {
    return std::find(pipeline.edges.begin(), pipeline.edges.end(), edge) != pipeline.edges.end();
}

Message noEdge(const Pipeline& pipeline, const Edge& edge) {
    if (!has(pipeline, edge.from) || !has(pipeline, edge.to)) return noStage();
    return {"pipeline.noEdge", {{"from", pipeline.stage(edge.from).id}, {"to", pipeline.stage(edge.to).id}}};
}

bool reaches(const Pipeline& pipeline, StageIndex from, StageIndex to) {
    std::vector<StageIndex> reached{from};
    for (std::size_t i = 0; i < reached.size(); ++i) {
        if (reached[i] == to) return true;
        for (const Edge& edge : pipeline.edges) {
            if (edge.from == reached[i] && std::find(reached.begin(), reached.end(), edge.to) == reached.end()) {
                reached.push_back(edge.to);
            }
        }
    }
    return false;
}

std::string parameterNames(std::span<const ParameterDeclaration> declarations) {
    std::string names;
    for (const auto& declaration : declarations) {
        names += (names.empty() ? "" : ", ") + std::string(declaration.name);
    }
    return names.empty() ? "none" : names;
}

/// Sets the parameter to what `convert` makes of its declaration.
template <class Convert>
Result<Pipeline> withParameter(const Pipeline& pipeline, StageIndex index, std::string_view parameter,
                               Convert convert) {
    if (!has(pipeline, index)) return noStage();
    const Stage& stage = pipeline.stage(index);
    const auto declarations = stage.kind->description().parameters;
    const auto found = findParameter(declarations, parameter);
    if (!found) {
        return Message{
            "pipeline.noParameter",
            {{"stage", stage.id}, {"parameter", std::string(parameter)}, {"parameters", parameterNames(declarations)}}};
    }
    Result<ParameterValue> value = convert(declarations[*found]);
    if (!value) return parameterError(stage, value.error());
    Pipeline edited = pipeline;
    edited.stages[index.index()].parameters.set(*found, *std::move(value));
    return edited;
}

}  // namespace

std::string freshStageId(const Pipeline& pipeline, std::string_view wanted) {
    std::string base(wanted.substr(0, 56));  // leaves room for a number
    for (char& c : base) {
        if (!isStageId({&c, 1}) && c != '-') c = '_';
    }
    if (!isStageId(base)) base = "stage" + base;
    if (!pipeline.find(base)) return base;
    const std::size_t end = base.find_last_not_of("0123456789");
    if (end != std::string::npos && end > 0 && end + 1 < base.size() && base[end] == '_') base.resize(end);
    std::string id = base;
    for (int number = 2; pipeline.find(id); ++number) id = base + "_" + std::to_string(number);
    return id;
}

Result<Pipeline> addStage(const Pipeline& pipeline, const StageKind& kind, std::string_view id) {
    const StageDescription& description = kind.description();
    std::string chosen(id);
    if (chosen.empty()) chosen = freshStageId(pipeline, description.kind);
    if (const Status usable = usableId(pipeline, chosen); !usable) return usable.error();
    Pipeline edited = pipeline;
    edited.stages.push_back({std::move(chosen), &kind, Parameters(description.parameters)});
    return edited;
}

Result<Pipeline> removeStage(const Pipeline& pipeline, StageIndex stage) {
    if (!has(pipeline, stage)) return noStage();
    const auto bridge = pipeline.edgeInto(stage, 0);
    const bool bridged = bridge && bridge->from != stage;
    const auto closeGap = [stage](StageIndex index) { return index > stage ? StageIndex(index.index() - 1) : index; };
    Pipeline edited;
    edited.stages = pipeline.stages;
    edited.stages.erase(edited.stages.begin() + static_cast<std::ptrdiff_t>(stage.index()));
    for (Edge edge : pipeline.edges) {
        if (edge.to == stage || (edge.from == stage && !bridged)) continue;
        if (edge.from == stage) {
            edge.from = bridge->from;
            edge.fromPort = bridge->fromPort;
        }
        edited.edges.push_back({closeGap(edge.from), edge.fromPort, closeGap(edge.to), edge.toPort});
    }
    return edited;
}

Result<Pipeline> connect(const Pipeline& pipeline, const Edge& edge) {
    if (const Status usable = usablePorts(pipeline, edge); !usable) return usable.error();
    const std::string& to = pipeline.stage(edge.to).id;
    if (const auto taken = pipeline.edgeInto(edge.to, edge.toPort)) {
        const std::string_view port = pipeline.stage(edge.to).kind->description().inputs[edge.toPort].name;
        const std::string from = has(pipeline, taken->from) ? pipeline.stage(taken->from).id : std::string("?");
        return Message{"pipeline.inputTaken", {{"stage", to}, {"port", std::string(port)}, {"from", from}}};
    }
    if (reaches(pipeline, edge.to, edge.from)) {
        return Message{"pipeline.cycle", {{"stages", pipeline.stage(edge.from).id + ", " + to}}};
    }
    Pipeline edited = pipeline;
    edited.edges.push_back(edge);
    return edited;
}

Result<Pipeline> disconnect(const Pipeline& pipeline, const Edge& edge) {
    if (!hasEdge(pipeline, edge)) return noEdge(pipeline, edge);
    Pipeline edited = pipeline;
    std::erase(edited.edges, edge);
    return edited;
}

Result<Pipeline> insertBetween(const Pipeline& pipeline, const Edge& edge, const StageKind& kind) {
    if (!hasEdge(pipeline, edge)) return noEdge(pipeline, edge);
    const StageDescription& description = kind.description();
    if (description.inputs.empty() || description.outputs.empty()) {
        return Message{"pipeline.notBetween", {{"kind", std::string(description.label)}}};
    }
    auto added = addStage(pipeline, kind);
    if (!added) return added;
    const StageIndex stage(pipeline.stages.size());
    std::replace(added->edges.begin(), added->edges.end(), edge, Edge{edge.from, edge.fromPort, stage, 0});
    added->edges.push_back({stage, 0, edge.to, edge.toPort});
    return added;
}

Result<Pipeline> duplicateStage(const Pipeline& pipeline, StageIndex stage) {
    if (!has(pipeline, stage)) return noStage();
    Pipeline edited = pipeline;
    Stage copy = pipeline.stage(stage);
    copy.id = freshStageId(pipeline, copy.id);
    edited.stages.push_back(std::move(copy));
    for (const Edge& edge : pipeline.edges) {
        if (edge.to != stage || edge.from == stage) continue;
        edited.edges.push_back({edge.from, edge.fromPort, StageIndex(pipeline.stages.size()), edge.toPort});
    }
    return edited;
}

Result<Pipeline> renameStage(const Pipeline& pipeline, StageIndex stage, std::string_view id) {
    if (!has(pipeline, stage)) return noStage();
    if (pipeline.stage(stage).id == id) return pipeline;
    if (const Status usable = usableId(pipeline, id); !usable) return usable.error();
    Pipeline edited = pipeline;
    edited.stages[stage.index()].id = std::string(id);
    return edited;
}

Result<Pipeline> setParameter(const Pipeline& pipeline, StageIndex stage, std::string_view parameter,
                              const ParameterValue& value) {
    return withParameter(pipeline, stage, parameter, [&value](const ParameterDeclaration& declaration) {
        return checkedParameter(declaration, value);
    });
}

Result<Pipeline> setParameterText(const Pipeline& pipeline, StageIndex stage, std::string_view parameter,
                                  std::string_view text) {
    return withParameter(pipeline, stage, parameter, [text](const ParameterDeclaration& declaration) {
        return parsedParameter(declaration, text);
    });
}

}  // namespace lanewright
