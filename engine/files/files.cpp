// SPDX-License-Identifier: GPL-3.0-or-later
// POSIX calls, because only they say why something failed and flush to the disk.
#include "engine/files/files.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lanewright {
namespace {

namespace fs = std::filesystem;

/// Where a write to `path` ends up: follows symbolic links, also one whose target does not exist yet.
fs::path linkTarget(fs::path path) {
    constexpr int mostLinks = 40;  // as Linux has it
    std::error_code error;
    for (int i = 0; i < mostLinks && fs::is_symlink(path, error); ++i) {
        const fs::path target = fs::read_symlink(path, error);
        if (error) break;
        path = path.parent_path() / target;
    }
    return path;
}

fs::path temporaryBeside(const fs::path& path) {
    static std::atomic<unsigned> counter{0};
    constexpr std::size_t longestName = 255;
    const std::string ending = "." + std::to_string(::getpid()) + "-" + std::to_string(++counter) + ".tmp";
    const std::string name = path.filename().string().substr(0, longestName - ending.size() - 1);
    return path.parent_path() / ("." + name + ending);
}

/// 0 or errno.
int writeAll(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

using Maker = std::function<void(const PieceWriter&)>;

int writePieces(int descriptor, const Maker& make) {
    int error = 0;
    make([&error, descriptor](std::string_view piece) {
        if (error == 0) error = writeAll(descriptor, piece);
    });
    return error;
}

/// So that the new name is on the disk too; what some file systems refuse to do is not worth a message.
void flushFolder(const fs::path& folder) {
    const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
}

int writeNewFile(const fs::path& file, const Maker& make, const struct stat* existing) {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) return errno;
    int error = existing && ::fchmod(descriptor, existing->st_mode & 07777) != 0 ? errno : 0;
    if (error == 0) error = writePieces(descriptor, make);
    if (error == 0 && ::fsync(descriptor) != 0) error = errno;
    if (::close(descriptor) != 0 && error == 0) error = errno;
    return error;
}

/// Saves to `target`, a path without links. 0 or errno.
int replaceFile(const fs::path& target, const Maker& make) {
    std::error_code error;
    if (target.has_parent_path()) fs::create_directories(target.parent_path(), error);
    if (error) return error.value();
    struct stat status {};
    const bool exists = ::stat(target.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) return S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    if (exists && ::access(target.c_str(), W_OK) != 0) return errno;
    const fs::path temporary = temporaryBeside(target);
    int reason = writeNewFile(temporary, make, exists ? &status : nullptr);
    if (reason == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) reason = errno;
    if (reason != 0) {
        ::unlink(temporary.c_str());
    } else {
        flushFolder(target.parent_path());
    }
    return reason;
}

int writeThrough(const fs::path& path, const Maker& make) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) return errno;
    const int error = writePieces(descriptor, make);
    return ::close(descriptor) != 0 && error == 0 ? errno : error;
}

}  // namespace

Message fileError(std::string id, const fs::path& path, int error) {
    return {std::move(id), {{"path", path.string()}, {"reason", std::generic_category().message(error)}}};
}

RegularFile::RegularFile(int descriptor, ByteCount size, std::string path)
    : m_descriptor(descriptor), m_size(size), m_path(std::move(path)) {}

RegularFile::RegularFile(RegularFile&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_size(other.m_size), m_path(std::move(other.m_path)) {}

RegularFile::~RegularFile() {
    if (m_descriptor >= 0) ::close(m_descriptor);
}

Result<RegularFile> RegularFile::open(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
        return Message{"file.notRegular", {{"path", path.string()}}};
    }
    // It may have become something else since: not blocking lets a FIFO be opened and closed without waiting.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        return Message{"file.missing", {{"path", path.string()}}};
    }
    if (descriptor < 0) return fileError("file.unreadable", path, errno);
    RegularFile file(descriptor, {}, path.string());
    if (::fstat(descriptor, &status) != 0) return fileError("file.unreadable", path, errno);
    if (!S_ISREG(status.st_mode)) return Message{"file.notRegular", {{"path", path.string()}}};
    file.m_size = ByteCount(static_cast<std::uint64_t>(status.st_size));
    return file;
}

Status RegularFile::read(std::size_t bytes, std::vector<std::byte>& to) {
    std::size_t filled = to.size();
    const std::size_t wanted = filled + bytes;
    to.resize(wanted);
    while (filled < wanted) {
        const ssize_t count = ::read(m_descriptor, to.data() + filled, wanted - filled);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fileError("file.unreadable", m_path, errno);
        if (count == 0) break;
        filled += static_cast<std::size_t>(count);
    }
    to.resize(filled);
    return {};
}

Result<std::string> readTextFile(const fs::path& path, ByteCount limit) {
    auto file = RegularFile::open(path);
    if (!file) return std::move(file).error();
    std::vector<std::byte> bytes;
    constexpr std::size_t step = 65536;  // files of /proc say that they have 0 bytes
    for (std::size_t before = step; before != bytes.size() && bytes.size() <= limit.value;) {
        before = bytes.size();
        if (const Status status = file->read(step, bytes); !status) return status.error();
    }
    if (bytes.size() > limit.value) {
        return Message{"file.tooLarge", {{"path", path.string()}, {"limit", std::to_string(limit.value >> 20)}}};
    }
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Status saveFile(const fs::path& path, std::string_view bytes) {
    const int error = replaceFile(linkTarget(path), [bytes](const PieceWriter& write) { write(bytes); });
    return error == 0 ? Status() : fileError("file.unwritable", path, error);
}

Status saveFileInPieces(const fs::path& path, const std::function<void(const PieceWriter&)>& make) {
    struct stat status {};
    const bool special = ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
    const int error = special ? writeThrough(path, make) : replaceFile(linkTarget(path), make);
    return error == 0 ? Status() : fileError("file.unwritable", path, error);
}

}  // namespace lanewright
