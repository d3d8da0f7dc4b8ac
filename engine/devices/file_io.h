// SPDX-License-Identifier: GPL-3.0-or-later
// Whole-file input and output as the storage lanes do it.
#pragma once

#include "kernels/api/result.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace lanewright {

/// Fills `room` with the file, which must have exactly that size. Errors: file.unreadable (path, reason), image.changed (path).
Status readWholeFile(const std::filesystem::path& path, std::span<std::byte> room);

/// Creates the folders above `path`, writes to ".<name>.<pid>.part" beside it and renames, so that a file with the final
/// name is always whole. Errors: file.unwritable (path, reason); the temporary file is gone then.
Status writeWholeFile(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace lanewright
