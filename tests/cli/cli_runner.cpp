// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/cli_runner.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace lanewright::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds longest{120};

struct Pipe {
    std::array<int, 2> ends{-1, -1};
    Pipe() { EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0); }
    ~Pipe() {
        closeEnd(0);
        closeEnd(1);
    }
    void closeEnd(std::size_t end) {
        if (ends[end] >= 0) close(ends[end]);
        ends[end] = -1;
    }
};

std::vector<std::string> environmentWith(const CliOptions& options) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry; ++entry) {
        const bool replaced = !options.cache.empty() && std::string_view(*entry).starts_with("XDG_CACHE_HOME=");
        if (!replaced) result.emplace_back(*entry);
    }
    if (!options.cache.empty()) result.push_back("XDG_CACHE_HOME=" + options.cache.string());
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

int spawnCli(const std::vector<std::string>& arguments, const CliOptions& options, Pipe& out, Pipe& err) {
    std::vector<std::string> words = {LANEWRIGHT_CLI};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> environment = environmentWith(options);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (options.fullOutput) {
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/full", O_WRONLY, 0);
    } else {
        posix_spawn_file_actions_adddup2(&actions, out.ends[1], 1);
    }
    posix_spawn_file_actions_adddup2(&actions, err.ends[1], 2);
    if (!options.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());
    pid_t pid = -1;
    const int error =
        posix_spawn(&pid, LANEWRIGHT_CLI, &actions, nullptr, pointers(words).data(), pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(error, 0) << "cannot start " << LANEWRIGHT_CLI;
    return error == 0 ? pid : -1;
}

/// Reads both pipes until they end; true when that took too long.
bool readAll(Pipe& out, Pipe& err, CliResult& result, Clock::time_point deadline) {
    std::array<pollfd, 2> files = {{{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}}};
    const std::array<std::string*, 2> texts = {&result.out, &result.err};
    std::array<char, 65536> block;
    for (int open = 2; open > 0;) {
        if (Clock::now() > deadline) return true;
        if (poll(files.data(), files.size(), 500) < 0 && errno != EINTR) return true;
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (files[i].fd < 0 || files[i].revents == 0) continue;
            const ssize_t count = read(files[i].fd, block.data(), block.size());
            if (count > 0) {
                texts[i]->append(block.data(), static_cast<std::size_t>(count));
            } else {
                files[i].fd = -1;
                --open;
            }
        }
    }
    return false;
}

}  // namespace

CliResult runCli(const std::vector<std::string>& arguments, const CliOptions& options) {
    CliResult result;
    Pipe out;
    Pipe err;
    const auto begin = Clock::now();
    const pid_t pid = spawnCli(arguments, options, out, err);
    if (pid < 0) return result;
    out.closeEnd(1);
    err.closeEnd(1);
    if (options.running) options.running(pid);
    const bool tooLong = readAll(out, err, result, begin + longest);
    if (tooLong) kill(pid, SIGKILL);
    EXPECT_FALSE(tooLong) << "did not end: " << result.err;
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    if (WIFEXITED(status)) result.exitCode = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    result.duration = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    return result;
}

}  // namespace lanewright::test
