// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the real lanewright-cli and keeps what it said.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace lanewright::test {

struct CliResult {
    int exitCode = -1;  ///< -1: ended by a signal
    int signal = 0;
    std::string out;
    std::string err;
    std::chrono::milliseconds duration{0};
};

struct CliOptions {
    std::filesystem::path folder{};          ///< where it starts; empty: here
    std::filesystem::path cache{};           ///< XDG_CACHE_HOME; empty: that of the test
    std::function<void(int pid)> running{};  ///< called once, after it was started
    bool fullOutput = false;                 ///< standard output is /dev/full
};

/// Standard input is empty. A run of more than two minutes is ended and fails the test.
CliResult runCli(const std::vector<std::string>& arguments, const CliOptions& options = {});

}  // namespace lanewright::test
