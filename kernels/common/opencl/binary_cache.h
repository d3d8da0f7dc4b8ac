// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled programs on disk, so that only the first run on a device waits for its compiler.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

/// One file a program. A file that cannot be read, is damaged or belongs to another key counts as missing; that nothing
/// could be written is no error. Several processes may use one folder: files are renamed into place.
class BinaryCache {
public:
    /// An empty folder: keep nothing.
    explicit BinaryCache(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    /// `key` is all that decides the binary: source, options, device, driver and platform.
    std::optional<std::vector<unsigned char>> load(std::string_view key) const;
    void store(std::string_view key, std::span<const unsigned char> binary) const;
    /// Where the binary for `key` is kept.
    std::filesystem::path fileFor(std::string_view key) const;

private:
    std::filesystem::path m_folder;
};

}  // namespace lanewright
