// SPDX-License-Identifier: GPL-3.0-or-later
// Small files that people own (projects, machine files, what was learned): read with a limit, saved so that a crash leaves
// the old file or the new one. Images go through the storage lanes instead.
#pragma once

#include "kernels/api/result.h"
#include "kernels/api/units.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

/// A regular file opened for reading. What is no regular file (a FIFO, a device) is closed again without reading from it.
class RegularFile {
public:
    /// Errors: file.missing (path), file.notRegular (path), file.unreadable (path, reason).
    static Result<RegularFile> open(const std::filesystem::path& path);
    RegularFile(RegularFile&& other) noexcept;
    RegularFile& operator=(RegularFile&&) = delete;
    ~RegularFile();

    ByteCount size() const { return m_size; }
    /// Appends up to `bytes` more to `to`; fewer only at the end of the file. Errors: file.unreadable.
    Status read(std::size_t bytes, std::vector<std::byte>& to);

private:
    RegularFile(int descriptor, ByteCount size, std::string path);

    int m_descriptor;
    ByteCount m_size;
    std::string m_path;
};

/// Errors: those of RegularFile, file.tooLarge (path, limit).
Result<std::string> readTextFile(const std::filesystem::path& path, ByteCount limit = ByteCount(64 << 20));

/// Writes a temporary file beside `path`, flushes it to the disk and renames it. A symbolic link stays one (its target is
/// replaced), permissions stay, a file that may not be written is left alone; missing folders are made. Errors:
/// file.unwritable (path, reason).
Status saveFile(const std::filesystem::path& path, std::string_view bytes);

/// Takes the next bytes of a file; after an error the rest is dropped.
using PieceWriter = std::function<void(std::string_view)>;

/// The same for a file that is too large to hold: `make` is called once and hands over its pieces. What is there and is no
/// regular file (a pipe, /dev/stdout) is written directly.
Status saveFileInPieces(const std::filesystem::path& path, const std::function<void(const PieceWriter&)>& make);

/// A Message about a file with the system's words for `error` (errno) as reason.
Message fileError(std::string id, const std::filesystem::path& path, int error);

}  // namespace lanewright
