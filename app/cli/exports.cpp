// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/exports.h"

#include "app/cli/paths.h"
#include "engine/trace/run_file.h"

#include <CLI/CLI.hpp>

#include <system_error>

namespace lanewright::cli {

namespace fs = std::filesystem;

void ExportOptions::declareSave(CLI::App& app) {
    app.add_option("--save", m_save, "Keeps the run, for `lanewright-cli show`")->type_name("FILE.lwrun");
}

void ExportOptions::declareExporters(CLI::App& app) {
    for (const Exporter& exporter : exporters()) {
        app.add_option(std::string(exporter.option), m_files[&exporter], std::string(exporter.help))->type_name("FILE");
    }
}

std::vector<std::string> ExportOptions::files() const {
    std::vector<std::string> files;
    if (!m_save.empty()) files.push_back(absolutePath(m_save).string());
    for (const auto& [exporter, file] : m_files) {
        if (!file.empty()) files.push_back(absolutePath(file).string());
    }
    return files;
}

Status ExportOptions::check(const std::vector<std::string_view>& kept) const {
    const auto all = files();
    std::error_code error;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (fs::is_directory(all[i], error)) return Message{"cli.exportFolder", {{"file", all[i]}}};
        if (fs::exists(all[i], error) && !fs::is_regular_file(all[i], error)) continue;  // /dev/stdout, a pipe
        for (std::size_t k = 0; k < i; ++k) {
            if (samePlace(all[i], all[k])) return Message{"cli.exportTwice", {{"file", all[i]}, {"other", all[k]}}};
        }
        if (!fs::exists(all[i], error)) continue;
        for (const std::string_view file : kept) {
            if (fs::equivalent(all[i], file, error) && !error) {
                return Message{"cli.exportOverInput", {{"file", all[i]}, {"input", std::string(file)}}};
            }
        }
    }
    return {};
}

std::vector<Message> ExportOptions::write(const Run& run) const {
    std::vector<Message> errors;
    const auto keep = [&errors](const Status& status) {
        if (!status) errors.push_back(status.error());
    };
    if (!m_save.empty()) keep(writeRun(run, absolutePath(m_save)));
    for (const auto& [exporter, file] : m_files) {
        if (!file.empty()) keep(exporter->write(run, absolutePath(file), {}));
    }
    return errors;
}

}  // namespace lanewright::cli
