// SPDX-License-Identifier: GPL-3.0-or-later
// Run files (.lwrun): everything about a run in one file, read back exactly as it was. docs/run-file.md describes them.
#pragma once

#include "engine/run/run.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace lanewright {

/// Writes whole or not at all. Errors: file.unwritable (path, reason).
Status writeRun(const Run& run, const std::filesystem::path& path);

/// Where a run file is damaged.
struct RunPlace {
    std::string pointer;                ///< JSON pointer in the body; empty: none
    std::optional<std::size_t> offset;  ///< of the byte where reading stopped
};

/// Any file may be tried. Errors: file.missing, file.notRegular, file.unreadable, file.tooLarge; run.notARun (file),
/// run.version (file, version, supported), run.damaged (file, reason); then `place` is set.
Result<Run> readRun(const std::filesystem::path& path, RunPlace* place = nullptr);

/// The same from memory; `file` is for messages.
Result<Run> parseRun(std::span<const std::byte> bytes, const std::string& file, RunPlace* place = nullptr);

/// Whether a file that begins so claims to be a run (16 bytes are enough).
bool looksLikeRun(std::span<const std::byte> begin);

}  // namespace lanewright
