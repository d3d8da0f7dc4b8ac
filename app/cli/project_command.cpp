// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/project_command.h"

#include "app/cli/paths.h"

#include <CLI/CLI.hpp>

namespace lanewright::cli {

void ProjectCommand::declare(CLI::App& app) {
    app.add_option("PROJECT", m_file, "A project file (.lanes)")->required();
    declareProjectOptions(app, m_options);
    declareRunOptions(app, m_options);
    m_exports.declareSave(app);
    m_exports.declareExporters(app);
}

Result<ExitCode> ProjectCommand::run(const Context& context) {
    auto project = readProject(absolutePath(m_file), context.catalog);
    if (!project) return std::move(project).error();
    if (Status applied = applyOptions(*project, m_options); !applied) return applied.error();
    std::string name = project->file.stem().string();
    return perform({std::move(project).value(), std::move(name), m_options, m_exports, m_kind}, context);
}

}  // namespace lanewright::cli
