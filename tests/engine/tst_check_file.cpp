// SPDX-License-Identifier: GPL-3.0-or-later
// Files are known by their content, and their problems come with places.
#include "engine/files/files.h"
#include "engine/machine/machine_file.h"
#include "engine/report/check_file.h"
#include "engine/report/exporter.h"
#include "engine/text/text.h"
#include "engine/trace/run_file.h"
#include "tests/support/run_fixture.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_stages.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lanewright {
namespace {

namespace fs = std::filesystem;

const std::string project = R"({
  "lanewright": {"format": "project", "version": 1},
  "pipeline": {
    "stages": [
      {"id": "in", "kind": "test_source"},
      {"id": "add", "kind": "test_add", "parameters": {"value": 3}},
      {"id": "out", "kind": "test_sink"}
    ]
  }
})";

class CheckFile : public testing::Test {
protected:
    FileCheck check(const std::string& name, const std::string& text) {
        return checkFile(m_folder.write(name, text), m_catalog);
    }
    static bool has(const FileCheck& result, const std::string& id, const std::string& place) {
        return std::any_of(result.problems.begin(), result.problems.end(),
                           [&](const FileProblem& p) { return p.what.id == id && placeText(p) == place; });
    }
    static std::string listed(const FileCheck& result) {
        std::string list;
        for (const FileProblem& p : result.problems)
            list += placeText(p) + " " + p.what.id + " " + textOf(p.what) + "\n";
        return list;
    }

    test::TemporaryFolder m_folder;
    Catalog m_catalog = test::makeTestCatalog();
};

TEST_F(CheckFile, KnowsSoundFilesWhateverTheirName) {
    const auto run = test::makeRun({.images = 2, .repeats = 1});
    ASSERT_TRUE(writeRun(run, m_folder.path() / "a.txt").ok());
    ASSERT_TRUE(findExporter("trace")->write(run, m_folder.path() / "b.txt", {}).ok());
    ASSERT_TRUE(writeMachine(*run.machine, m_folder.path() / "c.txt").ok());
    m_folder.write("d.txt", project);
    const std::vector<std::pair<std::string, FileKind>> files = {{"a.txt", FileKind::run},
                                                                 {"b.txt", FileKind::chromeTrace},
                                                                 {"c.txt", FileKind::machine},
                                                                 {"d.txt", FileKind::project}};
    for (const auto& [name, kind] : files) {
        const FileCheck result = checkFile(m_folder.path() / name, m_catalog);
        EXPECT_EQ(result.kind, kind) << name;
        EXPECT_EQ(listed(result), "") << name;
    }
}

TEST_F(CheckFile, PlacesOfAProject) {
    std::string text = project;
    text.replace(text.find("\"value\": 3"), 10, "\"value\": 3,,");
    FileCheck result = check("x.json", text);
    EXPECT_EQ(result.kind, FileKind::project);
    ASSERT_EQ(result.problems.size(), 1U) << listed(result);
    EXPECT_EQ(result.problems[0].line, 6U);
    text = project;
    text.replace(text.find("test_add"), 8, "test_odd");
    text.replace(text.find("\"out\""), 5, "7");
    result = check("x.json", text);
    EXPECT_GE(result.problems.size(), 2U) << "all of them, not the first";
    EXPECT_TRUE(std::any_of(result.problems.begin(), result.problems.end(), [](const FileProblem& p) {
        return p.pointer.starts_with("/pipeline/stages/1");
    })) << listed(result);
}

TEST_F(CheckFile, PlacesOfATrace) {
    const auto run = test::makeRun({.images = 1, .repeats = 1});
    ASSERT_TRUE(findExporter("trace")->write(run, m_folder.path() / "t", {}).ok());
    std::string text = *readTextFile(m_folder.path() / "t");
    text.replace(text.find("\"cat\":\"copy\""), 12, "\"cat\":\"cody\"");
    const FileCheck result = check("Trace-20250131T123456.json", text);
    EXPECT_EQ(result.kind, FileKind::chromeTrace);
    ASSERT_EQ(result.problems.size(), 2U) << listed(result);
    EXPECT_EQ(result.problems[0].what.id, "trace.fileName");
    EXPECT_TRUE(result.problems[0].isWarning);
    EXPECT_EQ(result.problems[1].what.id, "trace.category");
    EXPECT_EQ(result.problems[1].column, 1U);
    EXPECT_FALSE(check("Trace-2025.json", text).problems[0].isWarning);
    EXPECT_EQ(check("x.chrome.json", text).problems.size(), 2U);
    EXPECT_EQ(check("x.json", "[{}]").kind, FileKind::chromeTrace);
}

TEST_F(CheckFile, PlacesOfARun) {
    ASSERT_TRUE(writeRun(test::makeRun({.images = 1, .repeats = 1}), m_folder.path() / "r").ok());
    std::string text = *readTextFile(m_folder.path() / "r");
    FileCheck result = check("cut", text.substr(0, text.size() / 2));
    EXPECT_EQ(result.kind, FileKind::run);
    ASSERT_EQ(result.problems.size(), 1U);
    EXPECT_EQ(result.problems[0].what.id, "run.damaged");
    EXPECT_TRUE(placeText(result.problems[0]).starts_with("byte "));
    text[text.size() / 3] ^= 1;
    EXPECT_TRUE(placeText(check("flipped", text).problems.at(0)).starts_with("byte "));
    EXPECT_TRUE(has(check("lost.lwrun", "nothing"), "run.notARun", ""));
}

TEST_F(CheckFile, FilesThatLostTheirBeginningAreKnownByName) {
    EXPECT_EQ(check("a.lanes", "{").kind, FileKind::project);
    EXPECT_EQ(check("a.machine.json", "{").kind, FileKind::machine);
    EXPECT_EQ(check("a.trace.json", "{").kind, FileKind::chromeTrace);
    EXPECT_EQ(check("a.trace.json", "{").problems.at(0).what.id, "trace.syntax");
}

TEST_F(CheckFile, OtherFiles) {
    EXPECT_TRUE(has(check("x", "hello"), "check.unknownFile", ""));
    EXPECT_TRUE(has(check("x", ""), "check.unknownFile", ""));
    EXPECT_TRUE(has(check("x", R"({"lanewright": {"format": "summary"}})"), "check.unknownFile", ""));
    EXPECT_TRUE(has(checkFile(m_folder.path() / "none", m_catalog), "file.missing", ""));
    EXPECT_TRUE(has(checkFile(m_folder.path(), m_catalog), "file.notRegular", ""));
}

}  // namespace
}  // namespace lanewright
