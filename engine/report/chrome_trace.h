// SPDX-License-Identifier: GPL-3.0-or-later
// A run as Chrome Trace Event JSON, in the strict subset that Perfetto, Tracy, chrome://tracing and speedscope all read.
#pragma once

#include "engine/files/files.h"
#include "engine/report/exporter.h"

namespace lanewright {

/// One process per device and origin (measured, predicted), one thread per lane; both start at the same moment. Where there
/// are more than options.mostArrows arrows, they are left out and the metadata say so. Holds no more than an entry a span in memory.
void writeChromeTrace(const Run& run, const PieceWriter& write, const ReportOptions& options);

}  // namespace lanewright
