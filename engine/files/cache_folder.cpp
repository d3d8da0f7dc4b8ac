// SPDX-License-Identifier: GPL-3.0-or-later
// The XDG Base Directory Specification 0.8; a relative path in the environment is invalid there and does not count.
#include "engine/files/cache_folder.h"

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include <pwd.h>
#include <unistd.h>

namespace lanewright {
namespace {

std::filesystem::path absoluteFrom(const char* variable) {
    const char* value = std::getenv(variable);
    std::filesystem::path path = value ? value : "";
    return path.is_absolute() ? path : std::filesystem::path();
}

std::filesystem::path homeOfUser() {
    std::vector<char> buffer(16384);
    passwd entry{};
    passwd* found = nullptr;
    const int failed = ::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found);
    if (failed != 0 || !found || !found->pw_dir) return {};
    std::filesystem::path home = found->pw_dir;
    return home.is_absolute() ? home : std::filesystem::path();
}

}  // namespace

std::filesystem::path cacheFolder() {
    if (const auto cache = absoluteFrom("XDG_CACHE_HOME"); !cache.empty()) return cache / "lanewright";
    if (const auto home = absoluteFrom("HOME"); !home.empty()) return home / ".cache" / "lanewright";
    if (const auto home = homeOfUser(); !home.empty()) return home / ".cache" / "lanewright";
    std::error_code error;
    const auto temporary = std::filesystem::temp_directory_path(error);
    return (error ? std::filesystem::path("/tmp") : temporary) / ("lanewright-" + std::to_string(::getuid()));
}

}  // namespace lanewright
