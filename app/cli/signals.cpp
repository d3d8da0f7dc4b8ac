// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/signals.h"

#include <initializer_list>

namespace lanewright::cli {
namespace {

/// Wakes the waiting thread when there is nothing left to wait for; nobody else uses it here.
constexpr int wakeUp = SIGUSR2;

bool isIgnored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

StopOnSignal::StopOnSignal() {
    sigemptyset(&m_signals);
    sigaddset(&m_signals, wakeUp);
    for (const int signal : {SIGINT, SIGTERM}) {
        if (!isIgnored(signal)) sigaddset(&m_signals, signal);
    }
    pthread_sigmask(SIG_BLOCK, &m_signals, &m_before);
    m_thread = std::thread([this] { wait(); });
}

StopOnSignal::~StopOnSignal() {
    m_done = true;
    pthread_kill(m_thread.native_handle(), wakeUp);
    m_thread.join();
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

void StopOnSignal::wait() {
    for (;;) {
        int signal = 0;
        if (sigwait(&m_signals, &signal) != 0) continue;
        if (m_done) return;
        if (signal == wakeUp) continue;
        if (!m_source.stop_requested()) {
            m_source.request_stop();
            continue;
        }
        // Asked twice: die of the signal, so that a shell sees what happened.
        std::signal(signal, SIG_DFL);
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, signal);
        raise(signal);
        pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
    }
}

}  // namespace lanewright::cli
