// SPDX-License-Identifier: GPL-3.0-or-later
// What was learned on one machine, as a file in the cache folder.
#pragma once

#include "engine/cost/cost_table.h"

#include <filesystem>
#include <string>

namespace lanewright {

struct CostMemory {
    CostTable durations;
    CostTable outputs;        ///< bytes that encoders wrote
    std::uint64_t stamp = 0;  ///< counts runs that taught something
};

/// <folder>/costs/<hash of the fingerprint>.json
std::filesystem::path costFile(const std::filesystem::path& folder, const std::string& fingerprint);

/// Empty for a missing or damaged file, another format version, or another machine.
CostMemory readCosts(const std::filesystem::path& file, const std::string& fingerprint);

/// Errors: file.unwritable.
Status writeCosts(const CostMemory& memory, const std::filesystem::path& file, const std::string& fingerprint);

}  // namespace lanewright
