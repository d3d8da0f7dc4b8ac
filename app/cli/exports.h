// SPDX-License-Identifier: GPL-3.0-or-later
// Files that a command writes about a run: --save and one option for each exporter.
#pragma once

#include "engine/report/exporter.h"
#include "engine/run/run.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace lanewright::cli {

class ExportOptions {
public:
    void declareSave(CLI::App& app);
    /// One option for each exporter.
    void declareExporters(CLI::App& app);

    /// Before anything starts. Errors: cli.exportFolder (it is a folder), cli.exportTwice (two exports to one file),
    /// cli.exportOverInput (it is one of `kept`, by whatever spelling).
    Status check(const std::vector<std::string_view>& kept) const;

    /// Writes what was asked for; goes on after an error. Errors: those of writeRun() and the exporters.
    std::vector<Message> write(const Run& run) const;

private:
    std::vector<std::string> files() const;  ///< absolute

    std::string m_save;
    std::map<const Exporter*, std::string> m_files;
};

}  // namespace lanewright::cli
