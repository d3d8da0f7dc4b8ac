// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"

#include "engine/text/text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace lanewright::cli {
namespace {

bool isTerminal(int file) {
    const char* type = std::getenv("TERM");
    return isatty(file) == 1 && type && std::string_view(type) != "dumb";
}

void write(std::FILE* file, std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); }

}  // namespace

void tellError(const Message& message) { tellError(textOf(message)); }

void tellError(std::string_view sentence) { tell("lanewright-cli: " + std::string(sentence)); }

void tell(std::string_view line) {
    // One call, so that lines of several processes on one terminal stay whole.
    write(stderr, std::string(line) + '\n');
}

void tellInPlace(std::string_view line) { write(stderr, "\r\x1b[K" + std::string(line)); }

void print(std::string_view text) { write(stdout, text); }

Status flushOutput() {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
    return Message{"cli.stdout", {}};
}

bool stdoutIsTerminal() { return isTerminal(STDOUT_FILENO); }
bool stderrIsTerminal() { return isTerminal(STDERR_FILENO); }

int terminalWidth() {
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

}  // namespace lanewright::cli
