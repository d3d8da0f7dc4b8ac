// SPDX-License-Identifier: GPL-3.0-or-later
// `lanewright-cli check`: every problem of a file, with its place.
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/paths.h"
#include "engine/report/check_file.h"
#include "engine/text/text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>

namespace lanewright::cli {
namespace {

std::string kindText(FileKind kind) {
    switch (kind) {
    case FileKind::unknown: return "file";
    case FileKind::project: return "project";
    case FileKind::run: return "run";
    case FileKind::chromeTrace: return "Chrome trace";
    case FileKind::machine: return "machine file";
    }
    return "";
}

class CheckCommand final : public Command {
public:
    const char* name() const override { return "check"; }
    const char* description() const override {
        return "Lists every problem of a project, run, trace or machine file, with its place.";
    }
    void declare(CLI::App& app) override { app.add_option("FILE", m_file, "The file to check")->required(); }

    Result<ExitCode> run(const Context& context) override {
        const FileCheck check = checkFile(absolutePath(m_file), context.catalog);
        if (check.kind == FileKind::unknown && !check.problems.empty()) return check.problems.front().what;
        for (const FileProblem& problem : check.problems) print(lineOf(problem));
        const bool sound = std::all_of(check.problems.begin(), check.problems.end(),
                                       [](const FileProblem& problem) { return problem.isWarning; });
        if (sound) print(escaped(m_file) + ": this " + kindText(check.kind) + " is sound.\n");
        return sound ? ExitCode::ok : ExitCode::badUsage;
    }

private:
    /// "a.lanes:12:5 (/stages/1/kind): error: sentence".
    std::string lineOf(const FileProblem& problem) const {
        const std::string place = placeText(problem);
        return escaped(m_file) + (place.empty() ? "" : ":" + place) +
               (problem.isWarning ? ": warning: " : ": error: ") + textOf(problem.what) + "\n";
    }

    std::string m_file;
};

}  // namespace

std::unique_ptr<Command> makeCheckCommand() { return std::make_unique<CheckCommand>(); }

}  // namespace lanewright::cli
