// SPDX-License-Identifier: GPL-3.0-or-later
// Which files lie under the input paths, in an order that does not depend on the file system.
#pragma once

#include "kernels/api/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace lanewright {

struct FoundFile {
    std::string path;                      ///< absolute, without . and ..
    std::uint32_t folderLength = 0;        ///< bytes up to and including the separator after the input folder
    bool named = false;                    ///< an input path itself, not found in a folder
    std::shared_ptr<const Message> error;  ///< a folder that cannot be read
};

/// Input paths in their order; below a folder sorted by the bytes of the path. A file that is found twice counts once.
/// Errors: input.missing (path), run.cancelled.
Result<std::vector<FoundFile>> listFiles(const std::vector<std::filesystem::path>& paths,
                                         const std::filesystem::path& excludedFolder, const std::stop_token& stop);

/// True when a person would expect an image in a file of this name (extensions of photos, any case).
bool isNamedLikeAnImage(const std::string& path);

}  // namespace lanewright
