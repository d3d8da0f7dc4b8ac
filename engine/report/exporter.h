// SPDX-License-Identifier: GPL-3.0-or-later
// The list of exporters. A new one is a file, a line in the list and a line in CMakeLists.txt; command line, menus and the
// golden test go through the list.
#pragma once

#include "engine/run/run.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace lanewright {

struct ReportOptions {
    bool predicted = true;             ///< show the prediction beside the measurement
    std::size_t mostArrows = 200'000;  ///< trace: with more dependencies than this none are written
    bool arguments = true;             ///< trace: image, bytes and rate on each event; false: compact
    std::string language = "en";
};

struct Exporter {
    std::string_view id;         ///< "trace"
    std::string_view option;     ///< of the command line: "--trace"
    std::string_view label;      ///< English: "Chrome trace"
    std::string_view extension;  ///< "trace.json"
    std::string_view help;       ///< one English sentence
    /// Writes whole or not at all. Errors: file.unwritable (path, reason).
    Status (*write)(const Run& run, const std::filesystem::path& path, const ReportOptions& options);
};

std::span<const Exporter> exporters();
/// nullptr: no such exporter.
const Exporter* findExporter(std::string_view id);

/// The trace that reports show: of the last repeat, or the prediction where nothing ran; nullptr when there is neither.
const Trace* shownTrace(const Run& run);

}  // namespace lanewright
