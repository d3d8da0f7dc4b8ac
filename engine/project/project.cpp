// SPDX-License-Identifier: GPL-3.0-or-later
// Project files as values, and the list of everything that is wrong with one.
#include "engine/project/project.h"

#include "engine/files/files.h"
#include "engine/input/output_names.h"
#include "engine/project/project_reader.h"

namespace lanewright {

namespace {
constexpr ByteCount largestProject{4 << 20};
}

Result<Project> readProject(const std::filesystem::path& file, const Catalog& catalog) {
    auto text = readTextFile(file, largestProject);
    if (!text) return std::move(text).error();
    return parseProject(*text, file, catalog);
}

Result<Project> parseProject(std::string_view text, const std::filesystem::path& file, const Catalog& catalog) {
    ProjectReader reader(file, catalog);
    Project project = reader.read(text);
    if (!reader.problems().empty()) return reader.problems().front();
    return project;
}

std::vector<Problem> projectProblems(std::string_view text, const std::filesystem::path& file, const Catalog& catalog) {
    ProjectReader reader(file, catalog);
    const Project project = reader.read(text);
    std::vector<Problem> problems;
    for (const Message& message : reader.problems()) problems.push_back({message, {}, Severity::error});
    if (problems.empty()) {
        problems = check(project.pipeline);
        const Status name = checkNameTemplate(project.output.nameTemplate);
        if (!name) problems.push_back({name.error(), {}, Severity::error});
    }
    for (const Message& message : reader.unknownKeys()) problems.push_back({message, {}, Severity::warning});
    return problems;
}

}  // namespace lanewright
