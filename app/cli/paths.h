// SPDX-License-Identifier: GPL-3.0-or-later
// Paths as written on the command line.
#pragma once

#include <filesystem>
#include <string>

namespace lanewright::cli {

/// Absolute and without "." and ".." where that is safe ("a/../b" keeps its "..": `a` may be a link).
std::filesystem::path absolutePath(const std::string& text);

/// True when both names lead to one file that is there, or would lead to one if it were made.
bool samePlace(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace lanewright::cli
