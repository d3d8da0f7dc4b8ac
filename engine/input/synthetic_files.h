// SPDX-License-Identifier: GPL-3.0-or-later
// Synthetic input as JPEG files in the cache folder, written once and used again by later runs.
#pragma once

#include "engine/input/file_list.h"
#include "engine/input/input_set.h"

#include <cstddef>
#include <stop_token>
#include <vector>

namespace lanewright {

/// The first `limit` files at most; those that are missing are rendered, as many at a time as there are processors, and
/// encoded by the catalog's stage kind "encode" (JPEG 4:2:0, quality 90). Errors: input.synthetic (reason), file.*,
/// run.cancelled; what was finished stays for the next time.
Result<std::vector<FoundFile>> syntheticFiles(const SyntheticInput& input, std::size_t limit, const Catalog& catalog,
                                              const std::stop_token& stop);

}  // namespace lanewright
