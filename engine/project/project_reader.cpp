// SPDX-License-Identifier: GPL-3.0-or-later
// One function per part of the file. All of them go on after a problem, so that `check` tells every one.
#include "engine/project/project_reader.h"

#include <algorithm>

namespace lanewright {
namespace {

std::string joined(const auto& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

std::string numberText(double value) { return parameterText(value); }

/// What a value of a parameter can be, in words.
std::string expectedValue(const ParameterDeclaration& declaration) {
    const std::string range = " from " + numberText(declaration.minimum) + " to " + numberText(declaration.maximum) +
                              (declaration.unit.empty() ? "" : " " + std::string(declaration.unit));
    switch (declaration.type) {
    case ParameterType::toggle: return "true or false";
    case ParameterType::integer: return "a whole number" + range;
    case ParameterType::real: return "a number" + range;
    case ParameterType::text: return "a text";
    case ParameterType::path: return "a path";
    case ParameterType::choice: break;
    }
    std::vector<std::string_view> names;
    for (const ParameterChoice& choice : declaration.choices) names.push_back(choice.name);
    return "one of " + joined(names);
}

std::optional<ParameterValue> parameterValue(const Json& value) {
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return value.get<double>();
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (value.is_number()) return value.get<double>();
    if (value.is_string()) return value.get<std::string>();
    return std::nullopt;
}

}  // namespace

Project ProjectReader::read(std::string_view text) {
    m_project.file = m_file.empty() ? m_file : m_folder / m_file.filename();
    m_project.document = std::string(text);
    m_project.output.folder = m_folder / "out";
    const auto document = parseJson(text, m_problems);
    if (document) readRoot(JsonNode(*document, m_problems));
    return std::move(m_project);
}

void ProjectReader::readRoot(const JsonNode& root) {
    if (!root.hasHeader()) return;
    noteUnknown(root, {"lanewright", "input", "pipeline", "placement", "run", "output", "machine"});
    if (const auto input = root.find("input"); input && input->isObject()) readInput(*input);
    if (const auto pipeline = root.find("pipeline"); pipeline && pipeline->isObject()) {
        noteUnknown(*pipeline, {"stages", "edges"});
        if (const auto stages = pipeline->find("stages"); stages && stages->isArray()) readStages(*stages);
        const auto edges = pipeline->find("edges");
        if (!edges) chainStages();
        if (edges && edges->isArray()) readEdges(*edges);
    }
    m_project.placement.stages.resize(m_project.pipeline.stages.size());
    if (const auto placement = root.find("placement"); placement && placement->isObject()) readPlacement(*placement);
    if (const auto run = root.find("run"); run && run->isObject()) readRun(*run);
    if (const auto output = root.find("output"); output && output->isObject()) readOutput(*output);
    if (const auto machine = root.find("machine")) {
        if (const auto path = machine->text("the path of a machine file")) m_project.machineFile = resolved(*path);
    }
}

std::filesystem::path ProjectReader::resolved(const std::string& path) const {
    if (path.empty()) return {};
    std::filesystem::path full = (m_folder / path).lexically_normal();
    return full.has_filename() || !full.has_relative_path() ? full : full.parent_path();
}

void ProjectReader::noteUnknown(const JsonNode& object, std::initializer_list<std::string_view> known) {
    for (const auto& [key, node] : object.members()) {
        if (std::find(known.begin(), known.end(), key) != known.end()) continue;
        m_unknown.push_back({"project.unknownKey", {{"file", m_problems.file()}, {"pointer", node.pointer()}}});
    }
}

void ProjectReader::readInput(const JsonNode& input) {
    noteUnknown(input, {"paths", "synthetic", "limit"});
    if (const auto paths = input.find("paths"); paths && paths->isArray()) {
        for (const JsonNode& node : paths->elements()) {
            const auto path = node.text("the path of a file or folder");
            if (path && path->empty()) node.problem("the path of a file or folder");
            if (path) m_project.input.paths.push_back(resolved(*path));
        }
    }
    if (const auto synthetic = input.find("synthetic"); synthetic && synthetic->isObject()) readSynthetic(*synthetic);
    if (const auto limit = input.find("limit")) {
        if (const auto number = limit->integer(1, INT32_MAX)) m_project.input.limit = static_cast<std::size_t>(*number);
    }
}

void ProjectReader::readSynthetic(const JsonNode& synthetic) {
    noteUnknown(synthetic, {"count", "width", "height", "seed"});
    SyntheticInput& input = m_project.input.synthetic.emplace();
    const auto read = [&](std::string_view key, std::int64_t minimum, std::int64_t maximum, std::int32_t& to) {
        const auto node = synthetic.find(key);
        const auto number = node ? node->integer(minimum, maximum) : std::nullopt;
        if (number) to = static_cast<std::int32_t>(*number);
    };
    synthetic.need("count", "how many images to make");
    read("count", 0, mostSyntheticImages, input.count);
    read("width", 1, longestSyntheticSide, input.width);
    read("height", 1, longestSyntheticSide, input.height);
    if (const auto node = synthetic.find("seed")) input.seed = node->unsignedInteger().value_or(input.seed);
}

void ProjectReader::readStages(const JsonNode& stages) {
    for (const JsonNode& node : stages.elements()) {
        if (node.isObject()) readStage(node);
    }
}

void ProjectReader::readStage(const JsonNode& node) {
    noteUnknown(node, {"id", "kind", "parameters"});
    const auto kindNode = node.need("kind", "the name of a stage kind");
    const auto kindName = kindNode ? kindNode->text("the name of a stage kind") : std::nullopt;
    const auto idNode = node.find("id");
    const auto id = idNode ? idNode->text("the id of the stage") : kindName;
    const StageKind* kind = kindName ? m_catalog.find(*kindName) : nullptr;
    if (id && !m_ids.try_emplace(*id, kind != nullptr).second) {
        (idNode ? *idNode : node).problem("an id that no other stage has");
        return;
    }
    if (kindName && !kind) {
        std::vector<std::string_view> kinds;
        for (const auto& known : m_catalog.stages()) {
            if (known->description().inPalette) kinds.push_back(known->description().kind);
        }
        m_problems.add({"project.unknownStage",
                        {{"file", m_problems.file()},
                         {"pointer", kindNode->pointer()},
                         {"kind", *kindName},
                         {"kinds", joined(kinds)}}});
    }
    if (!id || !kind) return;
    Stage stage{*id, kind, Parameters(kind->description().parameters)};
    if (const auto given = node.find("parameters"); given && given->isObject()) readParameters(*given, stage);
    m_project.pipeline.stages.push_back(std::move(stage));
}

void ProjectReader::readParameters(const JsonNode& parameters, Stage& stage) {
    const auto declarations = stage.kind->description().parameters;
    for (const auto& [name, node] : parameters.members()) {
        const auto index = findParameter(declarations, name);
        if (!index) {
            m_unknown.push_back({"project.unknownKey", {{"file", m_problems.file()}, {"pointer", node.pointer()}}});
            continue;
        }
        const ParameterDeclaration& declaration = declarations[*index];
        const auto value = parameterValue(node.value());
        const auto checked = value ? checkedParameter(declaration, *value) : Result<ParameterValue>(Message{});
        if (checked) {
            stage.parameters.set(*index, *checked);
        } else {
            node.problem(expectedValue(declaration));
        }
    }
}

void ProjectReader::chainStages() {
    const auto& stages = m_project.pipeline.stages;
    for (std::size_t i = 1; i < stages.size(); ++i) {
        m_project.pipeline.edges.push_back({StageIndex(i - 1), 0, StageIndex(i), 0});
    }
}

void ProjectReader::readEdges(const JsonNode& edges) {
    for (const JsonNode& node : edges.elements()) readEdge(node);
}

void ProjectReader::readEdge(const JsonNode& node) {
    const auto parts = node.elements();
    if (parts.size() < 2 || parts.size() > 4) {
        node.problem(R"(["from", "to"], ["from", "to", input] or ["from", "to", input, output])");
        return;
    }
    const auto from = stageNamed(parts[0]);
    const auto to = stageNamed(parts[1]);
    if (!from || !to) return;
    const auto& pipeline = m_project.pipeline;
    const auto toPort = parts.size() > 2 ? portNamed(parts[2], pipeline.stage(*to), true) : 0;
    const auto fromPort = parts.size() > 3 ? portNamed(parts[3], pipeline.stage(*from), false) : 0;
    if (toPort && fromPort) m_project.pipeline.edges.push_back({*from, *fromPort, *to, *toPort});
}

std::optional<StageIndex> ProjectReader::stageNamed(const JsonNode& node) {
    const auto id = node.text("the id of a stage");
    if (!id) return std::nullopt;
    const auto stage = m_project.pipeline.find(*id);
    if (!stage && !m_ids.contains(*id)) node.problem("the id of a stage");  // others have been told of already
    return stage;
}

std::optional<std::uint32_t> ProjectReader::portNamed(const JsonNode& node, const Stage& stage, bool isInput) {
    const StageDescription& description = stage.kind->description();
    const auto& ports = isInput ? description.inputs : description.outputs;
    const Json& value = node.value();
    for (std::uint32_t port = 0; port < ports.size(); ++port) {
        if (value == Json(port) || value == Json(std::string(ports[port].name))) return port;
    }
    std::vector<std::string_view> names;
    for (const PortDescription& port : ports) names.push_back(port.name);
    const std::string side = isInput ? "an input of " : "an output of ";
    node.problem(side + stage.id + " (" + (names.empty() ? "it has none" : joined(names)) + ")");
    return std::nullopt;
}

void ProjectReader::readPlacement(const JsonNode& placement) {
    for (const auto& [id, node] : placement.members()) {
        if (const auto stage = m_project.pipeline.find(id)) {
            readStagePlacement(node, m_project.placement.stages[stage->index()]);
        } else if (!m_ids.contains(id)) {
            m_problems.addValue(node.pointer(), "the id of a stage", "\"" + id + "\"");
        }
    }
}

void ProjectReader::readDevice(const JsonNode& node, StagePlacement& placement) {
    const auto device = node.text("the name of a device");
    if (!device) return;
    if (device->empty()) node.problem("the name of a device");
    if (std::count(placement.devices.begin(), placement.devices.end(), *device) > 0) node.problem("each device once");
    placement.devices.push_back(*device);
}

void ProjectReader::readStagePlacement(const JsonNode& node, StagePlacement& placement) {
    const auto devices = node.value().is_object() ? node.need("devices", "a list of devices") : std::optional(node);
    if (!devices) return;
    if (devices->value().is_array()) {
        for (const JsonNode& element : devices->elements()) readDevice(element, placement);
    } else if (devices->value().is_string()) {
        readDevice(*devices, placement);
    } else {
        devices->problem("a device or a list of devices");
    }
    if (!node.value().is_object()) return;
    noteUnknown(node, {"devices", "shares"});
    const auto shares = node.find("shares");
    if (!shares || !shares->isArray()) return;
    constexpr double largestShare = 1e9;
    constexpr double smallestShare = 1e-9;
    for (const JsonNode& element : shares->elements()) {
        if (const auto share = element.real(smallestShare, largestShare)) placement.shares.push_back(*share);
    }
    const std::size_t count = shares->value().size();
    if (count != 0 && count != placement.devices.size()) shares->problem("one share for each device");
}

void ProjectReader::readRun(const JsonNode& run) {
    noteUnknown(run, {"order", "workers", "images_in_flight", "batch", "repeat", "copies", "host_memory_limit_bytes"});
    RunSettings& settings = m_project.settings;
    const auto read = [&](std::string_view key, std::int64_t minimum, std::int64_t maximum, std::int32_t& to) {
        const auto node = run.find(key);
        const auto number = node ? node->integer(minimum, maximum) : std::nullopt;
        if (number) to = static_cast<std::int32_t>(*number);
    };
    read("workers", 0, mostWorkers, settings.workers);
    read("images_in_flight", 0, mostImagesInFlight, settings.imagesInFlight);
    read("batch", 1, largestBatch, settings.batch);
    read("repeat", 1, mostRepeats, settings.repeat);
    if (const auto node = run.find("order")) {
        const auto found = std::find(orderNames.begin(), orderNames.end(), node->value());
        if (found == orderNames.end()) node->problem("one of " + joined(orderNames));
        if (found != orderNames.end()) settings.order = static_cast<Order>(found - orderNames.begin());
    }
    if (const auto node = run.find("copies")) {
        std::vector<std::string_view> names;
        bool found = false;
        for (const CopyKind kind : {CopyKind::pageable, CopyKind::pinned, CopyKind::mapped}) {
            names.push_back(copyKindName(kind));
            if (node->value() != names.back()) continue;
            settings.copyKind = kind;
            found = true;
        }
        if (!found) node->problem("one of " + joined(names));
    }
    if (const auto node = run.find("host_memory_limit_bytes")) {
        settings.hostMemoryLimit = ByteCount(node->unsignedInteger().value_or(0));
    }
}

void ProjectReader::readOutput(const JsonNode& output) {
    noteUnknown(output, {"folder", "name"});
    if (const auto node = output.find("folder")) {
        const auto folder = node->text("the path of a folder");
        if (folder && folder->empty()) node->problem("the path of a folder");
        if (folder) m_project.output.folder = resolved(*folder);
    }
    if (const auto node = output.find("name")) {
        if (const auto name = node->text("a template for names")) m_project.output.nameTemplate = *name;
    }
}

}  // namespace lanewright
