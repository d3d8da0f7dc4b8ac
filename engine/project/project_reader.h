// SPDX-License-Identifier: GPL-3.0-or-later
// Turns the text of a project file into a Project and a list of everything that is wrong with it.
#pragma once

#include "engine/project/project.h"
#include "engine/project/project_format.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

class ProjectReader {
public:
    ProjectReader(const std::filesystem::path& file, const Catalog& catalog)
        : m_file(file),
          m_folder(folderOfProject(file)),
          m_catalog(catalog),
          m_problems(projectFormat, file.empty() ? std::string("the project") : file.string()) {}

    /// Once. With problems() what it gives is not to be used.
    Project read(std::string_view text);
    const std::vector<Message>& problems() const { return m_problems.messages(); }
    /// Keys that this version does not know (project.unknownKey: file, pointer).
    const std::vector<Message>& unknownKeys() const { return m_unknown; }

private:
    void readRoot(const JsonNode& root);
    void readInput(const JsonNode& input);
    void readSynthetic(const JsonNode& synthetic);
    void readStages(const JsonNode& stages);
    void readStage(const JsonNode& node);
    void readParameters(const JsonNode& parameters, Stage& stage);
    void readEdges(const JsonNode& edges);
    void readEdge(const JsonNode& node);
    /// The stage named there; none when there is no such stage.
    std::optional<StageIndex> stageNamed(const JsonNode& node);
    std::optional<std::uint32_t> portNamed(const JsonNode& node, const Stage& stage, bool isInput);
    void chainStages();
    void readPlacement(const JsonNode& placement);
    void readStagePlacement(const JsonNode& node, StagePlacement& placement);
    void readDevice(const JsonNode& node, StagePlacement& placement);
    void readRun(const JsonNode& run);
    void readOutput(const JsonNode& output);
    std::filesystem::path resolved(const std::string& path) const;
    void noteUnknown(const JsonNode& object, std::initializer_list<std::string_view> known);

    std::filesystem::path m_file;
    std::filesystem::path m_folder;
    const Catalog& m_catalog;
    JsonProblems m_problems;
    std::vector<Message> m_unknown;
    Project m_project;
    std::map<std::string, bool> m_ids;  ///< ids in the file, and whether the stage could be read
};

}  // namespace lanewright
