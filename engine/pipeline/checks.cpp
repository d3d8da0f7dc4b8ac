// SPDX-License-Identifier: GPL-3.0-or-later
// The checks, one function each.
#include "engine/pipeline/checks.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lanewright {
namespace {

class Checker {
public:
    explicit Checker(const Pipeline& pipeline) : m_pipeline(pipeline) {}

    std::vector<Problem> check() {
        checkWhole();
        checkEdges();
        for (std::size_t i = 0; i < m_pipeline.stages.size(); ++i) {
            const StageIndex stage(i);
            checkId(stage);
            if (!m_pipeline.stage(stage).kind) {
                add(Severity::error, stage, {"pipeline.noKind", {{"stage", m_pipeline.stage(stage).id}}});
                continue;
            }
            checkParameters(stage);
            checkInputs(stage);
            checkOutputs(stage);
        }
        const auto whole = [](const Problem& problem) { return !problem.stage.valid(); };
        std::stable_partition(m_problems.begin(), m_problems.end(), whole);
        return std::move(m_problems);
    }

private:
    void add(Severity severity, StageIndex stage, Message message) {
        m_problems.push_back({std::move(message), stage, severity});
    }

    std::vector<StageIndex> stagesWith(StageRole role) const {
        std::vector<StageIndex> found;
        for (std::size_t i = 0; i < m_pipeline.stages.size(); ++i) {
            const StageKind* kind = m_pipeline.stages[i].kind;
            if (kind && kind->description().role == role) found.emplace_back(i);
        }
        return found;
    }

    std::string names(const std::vector<StageIndex>& stages) const {
        std::string text;
        for (const StageIndex stage : stages) text += (text.empty() ? "" : ", ") + m_pipeline.stage(stage).id;
        return text;
    }

    void checkWhole() {
        const auto sources = stagesWith(StageRole::source);
        if (sources.empty()) add(Severity::error, {}, {"pipeline.noSource", {}});
        if (sources.size() > 1) add(Severity::error, {}, {"pipeline.manySources", {{"stages", names(sources)}}});
        if (stagesWith(StageRole::sink).empty()) add(Severity::error, {}, {"pipeline.noSink", {}});
        const auto order = m_pipeline.topologicalOrder();
        if (order.size() == m_pipeline.stages.size()) return;
        add(Severity::error, {}, {"pipeline.cycle", {{"stages", names(stagesInCycles(order))}}});
    }

    /// What is not in the topological order is in a cycle or behind one; those behind are peeled off from the end.
    std::vector<StageIndex> stagesInCycles(const std::vector<StageIndex>& order) const {
        std::vector<bool> left(m_pipeline.stages.size(), true);
        for (const StageIndex stage : order) left[stage.index()] = false;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = 0; i < left.size(); ++i) {
                if (!left[i] || feeds(StageIndex(i), left)) continue;
                left[i] = false;
                changed = true;
            }
        }
        std::vector<StageIndex> stages;
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (left[i]) stages.emplace_back(i);
        }
        return stages;
    }

    bool feeds(StageIndex stage, const std::vector<bool>& among) const {
        return std::any_of(m_pipeline.edges.begin(), m_pipeline.edges.end(), [&](const Edge& edge) {
            return edge.from == stage && edge.to.index() < among.size() && among[edge.to.index()];
        });
    }

    void checkEdges() {
        for (const Edge& edge : m_pipeline.edges) {
            const bool fromThere = edge.from.index() < m_pipeline.stages.size();
            const bool toThere = edge.to.index() < m_pipeline.stages.size();
            if (!fromThere || !toThere) {
                add(Severity::error, {}, {"pipeline.danglingEdge", {}});
                continue;
            }
            const StageKind* from = m_pipeline.stage(edge.from).kind;
            const StageKind* to = m_pipeline.stage(edge.to).kind;
            if (from && edge.fromPort >= from->description().outputs.size()) noPort(edge.from, "output", edge.fromPort);
            if (to && edge.toPort >= to->description().inputs.size()) noPort(edge.to, "input", edge.toPort);
        }
    }

    void noPort(StageIndex stage, std::string side, std::uint32_t port) {
        add(Severity::error, stage,
            {"pipeline.noPort",
             {{"stage", m_pipeline.stage(stage).id}, {"side", std::move(side)}, {"port", std::to_string(port)}}});
    }

    void checkId(StageIndex stage) {
        const std::string& id = m_pipeline.stage(stage).id;
        if (!isStageId(id)) add(Severity::error, stage, {"pipeline.stageId", {{"stage", id}}});
        if (m_pipeline.find(id) != stage) add(Severity::error, stage, {"pipeline.duplicateId", {{"stage", id}}});
    }

    void checkParameters(StageIndex index) {
        const Stage& stage = m_pipeline.stage(index);
        const StageDescription& description = stage.kind->description();
        const auto declarations = description.parameters;
        if (stage.parameters.size() != declarations.size()) {
            add(Severity::error, index, {"pipeline.parameterCount", {{"stage", stage.id}}});
            return;
        }
        bool needsFile = description.role == StageRole::constant;
        for (std::size_t i = 0; i < declarations.size(); ++i) {
            const auto checked = checkedParameter(declarations[i], stage.parameters.at(i));
            if (!checked) add(Severity::error, index, parameterError(stage, checked.error()));
            if (!needsFile || declarations[i].type != ParameterType::path) continue;
            needsFile = false;
            const auto* path = std::get_if<std::string>(&stage.parameters.at(i));
            if (path && !path->empty()) continue;
            add(Severity::error, index,
                {"pipeline.noFile", {{"stage", stage.id}, {"parameter", std::string(declarations[i].name)}}});
        }
    }

    void checkInputs(StageIndex index) {
        const Stage& stage = m_pipeline.stage(index);
        const auto& inputs = stage.kind->description().inputs;
        for (std::uint32_t port = 0; port < inputs.size(); ++port) {
            std::vector<StageIndex> from;
            for (const Edge& edge : m_pipeline.edges) {
                const bool here = edge.to == index && edge.toPort == port;
                if (here && edge.from.index() < m_pipeline.stages.size()) from.push_back(edge.from);
            }
            const std::string name(inputs[port].name);
            if (from.empty()) {
                add(Severity::error, index, {"pipeline.unconnectedInput", {{"stage", stage.id}, {"port", name}}});
            } else if (from.size() > 1) {
                add(Severity::error, index,
                    {"pipeline.inputFedTwice", {{"stage", stage.id}, {"port", name}, {"stages", names(from)}}});
            }
        }
    }

    void checkOutputs(StageIndex index) {
        const Stage& stage = m_pipeline.stage(index);
        if (stage.kind->description().outputs.empty()) return;
        const bool used = std::any_of(m_pipeline.edges.begin(), m_pipeline.edges.end(), [&](const Edge& edge) {
            return edge.from == index && edge.to.index() < m_pipeline.stages.size();
        });
        if (!used) add(Severity::warning, index, {"pipeline.unusedOutput", {{"stage", stage.id}}});
    }

    const Pipeline& m_pipeline;
    std::vector<Problem> m_problems;
};

bool isLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

std::vector<Problem> check(const Pipeline& pipeline) { return Checker(pipeline).check(); }

bool isStageId(std::string_view id) {
    constexpr std::size_t longest = 64;
    if (id.empty() || id.size() > longest || id.front() == '-') return false;
    return std::all_of(id.begin(), id.end(), [](char c) { return isLetterOrDigit(c) || c == '_' || c == '-'; });
}

Message parameterError(const Stage& stage, Message error) {
    if (error.id == "parameter.type") error.id = "pipeline.parameterType";
    if (error.id == "parameter.range") error.id = "pipeline.parameterRange";
    if (error.id == "parameter.choice") error.id = "pipeline.parameterChoice";
    error.arguments.emplace(error.arguments.begin(), "stage", stage.id);
    return error;
}

}  // namespace lanewright
