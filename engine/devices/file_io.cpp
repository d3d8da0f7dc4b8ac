// SPDX-License-Identifier: GPL-3.0-or-later
// POSIX calls, because a failed write must say why (disk full, no permission) in the system's words.
#include "engine/devices/file_io.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lanewright {
namespace {

namespace fs = std::filesystem;

class Descriptor {
public:
    explicit Descriptor(int value) : m_value(value) {}
    ~Descriptor() {
        if (m_value >= 0) ::close(m_value);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    bool open() const { return m_value >= 0; }
    int value() const { return m_value; }
    /// Some file systems tell only here that there was no room.
    bool close() {
        const int closed = ::close(m_value);
        m_value = -1;
        return closed == 0 || errno == EINTR;
    }

private:
    int m_value;
};

Message fileMessage(std::string id, const fs::path& path, int error) {
    return {std::move(id), {{"path", path.string()}, {"reason", std::generic_category().message(error)}}};
}

fs::path temporaryPath(const fs::path& path) {
    constexpr std::size_t longestName = 255;
    const std::string ending = "." + std::to_string(::getpid()) + ".part";
    const std::string name = path.filename().string().substr(0, longestName - ending.size() - 1);
    return path.parent_path() / ("." + name + ending);
}

bool writeAll(int descriptor, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace

Status readWholeFile(const fs::path& path, std::span<std::byte> room) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.open()) return fileMessage("file.unreadable", path, errno);
    struct stat status {};
    if (::fstat(file.value(), &status) != 0) return fileMessage("file.unreadable", path, errno);
    const Message changed{"image.changed", {{"path", path.string()}}};
    if (static_cast<std::uint64_t>(status.st_size) != room.size()) return changed;
    while (!room.empty()) {
        const ssize_t count = ::read(file.value(), room.data(), room.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fileMessage("file.unreadable", path, errno);
        if (count == 0) return changed;
        room = room.subspan(static_cast<std::size_t>(count));
    }
    return {};
}

Status writeWholeFile(const fs::path& path, std::span<const std::byte> bytes) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) return fileMessage("file.unwritable", path, error.value());
    const fs::path temporary = temporaryPath(path);
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file.open()) return fileMessage("file.unwritable", path, errno);
    if (writeAll(file.value(), bytes) && file.close() && ::rename(temporary.c_str(), path.c_str()) == 0) return {};
    const int reason = errno;
    ::unlink(temporary.c_str());
    return fileMessage("file.unwritable", path, reason);
}

}  // namespace lanewright
