// SPDX-License-Identifier: GPL-3.0-or-later
// What `run` and `predict` have in common: a project, options that change it, reports.
#pragma once

#include "app/cli/command.h"
#include "app/cli/exports.h"
#include "app/cli/job_options.h"
#include "app/cli/perform.h"

#include <string>

namespace lanewright::cli {

class ProjectCommand final : public Command {
public:
    ProjectCommand(const char* name, const char* description, JobKind kind)
        : m_name(name), m_description(description), m_kind(kind) {}

    const char* name() const override { return m_name; }
    const char* description() const override { return m_description; }
    void declare(CLI::App& app) override;
    Result<ExitCode> run(const Context& context) override;

private:
    const char* m_name;
    const char* m_description;
    JobKind m_kind;
    std::string m_file;
    JobOptions m_options;
    ExportOptions m_exports;
};

}  // namespace lanewright::cli
