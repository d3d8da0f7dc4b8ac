// SPDX-License-Identifier: GPL-3.0-or-later
// Every exporter against its golden file, and what all of them promise: whole files or none, safe names, the C locale.
// LANEWRIGHT_UPDATE_GOLDEN=1 writes the golden files anew; look at the difference before committing it.
#include "engine/files/files.h"
#include "engine/report/exporter.h"
#include "tests/support/run_fixture.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <set>

namespace lanewright {
namespace {

namespace fs = std::filesystem;

/// Three images, one of which failed; names that need care in each format.
lanewright::Run goldenRun() {
    auto run = test::makeRun({.images = 3, .repeats = 2});
    run.images[1].name = "ring/=1+1,\"<b>&.jpg";
    run.images[1].outcome = ImageOutcome::failed;
    run.images[1].messages = {{"image.truncated", {}}};
    run.images[1].outputs.clear();
    return run;
}

std::string goldenName(const Exporter& exporter) { return "thumbnails." + std::string(exporter.extension); }

TEST(Exporters, HaveNamesOfTheirOwn) {
    std::set<std::string_view> ids;
    std::set<std::string_view> options;
    std::set<std::string_view> extensions;
    for (const Exporter& exporter : exporters()) {
        EXPECT_TRUE(ids.insert(exporter.id).second);
        EXPECT_TRUE(options.insert(exporter.option).second);
        EXPECT_TRUE(extensions.insert(exporter.extension).second);
        EXPECT_TRUE(exporter.option.starts_with("--"));
        EXPECT_FALSE(exporter.label.empty());
        EXPECT_FALSE(exporter.help.empty());
        EXPECT_EQ(findExporter(exporter.id), &exporter);
    }
    EXPECT_EQ(findExporter("nothing"), nullptr);
}

TEST(Exporters, MatchTheirGoldenFiles) {
    const fs::path golden = fs::path(LANEWRIGHT_SOURCE_DIR) / "tests/golden";
    const test::TemporaryFolder folder;
    const bool update = std::getenv("LANEWRIGHT_UPDATE_GOLDEN") != nullptr;
    for (const Exporter& exporter : exporters())
        ASSERT_TRUE(exporter.write(goldenRun(), folder.path() / goldenName(exporter), {}).ok()) << exporter.id;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        const fs::path expected = golden / entry.path().filename();
        if (update) fs::copy_file(entry.path(), expected, fs::copy_options::overwrite_existing);
        ASSERT_TRUE(fs::exists(expected)) << expected;
        const std::string found = *readTextFile(entry.path());
        if (found == *readTextFile(expected)) continue;
        const fs::path kept = fs::temp_directory_path() / entry.path().filename();
        fs::copy_file(entry.path(), kept, fs::copy_options::overwrite_existing);
        ADD_FAILURE() << kept << " differs from " << expected;
    }
}

TEST(Exporters, DoNotDependOnTheLocale) {
    const test::TemporaryFolder folder;
    const auto run = goldenRun();
    const char* const german = std::setlocale(LC_ALL, "de_DE.UTF-8");
    if (!german) std::setlocale(LC_ALL, "C.UTF-8");
    for (const Exporter& exporter : exporters()) {
        const fs::path file = folder.path() / goldenName(exporter);
        ASSERT_TRUE(exporter.write(run, file, {}).ok());
        EXPECT_EQ(*readTextFile(file),
                  *readTextFile(fs::path(LANEWRIGHT_SOURCE_DIR) / "tests/golden" / file.filename()));
    }
    std::setlocale(LC_ALL, "C");
}

TEST(Exporters, SayWhyAFileCannotBeWritten) {
    const test::TemporaryFolder folder;
    const fs::path blocked = folder.write("file", "x") / "below";
    for (const Exporter& exporter : exporters()) {
        const Status status = exporter.write(goldenRun(), blocked, {});
        ASSERT_FALSE(status.ok()) << exporter.id;
        EXPECT_EQ(status.error().id, "file.unwritable");
    }
}

TEST(Exporters, TakeARunOfNothing) {
    const test::TemporaryFolder folder;
    const lanewright::Run nothing;
    for (const Exporter& exporter : exporters())
        EXPECT_TRUE(exporter.write(nothing, folder.path() / goldenName(exporter), {}).ok()) << exporter.id;
}

TEST(Exporters, TakeAPredictionOnly) {
    const test::TemporaryFolder folder;
    const auto run = test::makeRun({.images = 5, .measured = false});
    for (const Exporter& exporter : exporters()) {
        const fs::path file = folder.path() / goldenName(exporter);
        ASSERT_TRUE(exporter.write(run, file, {}).ok()) << exporter.id;
        EXPECT_NE(readTextFile(file)->find("predicted"), std::string::npos) << exporter.id;
    }
}

}  // namespace
}  // namespace lanewright
