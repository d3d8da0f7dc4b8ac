// SPDX-License-Identifier: GPL-3.0-or-later
// The walk through folders. Links are followed, each folder is read once however many links lead to it.
#include "engine/input/file_list.h"

#include "engine/files/files.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>
#include <utility>

#include <sys/stat.h>

namespace lanewright {
namespace {

namespace fs = std::filesystem;

/// Which file or folder a path leads to, whatever its spelling.
using Identity = std::pair<dev_t, ino_t>;

bool identify(const fs::path& path, Identity& identity) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return false;
    identity = {status.st_dev, status.st_ino};
    return true;
}

class FolderWalk {
public:
    FolderWalk(const fs::path& excludedFolder, const std::stop_token& stop) : m_stop(stop) {
        m_hasExcluded = !excludedFolder.empty() && identify(excludedFolder, m_excluded);
    }

    /// Everything below `root`. Folders that links lead to come after all real ones, so that what is read under which name
    /// does not depend on where a link happens to lie.
    std::vector<FoundFile> walk(const fs::path& root) {
        const std::string text = root.string();
        m_folderLength = static_cast<std::uint32_t>(text.ends_with('/') ? text.size() : text.size() + 1);
        m_found.clear();
        m_visited.clear();
        m_links.clear();
        enter(root, true);
        while (!m_links.empty() && !m_stop.stop_requested()) {
            const fs::path link = *m_links.begin();
            m_links.erase(m_links.begin());
            enter(link, false);
        }
        std::sort(m_found.begin(), m_found.end(),
                  [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });
        return std::move(m_found);
    }

private:
    void enter(const fs::path& folder, bool isRoot) {
        m_folders.push_back(folder);
        while (!m_folders.empty() && !m_stop.stop_requested()) {
            const fs::path next = std::move(m_folders.back());
            m_folders.pop_back();
            Identity identity;
            if (!identify(next, identity) || !m_visited.insert(identity).second) continue;
            if (m_hasExcluded && identity == m_excluded && !isRoot) continue;
            isRoot = false;
            list(next);
        }
    }

    void list(const fs::path& folder) {
        std::error_code error;
        fs::directory_iterator entries(folder, error);
        while (!error && entries != fs::directory_iterator()) {
            visit(*entries);
            entries.increment(error);
        }
        if (error) add(folder, std::make_shared<const Message>(fileError("file.unreadable", folder, error.value())));
    }

    void visit(const fs::directory_entry& entry) {
        const fs::path& path = entry.path();
        if (path.filename().native().starts_with('.')) return;
        std::error_code error;
        const fs::file_type own = entry.symlink_status(error).type();
        const fs::file_type type = own == fs::file_type::symlink ? entry.status(error).type() : own;
        if (type == fs::file_type::regular) {
            add(path, nullptr);
        } else if (type == fs::file_type::directory) {
            own == fs::file_type::symlink ? void(m_links.insert(path)) : m_folders.push_back(path);
        } else if (own == fs::file_type::symlink && type == fs::file_type::not_found && isNamedLikeAnImage(path)) {
            add(path, nullptr);  // the probe says that it leads nowhere
        }
    }

    void add(const fs::path& path, std::shared_ptr<const Message> error) {
        m_found.push_back({path.string(), m_folderLength, false, std::move(error)});
    }

    std::stop_token m_stop;
    Identity m_excluded{};
    bool m_hasExcluded = false;
    std::uint32_t m_folderLength = 0;
    std::vector<FoundFile> m_found;
    std::vector<fs::path> m_folders;
    std::set<fs::path> m_links;
    std::set<Identity> m_visited;
};

}  // namespace

Result<std::vector<FoundFile>> listFiles(const std::vector<fs::path>& paths, const fs::path& excludedFolder,
                                         const std::stop_token& stop) {
    FolderWalk walk(excludedFolder, stop);
    std::vector<FoundFile> files;
    std::unordered_set<std::string> known;
    for (const fs::path& given : paths) {
        std::error_code error;
        fs::path path = fs::absolute(given, error).lexically_normal();
        if (!path.has_filename() && path.has_relative_path()) path = path.parent_path();
        const fs::file_type type = fs::status(path, error).type();
        if (type == fs::file_type::not_found) return Message{"input.missing", {{"path", path.string()}}};
        std::vector<FoundFile> found;
        if (type == fs::file_type::directory) {
            found = walk.walk(path);
        } else {
            const auto length = path.string().size() - path.filename().string().size();
            found.push_back({path.string(), static_cast<std::uint32_t>(length), true, nullptr});
        }
        for (FoundFile& file : found) {
            if (known.insert(file.path).second) files.push_back(std::move(file));
        }
        if (stop.stop_requested()) return Message{"run.cancelled", {}};
    }
    return files;
}

bool isNamedLikeAnImage(const std::string& path) {
    static constexpr std::array<std::string_view, 8> endings = {".jpg", ".jpeg", ".jpe", ".jfif",
                                                                ".png", ".webp", ".tif", ".tiff"};
    const auto lower = [](unsigned char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
    };
    return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) {
        return path.size() > ending.size() &&
               std::equal(ending.rbegin(), ending.rend(), path.rbegin(),
                          [&](char a, char b) { return a == lower(static_cast<unsigned char>(b)); });
    });
}

}  // namespace lanewright
