// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/check_file.h"

#include "engine/files/files.h"
#include "engine/machine/machine_file.h"
#include "engine/project/project.h"
#include "engine/trace/chrome_check.h"
#include "engine/trace/run_file.h"

#include <charconv>
#include <string_view>

namespace lanewright {
namespace {

constexpr ByteCount largestText(std::uint64_t{4} << 30);
constexpr ByteCount head(64);

std::size_t numberIn(const Message& message, std::string_view argument) {
    const std::string_view text = message.argument(argument);
    std::size_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Where a message says that it is.
FileProblem placed(Message message, bool isWarning = false) {
    FileProblem problem;
    problem.line = numberIn(message, "line");
    problem.column = numberIn(message, "column");
    problem.pointer = message.argument("pointer");
    if (!problem.pointer.starts_with('/')) problem.pointer.clear();
    problem.isWarning = isWarning;
    problem.what = std::move(message);
    return problem;
}

std::vector<FileProblem> placedAll(std::vector<Problem> problems) {
    std::vector<FileProblem> list;
    for (Problem& problem : problems)
        list.push_back(placed(std::move(problem.message), problem.severity == Severity::warning));
    return list;
}

std::string_view withoutBlanks(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// The text after `"key":`, which is how all our formats name themselves near their beginning.
std::string_view valueOf(std::string_view text, std::string_view key) {
    const std::size_t at = text.find("\"" + std::string(key) + "\"");
    if (at == std::string_view::npos) return {};
    text = withoutBlanks(text.substr(at + key.size() + 2));
    return text.starts_with(':') ? withoutBlanks(text.substr(1)) : std::string_view();
}

/// By what the text says of itself; else, so that a file that lost its beginning is told what is wrong with it, by its name.
FileKind kindOf(std::string_view text, const std::filesystem::path& path) {
    constexpr std::size_t beginning = 65536;
    const std::string_view header = valueOf(text.substr(0, beginning), "lanewright");
    const std::string_view format = valueOf(header.substr(0, 256), "format");
    if (format.starts_with("\"project\"")) return FileKind::project;
    if (format.starts_with("\"machine\"")) return FileKind::machine;
    const std::string_view content = withoutBlanks(text);
    if (!valueOf(text, "traceEvents").empty() || content.starts_with('[')) return FileKind::chromeTrace;
    const std::string name = path.filename().string();
    if (name.ends_with(".lanes")) return FileKind::project;
    if (name.ends_with(".machine.json")) return FileKind::machine;
    if (name.ends_with(".trace.json")) return FileKind::chromeTrace;
    if (name.ends_with(".lwrun")) return FileKind::run;
    return FileKind::unknown;
}

/// Names that make readers of Chrome traces take the file for something else.
bool isMisleadingTraceName(const std::string& name) {
    constexpr std::string_view timed = "Trace-";
    constexpr std::string_view shape = "00000000T000000";
    if (name.ends_with(".chrome.json") || name.ends_with("-recording.json")) return true;
    if (!name.starts_with(timed) || name.size() < timed.size() + shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const char c = name[timed.size() + i];
        if (shape[i] == '0' ? c < '0' || c > '9' : c != shape[i]) return false;
    }
    return true;
}

std::vector<FileProblem> checkTrace(std::string_view text, const std::filesystem::path& path) {
    std::vector<FileProblem> problems;
    const std::string name = path.filename().string();
    if (isMisleadingTraceName(name)) problems.push_back(placed({"trace.fileName", {{"name", name}}}, true));
    std::vector<FileProblem> found = checkChromeTrace(text);
    problems.insert(problems.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
    return problems;
}

FileCheck checkRunFile(const std::filesystem::path& path) {
    FileCheck result{FileKind::run, {}};
    RunPlace place;
    const auto run = readRun(path, &place);
    if (run) return result;
    FileProblem problem = placed(run.error());
    problem.pointer = place.pointer;
    problem.offset = place.offset;
    result.problems.push_back(std::move(problem));
    return result;
}

bool beginsAsRun(const std::filesystem::path& path) {
    auto file = RegularFile::open(path);
    std::vector<std::byte> begin;
    return file && file->read(head.value, begin) && looksLikeRun(begin);
}

}  // namespace

FileCheck checkFile(const std::filesystem::path& path, const Catalog& catalog) {
    if (beginsAsRun(path)) return checkRunFile(path);
    const auto text = readTextFile(path, largestText);
    if (!text) return {FileKind::unknown, {placed(text.error())}};
    FileCheck result{kindOf(*text, path), {}};
    switch (result.kind) {
    case FileKind::project: result.problems = placedAll(projectProblems(*text, path, catalog)); break;
    case FileKind::machine: result.problems = placedAll(machineProblems(*text, path)); break;
    case FileKind::chromeTrace: result.problems = checkTrace(*text, path); break;
    case FileKind::run: return checkRunFile(path);
    case FileKind::unknown: result.problems = {placed({"check.unknownFile", {{"file", path.string()}}})}; break;
    }
    return result;
}

std::string placeText(const FileProblem& problem) {
    std::string text;
    if (problem.line > 0)
        text = std::to_string(problem.line) + ":" + std::to_string(problem.column);
    else if (problem.offset)
        text = "byte " + std::to_string(*problem.offset);
    if (problem.pointer.empty()) return text;
    return text.empty() ? problem.pointer : text + " (" + problem.pointer + ")";
}

}  // namespace lanewright
