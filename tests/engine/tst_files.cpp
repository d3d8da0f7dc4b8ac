// SPDX-License-Identifier: GPL-3.0-or-later
// Files of people: saved whole or not at all, links and permissions kept, nothing opened that is no regular file.
#include "engine/files/cache_folder.h"
#include "engine/files/files.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

namespace lanewright {
namespace {

namespace fs = std::filesystem;

std::size_t entriesIn(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Files, SavesAndReads) {
    const test::TemporaryFolder folder;
    const fs::path file = folder.path() / "a/b/x.txt";
    ASSERT_TRUE(saveFile(file, "one").ok());
    ASSERT_TRUE(saveFile(file, std::string("tw\0o", 4)).ok());
    EXPECT_EQ(*readTextFile(file), std::string("tw\0o", 4));
    EXPECT_EQ(entriesIn(file.parent_path()), 1U) << "a temporary file is left";
    ASSERT_TRUE(saveFile(file, "").ok());
    EXPECT_EQ(*readTextFile(file), "");
}

TEST(Files, ReadsFilesOfAnySizeUpToTheLimit) {
    const test::TemporaryFolder folder;
    for (const std::size_t size : {std::size_t{65535}, std::size_t{65536}, std::size_t{65537}, std::size_t{200000}}) {
        const fs::path file = folder.write("x", std::string(size, 'x'));
        EXPECT_EQ(readTextFile(file)->size(), size);
        EXPECT_EQ(readTextFile(file, ByteCount(size))->size(), size);
        EXPECT_EQ(readTextFile(file, ByteCount(size - 1)).error().id, "file.tooLarge");
    }
    EXPECT_GT(readTextFile("/proc/self/status")->size(), 100U);
}

TEST(Files, AWayThatIsNoRegularFileIsNotRead) {
    const test::TemporaryFolder folder;
    const fs::path fifo = folder.path() / "fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_EQ(readTextFile(fifo).error().id, "file.notRegular");
    EXPECT_EQ(readTextFile(folder.path()).error().id, "file.notRegular");
    EXPECT_EQ(readTextFile("/dev/zero").error().id, "file.notRegular");
    EXPECT_EQ(readTextFile(folder.path() / "none").error().id, "file.missing");
    EXPECT_EQ(readTextFile(folder.write("plain", "") / "below").error().id, "file.missing");
    EXPECT_EQ(saveFile(fifo, "x").error().id, "file.unwritable");
    EXPECT_EQ(saveFile(folder.path(), "x").error().id, "file.unwritable");
    EXPECT_EQ(saveFile("/proc/no/such", "x").error().argument("path"), "/proc/no/such");
}

TEST(Files, ALinkStaysALinkAndAModeAMode) {
    const test::TemporaryFolder folder;
    const fs::path real = folder.write("there/real.lanes", "old");
    const fs::path link = folder.path() / "link.lanes";
    const fs::path second = folder.path() / "second.lanes";
    fs::create_symlink("there/real.lanes", link);
    fs::create_symlink("link.lanes", second);
    ASSERT_EQ(::chmod(real.c_str(), 0640), 0);
    ASSERT_TRUE(saveFile(second, "new").ok());
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_TRUE(fs::is_symlink(second));
    EXPECT_EQ(*readTextFile(real), "new");
    EXPECT_EQ(fs::status(real).permissions(), static_cast<fs::perms>(0640));
    const fs::path dangling = folder.path() / "dangling.lanes";
    fs::create_symlink("there/later.lanes", dangling);
    ASSERT_TRUE(saveFile(dangling, "x").ok());
    EXPECT_TRUE(fs::is_symlink(dangling));
    EXPECT_EQ(*readTextFile(folder.path() / "there/later.lanes"), "x");
    EXPECT_EQ(entriesIn(folder.path() / "there"), 2U);
}

TEST(Files, AFailedSaveLeavesTheOldFile) {
    if (::getuid() == 0) GTEST_SKIP() << "root may write everywhere";
    const test::TemporaryFolder folder;
    const fs::path file = folder.write("x", "old");
    ASSERT_EQ(::chmod(file.c_str(), 0400), 0);
    EXPECT_EQ(saveFile(file, "new").error().id, "file.unwritable");
    EXPECT_EQ(*readTextFile(file), "old");
    EXPECT_EQ(entriesIn(folder.path()), 1U);
}

TEST(Files, LongNamesCanBeSaved) {
    const test::TemporaryFolder folder;
    EXPECT_TRUE(saveFile(folder.path() / std::string(255, 'n'), "x").ok());
    EXPECT_EQ(saveFile(folder.path() / std::string(256, 'n'), "x").error().id, "file.unwritable");
}

TEST(Files, APiecewiseSaveIsWholeOrNotThere) {
    const test::TemporaryFolder folder;
    const fs::path file = folder.path() / "new/x.json";
    const auto make = [](const PieceWriter& write) {
        write("one ");
        write("two");
    };
    ASSERT_TRUE(saveFileInPieces(file, make).ok());
    EXPECT_EQ(*readTextFile(file), "one two");
    EXPECT_EQ(entriesIn(file.parent_path()), 1U);
    EXPECT_EQ(saveFileInPieces(folder.path(), make).error().id, "file.unwritable");
    EXPECT_TRUE(saveFileInPieces("/dev/null", make).ok());
    EXPECT_EQ(saveFileInPieces("/dev/full", make).error().id, "file.unwritable");
}

TEST(CacheFolder, FollowsTheEnvironment) {
    const test::Environment cache("XDG_CACHE_HOME", "/somewhere/cache");
    EXPECT_EQ(cacheFolder(), "/somewhere/cache/lanewright");
    const test::Environment home("HOME", "/home/me");
    for (const char* bad : {"", "relative/folder"}) {
        const test::Environment none("XDG_CACHE_HOME", bad);
        EXPECT_EQ(cacheFolder(), "/home/me/.cache/lanewright");
        const test::Environment homeless("HOME", bad);
        EXPECT_TRUE(cacheFolder().is_absolute());
    }
}

}  // namespace
}  // namespace lanewright
