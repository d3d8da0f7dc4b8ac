// SPDX-License-Identifier: GPL-3.0-or-later
// `lanewright-cli show`: the summary of a run that was kept, and exports of it.
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/exports.h"
#include "app/cli/paths.h"
#include "app/cli/run_text.h"
#include "engine/trace/run_file.h"

#include <CLI/CLI.hpp>

#include <string>

namespace lanewright::cli {
namespace {

class ShowCommand final : public Command {
public:
    const char* name() const override { return "show"; }
    const char* description() const override { return "Shows a run that was kept with --save, and exports it."; }

    void declare(CLI::App& app) override {
        app.add_option("RUN", m_file, "A run file (.lwrun)")->required();
        m_exports.declareExporters(app);
        app.add_flag("--quiet", m_quiet, "No summary");
    }

    Result<ExitCode> run(const Context&) override {
        const auto file = absolutePath(m_file);
        if (Status free = m_exports.check({file.native()}); !free) return free.error();
        const auto run = readRun(file);
        if (!run) return run.error();
        const auto errors = m_exports.write(*run);
        if (!m_quiet) print(summaryText(*run));
        for (const Message& error : errors) tellError(error);
        return errors.empty() ? ExitCode::ok : ExitCode::imagesFailed;
    }

private:
    std::string m_file;
    ExportOptions m_exports;
    bool m_quiet = false;
};

}  // namespace

std::unique_ptr<Command> makeShowCommand() { return std::make_unique<ShowCommand>(); }

}  // namespace lanewright::cli
