// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/paths.h"

#include <system_error>

namespace lanewright::cli {

namespace fs = std::filesystem;

fs::path absolutePath(const std::string& text) {
    std::error_code error;
    fs::path path = fs::absolute(text, error);
    if (error) path = text;
    fs::path cleaned;
    for (const fs::path& part : path) {
        if (part != "." && !part.empty()) cleaned /= part;
    }
    return cleaned;
}

bool samePlace(const fs::path& a, const fs::path& b) {
    std::error_code error;
    if (fs::equivalent(a, b, error) && !error) return true;
    const fs::path left = fs::weakly_canonical(a, error);
    if (error) return a == b;
    const fs::path right = fs::weakly_canonical(b, error);
    return error ? a == b : left == right;
}

}  // namespace lanewright::cli
