// SPDX-License-Identifier: GPL-3.0-or-later
// Shows on stderr how far a job is: a bar on a terminal, elsewhere a line at most once a second (none in the first second).
#pragma once

#include "engine/run/job.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace lanewright::cli {

/// What is shown. Times are of the current repeat.
struct ProgressState {
    JobPhase phase = JobPhase::findingDevices;
    std::int32_t repeat = 0;
    std::int32_t repeats = 1;
    std::optional<Progress> progress;
};

/// "run 2 of 3: 12 of 40 images, 15.8 images/s, 2 failed, 1.8 s left".
std::string progressLine(const ProgressState& state);
/// The same behind a bar, at most `width` columns wide.
std::string progressBar(const ProgressState& state, int width);

/// A thread of its own draws, so that phases without news are shown too and workers never wait for a terminal.
class ProgressDisplay {
public:
    explicit ProgressDisplay(std::int32_t repeats);
    ~ProgressDisplay();
    ProgressDisplay(const ProgressDisplay&) = delete;
    ProgressDisplay& operator=(const ProgressDisplay&) = delete;

    /// Events that feed this display, which must outlive them.
    JobEvents events(std::stop_token stop);

private:
    void draw(const std::stop_token& stop);

    const bool m_terminal;
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    ProgressState m_state;
    std::jthread m_thread;
};

}  // namespace lanewright::cli
