// SPDX-License-Identifier: GPL-3.0-or-later
// Turns the first SIGINT or SIGTERM into a stop request; the second one ends the program at once.
#pragma once

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace lanewright::cli {

/// Make it before any other thread: the signals are blocked in the calling thread, which later threads inherit, and taken
/// by a thread of its own. A signal that was ignored (a background job of a script) stays ignored.
class StopOnSignal {
public:
    StopOnSignal();
    ~StopOnSignal();
    StopOnSignal(const StopOnSignal&) = delete;
    StopOnSignal& operator=(const StopOnSignal&) = delete;

    std::stop_token token() const { return m_source.get_token(); }

private:
    void wait();

    sigset_t m_signals{};
    sigset_t m_before{};
    std::stop_source m_source;
    std::atomic<bool> m_done = false;
    std::thread m_thread;
};

}  // namespace lanewright::cli
