// SPDX-License-Identifier: GPL-3.0-or-later
// A run as tables: RFC 4180, C locale, units in the column names. docs/csv.md says what the columns mean.
#pragma once

#include "engine/files/files.h"
#include "engine/report/exporter.h"

#include <string>
#include <string_view>

namespace lanewright {

/// One row per span, of the last repeat and, with options.predicted, of the prediction; times count from the run's start.
void writeSpansCsv(const Run& run, const PieceWriter& write, const ReportOptions& options);

/// One row per stage and device, of the same traces.
void writeStagesCsv(const Run& run, const PieceWriter& write, const ReportOptions& options);

/// "run.csv" -> "run.stages.csv": where the exporter puts the second table.
std::filesystem::path stagesPath(const std::filesystem::path& path);

/// A text as a field: quoted where RFC 4180 wants it; one that a spreadsheet would take for a formula gets an apostrophe in
/// front; bytes that are not UTF-8 become U+FFFD.
std::string csvField(std::string_view text);

}  // namespace lanewright
