// SPDX-License-Identifier: GPL-3.0-or-later
// What reader and writer of project files share: the format's name, the limits of its numbers, and where paths start.
#pragma once

#include "engine/files/json.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace lanewright {

inline constexpr JsonFormat projectFormat{"project", 1, "project.syntax", "project.value", "project.version"};

inline constexpr std::int64_t mostWorkers = 4096;
inline constexpr std::int64_t mostImagesInFlight = 1'000'000;
inline constexpr std::int64_t largestBatch = 4096;
inline constexpr std::int64_t mostRepeats = 1'000'000;
inline constexpr std::int64_t mostSyntheticImages = 1'000'000;
inline constexpr std::int64_t longestSyntheticSide = 65535;

inline constexpr std::array<std::string_view, 2> orderNames = {"planned", "dynamic"};  ///< by Order

/// Paths of a project in `file` are relative to this folder.
inline std::filesystem::path folderOfProject(const std::filesystem::path& file) {
    std::error_code error;
    const auto absolute = std::filesystem::absolute(file.empty() ? std::filesystem::path("unnamed") : file, error);
    return absolute.lexically_normal().parent_path();
}

}  // namespace lanewright
