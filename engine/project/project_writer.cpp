// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a Project into the document that it was read from: keys that are not ours stay where they were.
#include "engine/files/files.h"
#include "engine/project/project.h"
#include "engine/project/project_format.h"
#include "engine/text/utf8.h"

namespace lanewright {
namespace {

namespace fs = std::filesystem;

class ProjectWriter {
public:
    ProjectWriter(const Project& project, const fs::path& file)
        : m_project(project), m_folder(folderOfProject(file)), m_oldFolder(folderOfProject(project.file)) {}

    Json write() {
        JsonProblems ignored(projectFormat, "");
        if (auto old = parseJson(m_project.document, ignored); old && old->is_object()) m_document = std::move(*old);
        writeHeader(m_document, projectFormat);
        writeInput();
        writePipeline();
        writePlacement();
        writeRun();
        writeOutput();
        set(m_document, "machine", relative(m_project.machineFile), m_project.machineFile.empty());
        if (m_project.machineFile.empty()) m_document.erase("machine");
        return std::move(m_document);
    }

private:
    /// What is as it is by default is only written where the key stands already.
    static void set(Json& object, const std::string& key, Json value, bool isDefault) {
        if (isDefault && !object.contains(key)) return;
        object[key] = std::move(value);
    }

    static std::string textAt(const Json& object, const std::string& key) {
        const auto found = object.find(key);
        return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
    }

    static Json& objectAt(Json& parent, const std::string& key) {
        Json& object = parent[key];
        if (!object.is_object()) object = Json::object();
        return object;
    }

    static void dropIfEmpty(Json& parent, const std::string& key) {
        if (parent[key].empty()) parent.erase(key);
    }

    /// Never absolute where it can be relative, so that a folder can be moved together with its project.
    std::string relative(const fs::path& path) const {
        if (path.empty()) return {};
        const fs::path full = fs::absolute(path).lexically_normal();
        const fs::path shortened = full.lexically_relative(m_folder);
        return (shortened.empty() ? full : shortened).generic_string();
    }

    /// A path parameter starts at the folder of the file it was read from.
    std::string movedPath(const std::string& path) const {
        if (path.empty() || (m_folder == m_oldFolder && !fs::path(path).is_absolute())) return path;
        return relative(m_oldFolder / path);
    }

    void writeInput() {
        const InputDescription& input = m_project.input;
        Json& object = objectAt(m_document, "input");
        Json paths = Json::array();
        for (const fs::path& path : input.paths) paths.push_back(relative(path));
        set(object, "paths", std::move(paths), input.paths.empty());
        if (input.synthetic) {
            Json& synthetic = objectAt(object, "synthetic");
            synthetic["count"] = input.synthetic->count;
            synthetic["width"] = input.synthetic->width;
            synthetic["height"] = input.synthetic->height;
            synthetic["seed"] = input.synthetic->seed;
        } else {
            object.erase("synthetic");
        }
        object.erase("limit");
        if (input.limit) object["limit"] = *input.limit;
        dropIfEmpty(m_document, "input");
    }

    void writePipeline() {
        Json& pipeline = objectAt(m_document, "pipeline");
        const Json old = pipeline.contains("stages") ? pipeline["stages"] : Json::array();
        Json stages = Json::array();
        for (const Stage& stage : m_project.pipeline.stages) stages.push_back(stageObject(stage, old));
        pipeline["stages"] = std::move(stages);
        Json edges = Json::array();
        for (const Edge& edge : m_project.pipeline.edges) edges.push_back(edgeArray(edge));
        pipeline["edges"] = std::move(edges);
    }

    Json stageObject(const Stage& stage, const Json& oldStages) const {
        const std::string kind(stage.kind ? stage.kind->description().kind : "");
        Json object = Json::object();
        for (const Json& old : oldStages) {
            if (!old.is_object()) continue;
            const std::string oldKind = textAt(old, "kind");
            const std::string oldId = textAt(old, "id");
            if ((oldId.empty() ? oldKind : oldId) != stage.id) continue;
            object = old;
            if (oldKind != kind) object.erase("parameters");
        }
        object["id"] = stage.id;
        object["kind"] = kind;
        if (!stage.kind) return object;
        Json& parameters = objectAt(object, "parameters");
        const auto declarations = stage.kind->description().parameters;
        for (std::size_t i = 0; i < declarations.size() && i < stage.parameters.size(); ++i) {
            parameters[std::string(declarations[i].name)] = parameterJson(declarations[i], stage.parameters.at(i));
        }
        dropIfEmpty(object, "parameters");
        return object;
    }

    Json parameterJson(const ParameterDeclaration& declaration, const ParameterValue& value) const {
        const auto* text = std::get_if<std::string>(&value);
        if (text && declaration.type == ParameterType::path) return movedPath(*text);
        return std::visit([](const auto& held) { return Json(held); }, value);
    }

    Json edgeArray(const Edge& edge) const {
        const Pipeline& pipeline = m_project.pipeline;
        const auto idOf = [&](StageIndex stage) {
            return stage.index() < pipeline.stages.size() ? pipeline.stage(stage).id : std::string();
        };
        Json array = {idOf(edge.from), idOf(edge.to)};
        if (edge.toPort == 0 && edge.fromPort == 0) return array;
        array.push_back(portJson(edge.to, edge.toPort, true));
        if (edge.fromPort != 0) array.push_back(portJson(edge.from, edge.fromPort, false));
        return array;
    }

    Json portJson(StageIndex stage, std::uint32_t port, bool isInput) const {
        if (stage.index() >= m_project.pipeline.stages.size()) return port;
        const StageDescription& description = m_project.pipeline.stage(stage).kind->description();
        const auto& ports = isInput ? description.inputs : description.outputs;
        if (port >= ports.size()) return port;
        return std::string(ports[port].name);
    }

    void writePlacement() {
        Json& object = objectAt(m_document, "placement");
        Json kept = Json::object();
        for (const auto& [id, value] : object.items()) {
            if (m_project.pipeline.find(id)) kept[id] = value;
        }
        object = std::move(kept);
        const auto& placements = m_project.placement.stages;
        for (std::size_t i = 0; i < m_project.pipeline.stages.size(); ++i) {
            const std::string& id = m_project.pipeline.stages[i].id;
            if (i >= placements.size() || placements[i].devices.empty()) {
                object.erase(id);
            } else {
                writeStagePlacement(object, id, placements[i]);
            }
        }
        dropIfEmpty(m_document, "placement");
    }

    static void writeStagePlacement(Json& object, const std::string& id, const StagePlacement& placement) {
        const bool wasObject = object.contains(id) && object[id].is_object();
        if (!wasObject && placement.shares.empty()) {
            object[id] = placement.devices.size() == 1 ? Json(placement.devices[0]) : Json(placement.devices);
            return;
        }
        Json& entry = objectAt(object, id);
        entry["devices"] = placement.devices;
        entry.erase("shares");
        if (!placement.shares.empty()) entry["shares"] = placement.shares;
    }

    void writeRun() {
        const RunSettings& settings = m_project.settings;
        const RunSettings standard;
        Json& run = objectAt(m_document, "run");
        set(run, "order", std::string(orderNames[static_cast<std::size_t>(settings.order)]),
            settings.order == standard.order);
        set(run, "workers", settings.workers, settings.workers == standard.workers);
        set(run, "images_in_flight", settings.imagesInFlight, settings.imagesInFlight == standard.imagesInFlight);
        set(run, "batch", settings.batch, settings.batch == standard.batch);
        set(run, "repeat", settings.repeat, settings.repeat == standard.repeat);
        set(run, "copies", std::string(copyKindName(settings.copyKind)), settings.copyKind == standard.copyKind);
        set(run, "host_memory_limit_bytes", settings.hostMemoryLimit.value, settings.hostMemoryLimit.value == 0);
        dropIfEmpty(m_document, "run");
    }

    void writeOutput() {
        Json& output = objectAt(m_document, "output");
        if (!m_project.output.folder.empty()) output["folder"] = relative(m_project.output.folder);
        set(output, "name", m_project.output.nameTemplate,
            m_project.output.nameTemplate == OutputDescription{}.nameTemplate);
        dropIfEmpty(m_document, "output");
    }

    const Project& m_project;
    fs::path m_folder;
    fs::path m_oldFolder;
    Json m_document = Json::object();
};

/// JSON is UTF-8, so a path that is not cannot be written.
Status checkPaths(const Project& project) {
    std::vector<fs::path> paths = project.input.paths;
    paths.push_back(project.output.folder);
    paths.push_back(project.machineFile);
    for (const fs::path& path : paths) {
        if (!isUtf8(path.native())) return Message{"project.pathNotUtf8", {{"path", path.string()}}};
    }
    return {};
}

}  // namespace

std::string projectText(const Project& project, const fs::path& file) {
    return jsonText(ProjectWriter(project, file).write());
}

Status writeProject(const Project& project, const fs::path& file) {
    if (const Status status = checkPaths(project); !status) return status;
    return saveFile(file, projectText(project, file));
}

}  // namespace lanewright
