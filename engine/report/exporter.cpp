// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/exporter.h"

#include <algorithm>
#include <array>

namespace lanewright {

// Each is defined in the file that is named after it.
extern const Exporter summaryJsonExporter;
extern const Exporter chromeTraceExporter;
extern const Exporter csvExporter;
extern const Exporter htmlExporter;

std::span<const Exporter> exporters() {
    static const std::array list = {summaryJsonExporter, chromeTraceExporter, csvExporter, htmlExporter};
    return list;
}

const Exporter* findExporter(std::string_view id) {
    const auto all = exporters();
    const auto found =
        std::find_if(all.begin(), all.end(), [id](const Exporter& exporter) { return exporter.id == id; });
    return found == all.end() ? nullptr : &*found;
}

const Trace* shownTrace(const Run& run) {
    if (!run.measured.empty()) return run.measured.back().get();
    return run.predicted.get();
}

}  // namespace lanewright
