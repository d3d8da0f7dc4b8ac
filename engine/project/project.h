// SPDX-License-Identifier: GPL-3.0-or-later
// A project: what a .lanes file says. Reading keeps keys it does not know; writing puts them back.
#pragma once

#include "engine/input/input_set.h"
#include "engine/pipeline/checks.h"
#include "engine/pipeline/pipeline.h"
#include "engine/plan/run_settings.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

struct OutputDescription {
    std::filesystem::path folder;               ///< absolute
    std::string nameTemplate = "{name}.{ext}";  ///< {name} {stage} {ext} {index}; subfolders are mirrored
};

struct Project {
    std::filesystem::path file;  ///< where it was read from; empty: never saved
    InputDescription input;
    Pipeline pipeline;
    Placement placement;
    RunSettings settings;
    OutputDescription output;
    std::filesystem::path machineFile;  ///< empty: the machine that is here
    std::string document;               ///< the JSON text as read, source of unknown keys
};

/// Errors name the file and the place: project.syntax (line, column), project.value (JSON pointer, what was expected),
/// project.version, project.unknownStage, file.*. Of several the first; a pipeline with problems is read all the same.
Result<Project> readProject(const std::filesystem::path& file, const Catalog& catalog);
Result<Project> parseProject(std::string_view text, const std::filesystem::path& file, const Catalog& catalog);

/// Everything that is wrong with a project's text. When it can be read: what check() says of its pipeline, its template of
/// names, and as warnings keys that this version does not know (project.unknownKey).
std::vector<Problem> projectProblems(std::string_view text, const std::filesystem::path& file, const Catalog& catalog);

/// Version 1 JSON with paths relative to `file`, unknown keys of `project.document` kept; written to a temporary name and
/// renamed. Path parameters are put right when `file` lies elsewhere than project.file. Errors: file.unwritable,
/// project.pathNotUtf8 (path).
Status writeProject(const Project& project, const std::filesystem::path& file);
std::string projectText(const Project& project, const std::filesystem::path& file);

}  // namespace lanewright
