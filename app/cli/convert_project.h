// SPDX-License-Identifier: GPL-3.0-or-later
// The project behind `lanewright-cli convert`: decode, resize and blur where asked for, encode.
#pragma once

#include "engine/project/project.h"

#include <optional>
#include <string>

namespace lanewright::cli {

struct ConvertOptions {
    std::string in;
    std::string out;
    std::string resize;  ///< "1024" (longer side) or "1024x768" (fits inside); empty: no resize
    std::optional<double> blur;
    std::optional<int> quality;
    std::string format;  ///< name or extension of a codec; empty: from `out`
};

/// Stages decode, resize, blur and encode. Errors: cli.convert* (what is wrong with the two paths or the format),
/// pipeline.parameter*.
Result<Project> convertProject(const ConvertOptions& options, const Catalog& catalog);

}  // namespace lanewright::cli
