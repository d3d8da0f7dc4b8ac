// SPDX-License-Identifier: GPL-3.0-or-later
// Reads /proc and both versions of the cgroup file system; a limit of any parent group counts.
#include "engine/devices/host_limits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <sstream>
#include <vector>

#include <sched.h>
#include <unistd.h>

namespace lanewright {
namespace {

namespace fs = std::filesystem;
constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();

template <class T = std::uint64_t>
std::optional<T> parsedNumber(std::string_view text) {
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end != text.data() ? std::optional(number) : std::nullopt;
}

std::vector<std::string> wordsOf(const fs::path& file) {
    std::ifstream stream(file);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(std::move(word));
    return words;
}

std::optional<std::uint64_t> numberIn(const fs::path& file) {
    const auto words = wordsOf(file);
    return words.empty() ? std::nullopt : parsedNumber(words.front());
}

/// The number after `key` in a file of "key number" pairs (memory.stat, meminfo).
std::uint64_t valueOf(const fs::path& file, std::string_view key) {
    const auto words = wordsOf(file);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (words[i] == key) return parsedNumber(words[i + 1]).value_or(0);
    }
    return 0;
}

/// The text after "key :" of the first such line of /proc/cpuinfo.
std::string infoText(const fs::path& file, std::string_view key) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
        const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
        return begin == std::string::npos ? std::string() : line.substr(begin);
    }
    return {};
}

/// One cgroup hierarchy that this process is in: where it is mounted and the group's path in it.
struct Group {
    bool version2 = false;
    std::string controllers;
    fs::path mount;
    fs::path path;

    bool has(std::string_view controller) const {
        std::istringstream list(controllers);
        for (std::string name; std::getline(list, name, ',');) {
            if (name == controller) return true;
        }
        return version2;
    }
    /// The group's folder and its parents' up to the mount. In a container the path may not exist; the mount does.
    void forEachFolder(const std::function<void(const fs::path&)>& use) const {
        for (fs::path part = path.relative_path(); !part.empty(); part = part.parent_path()) use(mount / part);
        use(mount);
    }
};

std::vector<Group> groupsOf(const fs::path& root) {
    std::ifstream stream(root / "proc/self/cgroup");
    std::vector<Group> groups;
    for (std::string line; std::getline(stream, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        Group group;
        group.controllers = line.substr(first + 1, second - first - 1);
        group.version2 = group.controllers.empty();
        group.mount = root / "sys/fs/cgroup" / group.controllers;
        group.path = line.substr(second + 1);
        groups.push_back(std::move(group));
    }
    return groups;
}

double processorQuota(const std::vector<Group>& groups) {
    double quota = std::numeric_limits<double>::infinity();
    const auto take = [&quota](std::optional<std::uint64_t> time, std::optional<std::uint64_t> period) {
        if (time && period && *period > 0)
            quota = std::min(quota, static_cast<double>(*time) / static_cast<double>(*period));
    };
    for (const Group& group : groups) {
        if (!group.has("cpu")) continue;
        group.forEachFolder([&](const fs::path& folder) {
            const auto words = wordsOf(folder / "cpu.max");
            if (words.size() == 2) take(parsedNumber(words[0]), parsedNumber(words[1]));
            take(numberIn(folder / "cpu.cfs_quota_us"), numberIn(folder / "cpu.cfs_period_us"));
        });
    }
    return quota;
}

/// Caches of files that can be dropped at once do not count as used.
std::uint64_t memoryLeft(const std::vector<Group>& groups) {
    std::uint64_t left = unlimited;
    const auto take = [&left](std::optional<std::uint64_t> limit, std::uint64_t used, std::uint64_t reclaimable) {
        if (!limit) return;
        const std::uint64_t kept = used - std::min(used, reclaimable);
        left = std::min(left, *limit - std::min(*limit, kept));
    };
    for (const Group& group : groups) {
        if (!group.has("memory")) continue;
        group.forEachFolder([&](const fs::path& folder) {
            take(numberIn(folder / "memory.max"), numberIn(folder / "memory.current").value_or(0),
                 valueOf(folder / "memory.stat", "inactive_file"));
            take(numberIn(folder / "memory.limit_in_bytes"), numberIn(folder / "memory.usage_in_bytes").value_or(0),
                 valueOf(folder / "memory.stat", "total_inactive_file"));
        });
    }
    return left;
}

/// The mask may be wider than cpu_set_t on large machines: grow until it fits.
int processorsOfMask() {
    for (int count = CPU_SETSIZE; count <= (1 << 20); count *= 2) {
        cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(count));
        if (!set) break;
        const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(count));
        const int processors = ::sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
        CPU_FREE(set);
        if (processors > 0) return processors;
    }
    return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace

HostLimits readHostLimits(const fs::path& root) {
    const auto groups = groupsOf(root);
    HostLimits limits;
    limits.capacity = std::min(static_cast<double>(processorsOfMask()), processorQuota(groups));
    limits.processors = std::max(1, static_cast<int>(std::ceil(limits.capacity)));
    const std::uint64_t available = valueOf(root / "proc/meminfo", "MemAvailable:") * 1024;
    limits.memory = ByteCount(std::min(available, memoryLeft(groups)));
    limits.model = infoText(root / "proc/cpuinfo", "model name");
    if (limits.model.empty()) limits.model = "CPU";
    if (const auto megahertz = parsedNumber<double>(infoText(root / "proc/cpuinfo", "cpu MHz")); megahertz > 0.0) {
        limits.megahertz = *megahertz;
    }
    return limits;
}

}  // namespace lanewright
