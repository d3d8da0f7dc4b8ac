// SPDX-License-Identifier: GPL-3.0-or-later
// Project files: what is read and its defaults, faults with their places, unknown keys that stay, paths that move along.
#include "engine/files/files.h"
#include "engine/pipeline/edits.h"
#include "engine/project/project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_stages.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lanewright {
namespace {

namespace fs = std::filesystem;

const std::string header = R"("lanewright": {"format": "project", "version": 1})";

const std::string full = "{" + header + R"(,
  "input": {"paths": ["photos", "../more/x.jpg"], "synthetic": {"count": 24, "width": 40, "height": 30, "seed": 18446744073709551615}, "limit": 9},
  "pipeline": {
    "stages": [
      {"id": "in", "kind": "test_source"},
      {"id": "logo", "kind": "test_picture", "parameters": {"file": "logo.jpg"}},
      {"id": "add", "kind": "test_add", "parameters": {"value": 7}},
      {"id": "blend", "kind": "test_blend"},
      {"id": "slow", "kind": "test_slow", "parameters": {"milliseconds": 2.5}},
      {"id": "out", "kind": "test_sink", "parameters": {"format": "gray"}}
    ],
    "edges": [["in", "add"], ["add", "blend"], ["logo", "blend", "overlay"], ["blend", "slow"], ["slow", "out", 0]]
  },
  "placement": {"in": "cpu", "add": ["cpu", "opencl:0"], "blend": {"devices": ["cpu", "opencl:0"], "shares": [1, 2.5]}},
  "run": {"order": "planned", "workers": 3, "images_in_flight": 8, "batch": 4, "repeat": 5, "copies": "pinned", "host_memory_limit_bytes": 1000000000},
  "output": {"folder": "results/today", "name": "{name}-{stage}.{ext}"},
  "machine": "machines/big.machine.json"
})";

class ProjectTest : public testing::Test {
protected:
    Result<Project> parse(const std::string& text) const { return parseProject(text, m_file, m_catalog); }
    /// The error of a document whose members, besides the header, are given.
    Message errorOf(const std::string& members) const {
        const auto project = parse("{" + header + ", " + members + "}");
        return project ? Message{"none", {}} : project.error();
    }
    /// "id pointer expected" of each problem.
    std::string problems(const std::string& text) const {
        std::string all;
        for (const Problem& problem : projectProblems(text, m_file, m_catalog)) {
            all += problem.message.id + " " + std::string(problem.message.argument("pointer")) + "\n";
        }
        return all;
    }
    nlohmann::ordered_json written(const Project& project, const fs::path& file) const {
        return nlohmann::ordered_json::parse(projectText(project, file));
    }
    nlohmann::ordered_json written(const Project& project) const { return written(project, m_file); }

    fs::path m_file = "/home/me/work/p.lanes";
    Catalog m_catalog = test::makeTestCatalog();
};

TEST_F(ProjectTest, EverythingIsRead) {
    const auto project = parse(full);
    ASSERT_TRUE(project.ok()) << project.error().id << " " << project.error().argument("pointer");
    EXPECT_EQ(project->file, m_file);
    EXPECT_EQ(project->input.paths, (std::vector<fs::path>{"/home/me/work/photos", "/home/me/more/x.jpg"}));
    EXPECT_EQ(project->input.synthetic->count, 24);
    EXPECT_EQ(project->input.synthetic->width, 40);
    EXPECT_EQ(project->input.synthetic->seed, 18446744073709551615U);
    EXPECT_EQ(project->input.limit, 9U);
    ASSERT_EQ(project->pipeline.stages.size(), 6U);
    EXPECT_EQ(std::get<std::int64_t>(project->pipeline.stages[2].parameters.at(0)), 7);
    EXPECT_EQ(std::get<double>(project->pipeline.stages[4].parameters.at(0)), 2.5);
    EXPECT_EQ(std::get<std::string>(project->pipeline.stages[1].parameters.at(0)), "logo.jpg");
    ASSERT_EQ(project->pipeline.edges.size(), 5U);
    EXPECT_EQ(project->pipeline.edges[2], (Edge{StageIndex(1), 0, StageIndex(3), 1}));
    EXPECT_TRUE(check(project->pipeline).empty());
    ASSERT_EQ(project->placement.stages.size(), 6U);
    EXPECT_EQ(project->placement.stages[0], (StagePlacement{{"cpu"}, {}}));
    EXPECT_EQ(project->placement.stages[2], (StagePlacement{{"cpu", "opencl:0"}, {}}));
    EXPECT_EQ(project->placement.stages[3], (StagePlacement{{"cpu", "opencl:0"}, {1, 2.5}}));
    EXPECT_EQ(project->placement.stages[5], StagePlacement{});
    EXPECT_EQ(project->settings, (RunSettings{Order::planned, 3, 8, 4, 5, CopyKind::pinned, ByteCount(1000000000)}));
    EXPECT_EQ(project->output.folder, "/home/me/work/results/today");
    EXPECT_EQ(project->output.nameTemplate, "{name}-{stage}.{ext}");
    EXPECT_EQ(project->machineFile, "/home/me/work/machines/big.machine.json");
}

TEST_F(ProjectTest, WhatIsMissingTakesItsDefault) {
    const auto project = parse("{" + header + R"(, "input": {"synthetic": {"count": 2}},
        "pipeline": {"stages": [{"kind": "test_source"}, {"kind": "test_add"}, {"id": "w", "kind": "test_sink"}]}})");
    ASSERT_TRUE(project.ok());
    EXPECT_EQ(project->input.synthetic->width, 4000);
    EXPECT_EQ(project->input.synthetic->seed, 1U);
    EXPECT_FALSE(project->input.limit);
    EXPECT_EQ(project->pipeline.stages[1].id, "test_add");
    EXPECT_EQ(std::get<std::int64_t>(project->pipeline.stages[1].parameters.at(0)), 1);
    ASSERT_EQ(project->pipeline.edges.size(), 2U) << "stages without edges make a chain";
    EXPECT_EQ(project->pipeline.edges[1], (Edge{StageIndex(1), 0, StageIndex(2), 0}));
    EXPECT_EQ(project->settings, RunSettings{});
    EXPECT_EQ(project->output.folder, "/home/me/work/out");
    EXPECT_EQ(project->output.nameTemplate, "{name}.{ext}");
    EXPECT_TRUE(project->machineFile.empty());
    EXPECT_TRUE(parse("{" + header + "}").ok());
    EXPECT_TRUE(parse("\xef\xbb\xbf{" + header + "}\r\n").ok()) << "with a byte order mark";
}

TEST_F(ProjectTest, AnUnfinishedPipelineCanBeOpened) {
    const auto project = parse("{" + header + R"(, "pipeline": {"stages": [{"kind": "test_add"}], "edges": []}})");
    ASSERT_TRUE(project.ok());
    EXPECT_FALSE(check(project->pipeline).empty());
}

TEST_F(ProjectTest, SyntaxErrorsHaveLineAndColumn) {
    struct Case {
        std::string text;
        const char* line;
        const char* column;
    };
    for (const Case& one :
         {Case{"", "1", "1"}, Case{"{\n  \"a\": 1,\n  \"\xc3\xa4\": x\n}", "3", "8"}, Case{"{\"a\": 1,}", "1", "9"},
          Case{"{\"a\": 1} x", "1", "10"}, Case{"{\"a\": 1e999}", "1", "11"},
          Case{std::string("{\n \"a\"\0: 1}", 11), "2", "5"}, Case{"{\"a\": \"\xff\"}", "1", "8"},
          Case{"{\"a\": 'b'}", "1", "7"}, Case{"{\"a\": \"b\nc\"}", "1", "9"}, Case{"\xff\xfe{", "1", "1"}}) {
        const auto project = parse(one.text);
        ASSERT_FALSE(project.ok()) << one.text;
        EXPECT_EQ(project.error().id, "project.syntax") << one.text;
        EXPECT_EQ(project.error().argument("line"), one.line) << one.text << project.error().argument("detail");
        EXPECT_EQ(project.error().argument("column"), one.column) << one.text << project.error().argument("detail");
        EXPECT_EQ(project.error().argument("detail").find("json.exception"), std::string::npos);
        EXPECT_EQ(project.error().argument("file"), m_file.string());
    }
}

TEST_F(ProjectTest, ValueErrorsHaveAPointer) {
    struct Case {
        const char* members;
        const char* pointer;
    };
    const Case cases[] = {
        {R"("input": [])", "/input"},
        {R"("input": {"paths": "x"})", "/input/paths"},
        {R"("input": {"paths": ["x", 3]})", "/input/paths/1"},
        {R"("input": {"paths": [""]})", "/input/paths/0"},
        {R"("input": {"synthetic": {}})", "/input/synthetic/count"},
        {R"("input": {"synthetic": {"count": -1}})", "/input/synthetic/count"},
        {R"("input": {"synthetic": {"count": 1.5}})", "/input/synthetic/count"},
        {R"("input": {"synthetic": {"count": 1, "width": 70000}})", "/input/synthetic/width"},
        {R"("input": {"synthetic": {"count": 1, "seed": -3}})", "/input/synthetic/seed"},
        {R"("input": {"limit": 0})", "/input/limit"},
        {R"("pipeline": {"stages": {}})", "/pipeline/stages"},
        {R"("pipeline": {"stages": [3]})", "/pipeline/stages/0"},
        {R"("pipeline": {"stages": [{"id": "a"}]})", "/pipeline/stages/0/kind"},
        {R"("pipeline": {"stages": [{"id": 1, "kind": "test_add"}]})", "/pipeline/stages/0/id"},
        {R"("pipeline": {"stages": [{"kind": "test_add"}, {"kind": "test_add"}]})", "/pipeline/stages/1"},
        {R"("pipeline": {"stages": [{"kind": "test_add", "parameters": {"value": 256}}]})",
         "/pipeline/stages/0/parameters/value"},
        {R"("pipeline": {"stages": [{"kind": "test_add", "parameters": {"value": "x"}}]})",
         "/pipeline/stages/0/parameters/value"},
        {R"("pipeline": {"stages": [{"kind": "test_add", "parameters": {"value": null}}]})",
         "/pipeline/stages/0/parameters/value"},
        {R"("pipeline": {"stages": [{"kind": "test_sink", "parameters": {"format": "webp"}}]})",
         "/pipeline/stages/0/parameters/format"},
        {R"("pipeline": {"edges": [["a"]]})", "/pipeline/edges/0"},
        {R"("pipeline": {"edges": ["a"]})", "/pipeline/edges/0"},
        {R"("pipeline": {"stages": [{"id": "a", "kind": "test_add"}], "edges": [["a", "b"]]})", "/pipeline/edges/0/1"},
        {R"("pipeline": {"stages": [{"id": "a", "kind": "test_add"}, {"id": "b", "kind": "test_add"}],
             "edges": [["a", "b", 1]]})",
         "/pipeline/edges/0/2"},
        {R"("pipeline": {"stages": [{"id": "a", "kind": "test_add"}, {"id": "b", "kind": "test_add"}],
             "edges": [["a", "b", "image", "x"]]})",
         "/pipeline/edges/0/3"},
        {R"("placement": {"a/b~": "cpu"})", "/placement/a~1b~0"},
        {R"("pipeline": {"stages": [{"id": "a", "kind": "test_add"}]}, "placement": {"a": 1})", "/placement/a"},
        {R"("pipeline": {"stages": [{"id": "a", "kind": "test_add"}]}, "placement": {"a": ["cpu", "cpu"]})",
         "/placement/a/1"},
        {R"("pipeline": {"stages": [{"id": "a", "kind": "test_add"}]}, "placement": {"a": {"shares": [1]}})",
         "/placement/a/devices"},
        {R"("pipeline": {"stages": [{"id": "a", "kind": "test_add"}]},
             "placement": {"a": {"devices": ["cpu"], "shares": [0]}})",
         "/placement/a/shares/0"},
        {R"("pipeline": {"stages": [{"id": "a", "kind": "test_add"}]},
             "placement": {"a": {"devices": ["cpu"], "shares": [1, 1]}})",
         "/placement/a/shares"},
        {R"("run": {"order": "random"})", "/run/order"},
        {R"("run": {"copies": "peer"})", "/run/copies"},
        {R"("run": {"batch": 0})", "/run/batch"},
        {R"("run": {"workers": 5000})", "/run/workers"},
        {R"("run": {"repeat": true})", "/run/repeat"},
        {R"("run": {"host_memory_limit_bytes": -1})", "/run/host_memory_limit_bytes"},
        {R"("output": {"folder": ""})", "/output/folder"},
        {R"("output": {"name": 1})", "/output/name"},
        {R"("machine": 1)", "/machine"},
        {R"("run": {"a": {"b": [0, {"c": 1, "c": 2}]}})", "/run/a/b/1/c"},
    };
    for (const Case& one : cases) {
        const Message error = errorOf(one.members);
        EXPECT_EQ(error.id, "project.value") << one.members;
        EXPECT_EQ(error.argument("pointer"), one.pointer) << one.members;
    }
    EXPECT_EQ(
        errorOf(R"("pipeline": {"stages": [{"kind": "test_add", "parameters": {"value": 256}}]})").argument("expected"),
        "a whole number from 0 to 255");
}

TEST_F(ProjectTest, OtherFilesAreTold) {
    for (const char* text :
         {"[]", "3", "{}", R"({"lanewright": 1})", R"({"lanewright": {"version": 1}})",
          R"({"lanewright": {"format": "project"}})", R"({"lanewright": {"format": "machine", "version": 1}})",
          R"({"lanewright": {"format": "project", "version": 0}})",
          R"({"lanewright": {"format": "project", "version": "1"}})"}) {
        const auto project = parse(text);
        ASSERT_FALSE(project.ok()) << text;
        EXPECT_EQ(project.error().id, "project.value") << text;
    }
    const auto newer = parse(R"({"lanewright": {"format": "project", "version": 2}, "pipeline": "other"})");
    ASSERT_FALSE(newer.ok());
    EXPECT_EQ(newer.error().id, "project.version");
    EXPECT_EQ(newer.error().argument("version"), "2");
    const Message unknown =
        errorOf(R"("pipeline": {"stages": [{"kind": "sharpen"}], "edges": [["sharpen", "sharpen"]]})");
    EXPECT_EQ(unknown.id, "project.unknownStage");
    EXPECT_NE(unknown.argument("kinds").find("test_add"), std::string::npos);
}

TEST_F(ProjectTest, HugeNestingAndManyKeysAreRefused) {
    for (const std::string open : {"[", "{\"a\":"}) {
        std::string text = "{" + header + ", \"x\": ";
        for (int i = 0; i < 200000; ++i) text += open;
        const auto project = parse(text);
        ASSERT_FALSE(project.ok());
        EXPECT_EQ(project.error().id, "project.value");
        EXPECT_LT(project.error().argument("pointer").size(), 1000U);
    }
    std::string text = "{" + header;
    for (int i = 0; i < 20000; ++i) text += ", \"k" + std::to_string(i) + "\": 0";
    EXPECT_EQ(parse(text + "}").error().id, "project.value");
}

TEST_F(ProjectTest, EveryProblemIsListed) {
    EXPECT_EQ(
        problems("{" + header + R"(, "input": {"paths": [1, 2]}, "run": {"batch": 0},
                       "pipeline": {"stages": [{"kind": "nope"}], "edges": [["nope", "x"]]}})"),
        "project.value /input/paths/0\nproject.value /input/paths/1\nproject.unknownStage /pipeline/stages/0/kind\n"
        "project.value /pipeline/edges/0/1\nproject.value /run/batch\n");
    EXPECT_EQ(problems("{" + header + R"(, "output": {"name": "../x", "dir": 1}, "pipeline": {"stages": [
                       {"kind": "test_source"}, {"kind": "test_add", "parameters": {"valu": 1}}]}})"),
              "pipeline.noSink \npipeline.unusedOutput \noutput.template \n"
              "project.unknownKey /pipeline/stages/1/parameters/valu\nproject.unknownKey /output/dir\n");
    EXPECT_EQ(problems(full), "");
}

TEST_F(ProjectTest, WritingAndReadingGiveTheSame) {
    const auto project = parse(full);
    ASSERT_TRUE(project.ok());
    const std::string text = projectText(*project, m_file);
    const auto again = parse(text);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->input.paths, project->input.paths);
    EXPECT_EQ(again->input.synthetic->seed, project->input.synthetic->seed);
    EXPECT_EQ(again->input.limit, project->input.limit);
    EXPECT_EQ(again->pipeline.edges, project->pipeline.edges);
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(again->pipeline.stages[i].id, project->pipeline.stages[i].id);
        EXPECT_EQ(again->pipeline.stages[i].kind, project->pipeline.stages[i].kind);
        EXPECT_EQ(again->pipeline.stages[i].parameters, project->pipeline.stages[i].parameters);
        EXPECT_EQ(again->placement.stages[i], project->placement.stages[i]);
    }
    EXPECT_EQ(again->settings, project->settings);
    EXPECT_EQ(again->output.folder, project->output.folder);
    EXPECT_EQ(again->machineFile, project->machineFile);
    EXPECT_EQ(projectText(*again, m_file), text) << "a second round changes nothing";
    EXPECT_EQ(text.find("/home"), std::string::npos) << "an absolute path";
}

TEST_F(ProjectTest, UnknownKeysStayWhereTheyAre) {
    const auto project = parse("{" + header + R"(, "note": {"deep": [1, {"x": null}]},
        "pipeline": {"colour": "red", "stages": [{"id": "a", "kind": "test_source", "x": 1},
            {"id": "b", "kind": "test_add", "y": [2], "parameters": {"value": 3, "future": true}},
            {"id": "c", "kind": "test_sink"}]},
        "placement": {"b": {"devices": ["cpu"], "why": "fast"}},
        "run": {"z": 1}, "output": {"folder": "o", "w": 2}, "input": {"paths": ["p"], "v": 3}})");
    ASSERT_TRUE(project.ok());
    Project edited = *project;
    edited.pipeline =
        *removeStage(*setParameter(edited.pipeline, StageIndex(1), "value", std::int64_t{9}), StageIndex(0));
    edited.placement.stages.erase(edited.placement.stages.begin());
    edited.placement.stages[0].devices = {"opencl:0"};
    edited.settings.batch = 2;
    const auto json = written(edited);
    EXPECT_EQ(json["note"]["deep"][1]["x"], nullptr);
    EXPECT_EQ(json["pipeline"]["colour"], "red");
    ASSERT_EQ(json["pipeline"]["stages"].size(), 2U);
    EXPECT_EQ(json["pipeline"]["stages"][0]["y"][0], 2);
    EXPECT_EQ(json["pipeline"]["stages"][0]["parameters"]["future"], true);
    EXPECT_EQ(json["pipeline"]["stages"][0]["parameters"]["value"], 9);
    EXPECT_EQ(json["placement"]["b"]["why"], "fast");
    EXPECT_EQ(json["placement"]["b"]["devices"][0], "opencl:0");
    EXPECT_EQ(json["run"]["z"], 1);
    EXPECT_EQ(json["run"]["batch"], 2);
    EXPECT_FALSE(json["run"].contains("workers")) << "defaults are not written";
    EXPECT_EQ(json["output"]["w"], 2);
    EXPECT_EQ(json["input"]["v"], 3);
    EXPECT_EQ(json.items().begin().key(), "lanewright");
}

TEST_F(ProjectTest, PathsFollowTheFile) {
    Project project = *parse(full);
    const auto moved = written(project, "/home/me/elsewhere/deep/q.lanes");
    EXPECT_EQ(moved["input"]["paths"][0], "../../work/photos");
    EXPECT_EQ(moved["output"]["folder"], "../../work/results/today");
    EXPECT_EQ(moved["machine"], "../../work/machines/big.machine.json");
    EXPECT_EQ(moved["pipeline"]["stages"][1]["parameters"]["file"], "../../work/logo.jpg");
    project.input.paths = {"/home/me/work"};
    project.pipeline.stages[1].parameters.set(0, std::string("/home/me/work/l/x.jpg"));
    EXPECT_EQ(written(project)["input"]["paths"][0], ".");
    EXPECT_EQ(written(project)["pipeline"]["stages"][1]["parameters"]["file"], "l/x.jpg");
    EXPECT_EQ(parse(projectText(project, m_file))->input.paths[0], "/home/me/work");
}

TEST_F(ProjectTest, SavesThroughALinkAndReadsBack) {
    const test::TemporaryFolder folder;
    const fs::path real = folder.write("real/p.lanes", full);
    const fs::path link = folder.path() / "p.lanes";
    fs::create_symlink("real/p.lanes", link);
    auto project = readProject(link, m_catalog);
    ASSERT_TRUE(project.ok());
    EXPECT_EQ(project->input.paths[0], folder.path() / "photos");
    project->settings.repeat = 77;
    ASSERT_TRUE(writeProject(*project, link).ok());
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(readProject(real, m_catalog)->settings.repeat, 77);
    EXPECT_EQ(readProject(folder.path() / "none.lanes", m_catalog).error().id, "file.missing");
    project->input.paths = {"/tmp/\xff"};
    EXPECT_EQ(writeProject(*project, link).error().id, "project.pathNotUtf8");
}

TEST_F(ProjectTest, TheTextIsForPeople) {
    const std::string text = projectText(*parse(full), m_file);
    EXPECT_NE(text.find("    \"edges\": [\n      [\"in\", \"add\"],\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  \"output\": {\"folder\": \"results/today\", \"name\": \"{name}-{stage}.{ext}\"}"),
              std::string::npos)
        << text;
    EXPECT_TRUE(text.ends_with("}\n"));
}

TEST_F(ProjectTest, ANewProjectCanBeWritten) {
    Project project;
    project.pipeline = *addStage({}, *m_catalog.find("test_source"));
    project.output.folder = "/home/me/work/out";
    const auto again = parse(projectText(project, m_file));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->pipeline.stages.size(), 1U);
}

}  // namespace
}  // namespace lanewright
