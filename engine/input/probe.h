// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the head of one file and asks the catalog's prober what it is.
#pragma once

#include "kernels/api/catalog.h"

#include <filesystem>

namespace lanewright {

/// The head is 256 KiB; the whole file is read only when the prober asks for it. What is not a regular file is never
/// opened for reading. Errors: file.missing, file.notRegular, file.unreadable (path, reason), image.* of the prober.
Result<ProbedImage> probeFile(const std::filesystem::path& file, const Catalog& catalog);

}  // namespace lanewright
