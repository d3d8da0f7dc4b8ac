// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress.h"

#include "app/cli/console.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>

namespace lanewright::cli {
namespace {

using namespace std::chrono_literals;

std::string_view phaseText(JobPhase phase) {
    switch (phase) {
    case JobPhase::findingDevices: return "looking for devices";
    case JobPhase::readingInput: return "reading the input";
    case JobPhase::planning: return "making a plan";
    case JobPhase::predicting: return "predicting";
    case JobPhase::running: return "running";
    }
    return "";
}

std::string number(const char* format, double value) {
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string remaining(const Progress& progress) {
    if (progress.imagesEnded == 0 || progress.imagesEnded >= progress.images) return {};
    const auto ended = static_cast<double>(progress.imagesEnded);
    const auto left = static_cast<double>(progress.images) - ended;
    return ", " + number("%.0f", std::max(1.0, toSeconds(progress.elapsed) * left / ended)) + " s left";
}

}  // namespace

std::string progressLine(const ProgressState& state) {
    if (!state.progress) return std::string(phaseText(state.phase));
    const Progress& progress = *state.progress;
    std::string line;
    if (state.repeats > 1) {
        line = "run " + std::to_string(state.repeat + 1) + " of " + std::to_string(state.repeats) + ": ";
    }
    line += std::to_string(progress.imagesEnded) + " of " + std::to_string(progress.images) + " images";
    if (progress.elapsed.count() > 0 && progress.imagesEnded > 0) {
        line += ", " + number("%.1f", static_cast<double>(progress.imagesEnded) / toSeconds(progress.elapsed)) +
                " images/s";
    }
    if (progress.imagesFailed > 0) line += ", " + std::to_string(progress.imagesFailed) + " failed";
    return line + remaining(progress);
}

std::string progressBar(const ProgressState& state, int width) {
    constexpr int barWidth = 24;
    std::string line = progressLine(state);
    if (state.progress && state.progress->images > 0 && width >= barWidth + 30) {
        const auto done = static_cast<std::size_t>(barWidth) *
                          std::min(state.progress->imagesEnded, state.progress->images) / state.progress->images;
        line.insert(0, "[" + std::string(done, '#') + std::string(barWidth - done, '.') + "] ");
    }
    if (line.size() >= static_cast<std::size_t>(width)) line.resize(static_cast<std::size_t>(std::max(1, width - 1)));
    return line;
}

ProgressDisplay::ProgressDisplay(std::int32_t repeats)
    : m_terminal(stderrIsTerminal()), m_thread([this](const std::stop_token& stop) { draw(stop); }) {
    const std::lock_guard lock(m_mutex);
    m_state.repeats = repeats;
}

ProgressDisplay::~ProgressDisplay() {
    m_thread.request_stop();
    m_thread.join();
}

JobEvents ProgressDisplay::events(std::stop_token stop) {
    JobEvents events;
    events.stop = std::move(stop);
    events.phase = [this](JobPhase phase) {
        const std::lock_guard lock(m_mutex);
        m_state.phase = phase;
        m_state.progress.reset();
    };
    events.repeat = [this](std::int32_t repeat) {
        const std::lock_guard lock(m_mutex);
        m_state.repeat = repeat;
        m_state.progress.reset();
    };
    events.progress = [this](const Progress& progress) {
        const std::lock_guard lock(m_mutex);
        m_state.progress = progress;
    };
    return events;
}

void ProgressDisplay::draw(const std::stop_token& stop) {
    const auto period = m_terminal ? 100ms : 1000ms;
    std::string shown;
    std::unique_lock lock(m_mutex);
    while (!m_wake.wait_for(lock, stop, period, [&stop] { return stop.stop_requested(); })) {
        std::string line = m_terminal ? progressBar(m_state, terminalWidth()) : progressLine(m_state);
        if (line == shown) continue;
        shown = std::move(line);
        lock.unlock();
        if (m_terminal) {
            tellInPlace(shown);
        } else {
            tell(shown);
        }
        lock.lock();
    }
    lock.unlock();
    if (m_terminal && !shown.empty()) tellInPlace("");
}

}  // namespace lanewright::cli
