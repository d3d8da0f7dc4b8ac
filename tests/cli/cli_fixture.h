// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of the command line share: a folder of their own, pictures made by code, and projects.
#pragma once

#include "engine/project/project.h"
#include "engine/run/run.h"
#include "tests/cli/cli_runner.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright::test {

namespace fs = std::filesystem;

/// The catalog of the program.
const Catalog& cliCatalog();

/// Files of a pattern that depends on `seed`; JPEG or PNG by the extension of `file`.
void writePicture(const fs::path& file, std::int32_t width = 96, std::int32_t height = 64, std::uint32_t seed = 1);
void writeText(const fs::path& file, std::string_view text);
std::string readText(const fs::path& file);

/// `part` is somewhere in `text`.
::testing::AssertionResult contains(const std::string& text, std::string_view part);
/// Lines of `text`, without their ends.
std::vector<std::string> linesOf(const std::string& text);
/// The lines of standard error that are not progress (which a busy machine has more of).
std::vector<std::string> errorsOf(const CliResult& result);
/// Relative paths of the regular files below `folder`, sorted, hidden ones too.
std::vector<std::string> filesBelow(const fs::path& folder);

/// The run that the program kept.
lanewright::Run readBack(const fs::path& file);

struct ChainOptions {
    std::vector<std::int32_t> sizes = {32};  ///< one branch each: resize (longer side) and encode
    double blur = 0;                         ///< 0: no blur stage
    std::string device = "cpu";              ///< of resize and blur
};

class CliTest : public ::testing::Test {
protected:
    CliTest();
    ~CliTest() override;

    /// A folder that is removed after the test.
    const fs::path& folder() const { return m_folder; }
    fs::path in() const { return m_folder / "in"; }
    fs::path out() const { return m_folder / "out"; }

    /// p000.jpg, p001.jpg, ... in in().
    void writePictures(std::size_t count, std::int32_t width = 96, std::int32_t height = 64) const;
    /// `chain.lanes` in folder(): decode -> resize [-> blur] -> encode of in() to out(). Stages of one branch are decode,
    /// resize, blur, encode; of several resize_32, encode_32 and so on.
    fs::path writeChain(const ChainOptions& options = {}) const;
    /// In folder(), with a cache of its own.
    CliResult cli(const std::vector<std::string>& arguments, CliOptions options = {}) const;

private:
    fs::path m_folder;
};

/// Skips the test, with the reason, where there is no opencl:0.
#define LANEWRIGHT_NEEDS_OPENCL()                                                                                      \
    do {                                                                                                               \
        const std::string reason = ::lanewright::test::absenceOf("opencl:0");                                          \
        if (!reason.empty()) GTEST_SKIP() << reason;                                                                   \
    } while (false)

/// Why a device cannot be used here; empty when it can.
std::string absenceOf(std::string_view device);

}  // namespace lanewright::test
