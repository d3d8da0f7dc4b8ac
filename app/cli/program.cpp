// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/program.h"

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/signals.h"
#include "engine/text/text.h"
#include "kernels/catalog.h"

#include "build_features.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace lanewright::cli {
namespace {

constexpr const char* footer =
    "Devices are cpu, opencl:0, cuda:0, ... as `lanewright-cli devices` lists them.\n"
    "Exit codes: 0 all good, 1 some images failed, 2 bad usage or project, 3 nothing could run, 130 interrupted.";

struct Entry {
    std::unique_ptr<Command> command;
    CLI::App* app;
};

std::vector<Entry> declareCommands(CLI::App& app) {
    std::vector<Entry> entries;
    for (const CommandFactory make : commandList()) {
        std::unique_ptr<Command> command = make();
        CLI::App* sub = app.add_subcommand(command->name(), command->description());
        command->declare(*sub);
        entries.push_back({std::move(command), sub});
    }
    return entries;
}

/// The first argument that nothing took, or an empty text.
std::string firstExtra(const CLI::App& app, int argc, char** argv) {
    const auto extras = app.remaining(true);
    const auto argument = std::find_if(argv + 1, argv + argc, [&extras](const char* text) {
        return std::find(extras.begin(), extras.end(), text) != extras.end();
    });
    return argument == argv + argc ? std::string() : *argument;
}

/// What is wrong, in our words where those of the parser would not name it.
std::string mistakeText(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
    const std::string extra = firstExtra(app, argc, argv);
    if (app.get_subcommands().empty()) {
        if (extra.empty()) return "name a command";
        return (extra.starts_with('-') ? "there is no option " : "there is no command ") + escaped(extra);
    }
    if (!extra.empty()) {
        return (extra.starts_with('-') ? "there is no option " : "nothing is expected at ") + escaped(extra);
    }
    std::string text = escaped(error.what());
    if (error.get_name() == "ArgumentMismatch") return text.substr(0, text.find(':')) + " needs a value";
    while (text.ends_with('.') || text.ends_with("\\n")) text.erase(text.size() - (text.ends_with('.') ? 1 : 2));
    return text;
}

/// Help and version are results and go to stdout; a mistake is one sentence on stderr.
ExitCode tellParseError(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
        app.exit(error);
        return ExitCode::ok;
    }
    std::string command;
    for (const CLI::App* sub : app.get_subcommands()) command = " " + sub->get_name();
    tellError(mistakeText(app, error, argc, argv) + "; see lanewright-cli" + command + " --help.");
    return ExitCode::badUsage;
}

ExitCode runCommand(Command& command) {
    const StopOnSignal signals;
    const Catalog catalog = makeCatalog();
    const auto result = command.run({catalog, signals.token()});
    if (!result) {
        tellError(result.error());
        return exitCodeOf(result.error());
    }
    if (const Status printed = flushOutput(); !printed) {
        tellError(printed.error());
        return ExitCode::imagesFailed;
    }
    return *result;
}

ExitCode parseAndRun(int argc, char** argv) {
    CLI::App app("Plans image pipelines over CPU and GPU lanes, predicts what they cost, runs and measures them.",
                 "lanewright-cli");
    app.set_version_flag("--version", std::string("lanewright-cli ") + programVersion);
    app.set_help_flag("-h,--help", "This text");
    app.require_subcommand(1);
    app.footer(footer);
    const auto entries = declareCommands(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return tellParseError(app, error, argc, argv);
    }
    for (const Entry& entry : entries) {
        if (entry.app->parsed()) return runCommand(*entry.command);
    }
    return ExitCode::badUsage;
}

}  // namespace

int runProgram(int argc, char** argv) {
    try {
        return static_cast<int>(parseAndRun(argc, argv));
    } catch (const std::exception& error) {
        tellError(std::string("unexpected fault: ") + error.what() + "; please report it.");
        return static_cast<int>(ExitCode::nothingRan);
    }
}

}  // namespace lanewright::cli
