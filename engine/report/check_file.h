// SPDX-License-Identifier: GPL-3.0-or-later
// Says what a file is, by its content, and lists every problem of it with its place: what `lanewright-cli check` shows.
#pragma once

#include "engine/trace/file_problem.h"
#include "kernels/api/catalog.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lanewright {

enum class FileKind : std::uint8_t { unknown, project, run, chromeTrace, machine };

struct FileCheck {
    FileKind kind = FileKind::unknown;
    std::vector<FileProblem> problems;  ///< in the order of the file; empty: it is sound
};

/// An unreadable file, or one of no known kind, has that as its one problem (file.*, check.unknownFile). `catalog` is for
/// the stages of projects.
FileCheck checkFile(const std::filesystem::path& path, const Catalog& catalog);

/// "12:5 (/stages/1/kind)", "byte 4096", or an empty text: where the problem is.
std::string placeText(const FileProblem& problem);

}  // namespace lanewright
