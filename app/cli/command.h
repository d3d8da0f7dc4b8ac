// SPDX-License-Identifier: GPL-3.0-or-later
// What a command of lanewright-cli is. Each has a file of its own and a line in commands.cpp.
#pragma once

#include "app/cli/exit_code.h"
#include "kernels/api/catalog.h"

#include <stop_token>

namespace CLI {
class App;
}

namespace lanewright::cli {

/// What every command may use. `stop` is set by SIGINT and SIGTERM.
struct Context {
    const Catalog& catalog;
    std::stop_token stop;
};

class Command {
public:
    virtual ~Command() = default;
    virtual const char* name() const = 0;
    virtual const char* description() const = 0;  ///< one English sentence
    /// Adds the command's arguments, bound to its members.
    virtual void declare(CLI::App& app) = 0;
    /// Once the arguments were read. An error is told and turned into an exit code by the caller.
    virtual Result<ExitCode> run(const Context& context) = 0;
};

}  // namespace lanewright::cli
