// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/trace/chrome_check.h"

#include "engine/trace/chrome_reader.h"
#include "engine/trace/chrome_rules.h"

#include <algorithm>

namespace lanewright {
namespace {

/// Lines and columns of all problems, which are sorted by offset, in one pass over the text.
void setPlaces(std::string_view text, std::vector<FileProblem>& problems) {
    std::size_t line = 1;
    std::size_t lineStart = 0;
    std::size_t at = 0;
    for (FileProblem& problem : problems) {
        for (; at < std::min(*problem.offset, text.size()); ++at) {
            if (text[at] != '\n') continue;
            ++line;
            lineStart = at + 1;
        }
        problem.line = line;
        problem.column = at - lineStart + 1;
    }
}

}  // namespace

std::vector<FileProblem> checkChromeTrace(std::string_view text) {
    std::vector<FileProblem> problems;
    std::size_t count = 0;
    const auto add = [&](ChromeFault fault) {
        if (++count > mostTraceProblems) return;
        FileProblem problem;
        problem.what = std::move(fault.what);
        problem.pointer = std::move(fault.pointer);
        problem.offset = fault.offset;
        problems.push_back(std::move(problem));
    };
    ChromeRules rules(add);
    bool complete = true;
    readChromeEvents(
        text, [&rules](const ChromeEvent& event) { rules.take(event); },
        [&](ChromeFault fault) {
            complete = complete && fault.what.id != "trace.syntax" && fault.what.id != "trace.topLevel";
            add(std::move(fault));
        });
    if (complete) rules.finish();
    std::stable_sort(problems.begin(), problems.end(),
                     [](const FileProblem& a, const FileProblem& b) { return a.offset < b.offset; });
    setPlaces(text, problems);
    if (count > mostTraceProblems) {
        FileProblem more;
        more.what = {"trace.more", {{"count", std::to_string(count - mostTraceProblems)}}};
        problems.push_back(std::move(more));
    }
    return problems;
}

}  // namespace lanewright
