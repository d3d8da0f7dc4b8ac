// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with a file, and where.
#pragma once

#include "kernels/api/result.h"

#include <cstddef>
#include <optional>
#include <string>

namespace lanewright {

/// A warning does not make the file unusable. Lines and columns count from 1, columns in bytes; 0: the file has no lines.
struct FileProblem {
    Message what;
    std::size_t line = 0;
    std::size_t column = 0;
    std::string pointer;  ///< JSON pointer of the value ("/traceEvents/3/dur"); empty: none
    bool isWarning = false;
    std::optional<std::size_t> offset;  ///< of the first byte concerned
};

}  // namespace lanewright
