// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/layering/layering.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string_view>

namespace lanewright::layering {
namespace {

namespace fs = std::filesystem;

/// A folder and the folders whose headers its sources may include beside their own.
struct Part {
    std::string_view folder;
    std::vector<std::string_view> uses;
};

/// The table of parts; the longest folder that matches a path is its part. A stage (kernels/<stage>) has its own row by
/// its own folder, see partOf().
const std::vector<Part>& table() {
    static const std::vector<Part> parts = {
        {"kernels/api", {}},
        {"kernels/codecs", {"kernels/api"}},
        {"kernels/common", {"kernels/api"}},
        {"engine", {"kernels/api"}},
        {"views", {"engine", "kernels/api"}},
        {"app/cli", {"kernels", "engine"}},
        {"app/window", {"kernels", "engine", "views"}},
    };
    return parts;
}

/// Files of the build that a part may include although they have no folder.
constexpr std::array generatedHeaders = {std::string_view("build_features.h")};

/// Headers that must not reach the headers of kernels/api and the engine, by how their names begin.
struct Foreign {
    std::string_view begins;
    std::string_view library;
};
constexpr std::array foreigners = {
    Foreign{"tbb/", "oneTBB"},         Foreign{"oneapi/", "oneTBB"},
    Foreign{"CL/", "OpenCL"},          Foreign{"OpenCL/", "OpenCL"},
    Foreign{"cuda", "CUDA"},           Foreign{"nvjpeg", "CUDA"},
    Foreign{"nvml", "CUDA"},           Foreign{"npp", "CUDA"},
    Foreign{"device_launch_", "CUDA"}, Foreign{"qcustomplot", "QCustomPlot"},
};

bool beginsWith(std::string_view text, std::string_view beginning) {
    return text.substr(0, beginning.size()) == beginning;
}

bool isInside(std::string_view path, std::string_view folder) {
    return beginsWith(path, folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

std::string_view nameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// QWidget, QtCore/QString, qglobal.h, but not "queue" and not "quality.h" of ours: Qt's own names are <Q + upper case>,
/// <Qt...> or begin with "qt" or "qglobal".
bool isQt(std::string_view include) {
    const std::string_view name = nameOf(include);
    const bool upperCaseClass = name.size() > 1 && name[0] == 'Q' && name[1] >= 'A' && name[1] <= 'Z';
    return upperCaseClass || beginsWith(include, "Qt") || beginsWith(include, "qt") || beginsWith(include, "qglobal");
}

std::optional<std::string_view> foreignLibrary(std::string_view include) {
    for (const Foreign& foreign : foreigners)
        if (beginsWith(include, foreign.begins)) return foreign.library;
    if (isQt(include)) return "Qt";
    return std::nullopt;
}

bool isHeader(std::string_view path) {
    return path.ends_with(".h") || path.ends_with(".hpp") || path.ends_with(".cuh");
}

bool isSource(std::string_view path) {
    static constexpr std::array endings = {".h",  ".hpp", ".cuh", ".inl", ".cpp", ".cc",
                                           ".cu", ".cl",  ".in",  ".c",   ".cxx"};
    return std::any_of(endings.begin(), endings.end(), [path](const char* ending) { return path.ends_with(ending); });
}

/// The part a file belongs to. A stage may use api, codecs and common; the catalog in kernels/ itself all of kernels.
Part partOf(std::string_view path) {
    const Part* best = nullptr;
    for (const Part& part : table())
        if (isInside(path, part.folder) && (!best || part.folder.size() > best->folder.size())) best = &part;
    if (best) return *best;
    if (isInside(path, "kernels")) {
        const std::size_t end = path.find('/', std::string_view("kernels/").size());
        if (end == std::string_view::npos) return {"kernels", {}};
        return {path.substr(0, end), {"kernels/api", "kernels/codecs", "kernels/common"}};
    }
    if (isInside(path, "app")) return {"app", {"kernels", "engine", "views"}};
    return {"", {}};
}

bool isOurs(std::string_view include) {
    static constexpr std::array<std::string_view, 5> folders = {"kernels", "engine", "views", "app", "tests"};
    return std::any_of(folders.begin(), folders.end(), [include](std::string_view f) { return isInside(include, f); });
}

/// The name between the quotes or angle brackets of an #include line, and which of the two.
struct Include {
    std::string name;
    bool quoted = false;
};

std::optional<Include> parseInclude(std::string_view line) {
    const auto skipBlanks = [&line] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    skipBlanks();
    if (!beginsWith(line, "#")) return std::nullopt;
    line.remove_prefix(1);
    skipBlanks();
    if (!beginsWith(line, "include")) return std::nullopt;
    line.remove_prefix(std::string_view("include").size());
    skipBlanks();
    if (line.empty() || (line[0] != '"' && line[0] != '<')) return std::nullopt;
    const std::size_t end = line.find(line[0] == '"' ? '"' : '>', 1);
    if (end == std::string_view::npos) return std::nullopt;
    return Include{std::string(line.substr(1, end - 1)), line[0] == '"'};
}

/// Why `path` may not include this, or nothing.
std::optional<std::string> objection(std::string_view path, const Include& include) {
    const Part part = partOf(path);
    const bool guarded = isHeader(path) && (part.folder == "engine" || part.folder == "kernels/api");
    if (const auto library = foreignLibrary(include.name)) {
        if (guarded) return std::string(*library) + " headers stay out of every header of " + std::string(part.folder);
        if (*library == "Qt" && part.folder != "views" && part.folder != "app/window")
            return std::string("Qt belongs to views and app/window");
        return std::nullopt;
    }
    if (isOurs(include.name)) {
        const auto mayUse = [&include](std::string_view folder) { return isInside(include.name, folder); };
        if (mayUse(part.folder) || std::any_of(part.uses.begin(), part.uses.end(), mayUse)) return std::nullopt;
        std::string allowed = "itself";
        for (const std::string_view folder : part.uses) allowed += ", " + std::string(folder);
        return std::string(part.folder) + " may only use " + allowed;
    }
    const bool generated =
        std::find(generatedHeaders.begin(), generatedHeaders.end(), include.name) != generatedHeaders.end();
    if (part.folder == "kernels/api" && (include.quoted || include.name.find('.') != std::string::npos))
        return std::string("kernels/api uses the standard library only");
    if (include.quoted && !generated && include.name.find('/') == std::string::npos)
        return std::string("write the path from the root of the repository, or <> for a library");
    return std::nullopt;
}

void checkFile(const fs::path& root, const std::string& relative, Report& report) {
    std::ifstream stream(root / relative);
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
        const auto include = parseInclude(line);
        if (!include) continue;
        ++report.includes;
        if (auto why = objection(relative, *include))
            report.violations.push_back({relative, number, include->name, *std::move(why)});
    }
    ++report.files;
}

}  // namespace

std::string Violation::text() const { return file + ":" + std::to_string(line) + ": includes " + include + ": " + why; }

Report check(const fs::path& root) {
    std::vector<std::string> files;
    for (const char* folder : {"kernels", "engine", "views", "app"}) {
        if (!fs::is_directory(root / folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string relative = entry.path().lexically_relative(root).generic_string();
            if (entry.is_regular_file() && isSource(relative)) files.push_back(relative);
        }
    }
    std::sort(files.begin(), files.end());
    Report report;
    for (const std::string& file : files) checkFile(root, file, report);
    return report;
}

}  // namespace lanewright::layering
