// SPDX-License-Identifier: GPL-3.0-or-later
// Pipelines: look-ups and order, edits from value to value, and every check with the pipeline that trips it.
#include "engine/pipeline/checks.h"
#include "engine/pipeline/edits.h"
#include "tests/support/test_stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace lanewright {
namespace {

/// "source>add source>add.1": ids are those of the stages; ".1" is an input port.
std::string edgesText(const Pipeline& pipeline) {
    std::string text;
    for (const Edge& edge : pipeline.edges) {
        text += (text.empty() ? "" : " ") + pipeline.stage(edge.from).id + ">" + pipeline.stage(edge.to).id;
        if (edge.toPort > 0) text += "." + std::to_string(edge.toPort);
    }
    return text;
}

std::string idsText(const Pipeline& pipeline, const std::vector<StageIndex>& stages) {
    std::string text;
    for (const StageIndex stage : stages) text += (text.empty() ? "" : " ") + pipeline.stage(stage).id;
    return text;
}

/// "id:severity:message" of each problem, one a line.
std::string problemsText(const Pipeline& pipeline) {
    std::string text;
    for (const Problem& problem : check(pipeline)) {
        text += (problem.stage.valid() ? pipeline.stage(problem.stage).id : "*") +
                (problem.severity == Severity::error ? " error " : " warning ") + problem.message.id + "\n";
    }
    return text;
}

class PipelineTest : public testing::Test {
protected:
    const StageKind& kind(std::string_view name) const { return *m_catalog.find("test_" + std::string(name)); }

    /// Stages "id:kind" (or "kind", which is then the id too) and edges "from>to" or "from>to.port".
    Pipeline make(const std::string& stages, const std::string& edges) const {
        Pipeline pipeline;
        std::istringstream stageWords(stages);
        for (std::string word; stageWords >> word;) {
            const std::size_t colon = word.find(':');
            const StageKind& of = kind(colon == std::string::npos ? word : word.substr(colon + 1));
            pipeline.stages.push_back({word.substr(0, colon), &of, Parameters(of.description().parameters)});
        }
        std::istringstream edgeWords(edges);
        for (std::string word; edgeWords >> word;) {
            const std::size_t arrow = word.find('>');
            const std::size_t dot = word.find('.');
            const std::uint32_t port =
                dot == std::string::npos ? 0 : static_cast<std::uint32_t>(std::stoul(word.substr(dot + 1)));
            pipeline.edges.push_back({*pipeline.find(word.substr(0, arrow)), 0,
                                      *pipeline.find(word.substr(arrow + 1, dot - arrow - 1)), port});
        }
        return pipeline;
    }

    Pipeline chain() const { return make("source add sink", "source>add add>sink"); }
    static StageIndex at(const Pipeline& pipeline, std::string_view id) { return *pipeline.find(id); }

    Catalog m_catalog = test::makeTestCatalog();
};

TEST_F(PipelineTest, OrderIsTopologicalAndOtherwiseThatOfTheList) {
    const Pipeline pipeline = make("sink blend b:add a:add source", "source>a source>b a>blend b>blend.1 blend>sink");
    EXPECT_EQ(idsText(pipeline, pipeline.topologicalOrder()), "source b a blend sink");
    EXPECT_EQ(idsText(chain(), chain().topologicalOrder()), "source add sink");
    const Pipeline cyclic = make("source a:blend b:add sink", "source>a b>a.1 a>b b>sink");
    EXPECT_EQ(idsText(cyclic, cyclic.topologicalOrder()), "source");
    EXPECT_TRUE(Pipeline{}.topologicalOrder().empty());
}

TEST_F(PipelineTest, FindsStagesAndEdges) {
    const Pipeline pipeline = chain();
    EXPECT_EQ(pipeline.find("add"), StageIndex(1));
    EXPECT_FALSE(pipeline.find("blur"));
    EXPECT_EQ(pipeline.edgeInto(StageIndex(2), 0)->from, StageIndex(1));
    EXPECT_FALSE(pipeline.edgeInto(StageIndex(2), 1));
    EXPECT_FALSE(pipeline.edgeInto(StageIndex(0), 0));
}

TEST_F(PipelineTest, AddingGivesFreshIdsAndDefaults) {
    Pipeline pipeline;
    for (int i = 0; i < 3; ++i) pipeline = *addStage(pipeline, kind("add"));
    EXPECT_EQ(pipeline.stages[0].id, "test_add");
    EXPECT_EQ(pipeline.stages[1].id, "test_add_2");
    EXPECT_EQ(pipeline.stages[2].id, "test_add_3");
    EXPECT_EQ(std::get<std::int64_t>(pipeline.stages[2].parameters.at(0)), 1);
    EXPECT_EQ(addStage(pipeline, kind("add"), "test_add").error().id, "pipeline.duplicateId");
    EXPECT_EQ(addStage(pipeline, kind("add"), "a.b").error().id, "pipeline.stageId");
    EXPECT_EQ(addStage(pipeline, kind("add"), "thumb")->stages.back().id, "thumb");
}

TEST_F(PipelineTest, FreshIdsAreLegalWhateverIsWanted) {
    const Pipeline pipeline = make("add_2:add add:add", "");
    EXPECT_EQ(freshStageId(pipeline, "add_2"), "add_3");
    EXPECT_EQ(freshStageId(pipeline, "a b/c"), "a_b_c");
    for (const std::string& wanted : std::vector<std::string>{"", "-x", "\xc3\xbc", "...", std::string(300, 'a')}) {
        EXPECT_TRUE(isStageId(freshStageId(pipeline, wanted))) << wanted;
    }
}

TEST_F(PipelineTest, RemovingBridges) {
    const auto removed = removeStage(chain(), StageIndex(1));
    ASSERT_TRUE(removed.ok());
    EXPECT_EQ(edgesText(*removed), "source>sink");
    const Pipeline fan = make("source add a:sink b:sink", "source>add add>a add>b");
    EXPECT_EQ(edgesText(*removeStage(fan, StageIndex(1))), "source>a source>b");
    EXPECT_EQ(edgesText(*removeStage(fan, StageIndex(0))), "add>a add>b");
    const Pipeline join = make("source a:add b:add blend sink", "source>a source>b a>blend b>blend.1 blend>sink");
    EXPECT_EQ(edgesText(*removeStage(join, at(join, "blend"))), "source>a source>b a>sink");
    EXPECT_EQ(removeStage(chain(), StageIndex(3)).error().id, "pipeline.noStage");
    EXPECT_EQ(removeStage(chain(), StageIndex()).error().id, "pipeline.noStage");
}

TEST_F(PipelineTest, RemovingAStageThatFeedsItselfLeavesNoEdgeToIt) {
    const Pipeline pipeline = make("source add sink", "add>add add>sink");
    const auto removed = removeStage(pipeline, StageIndex(1));
    ASSERT_TRUE(removed.ok());
    EXPECT_EQ(edgesText(*removed), "");
}

TEST_F(PipelineTest, ConnectingRefusesWhatCannotBe) {
    const Pipeline pipeline = make("source a:add b:add sink", "source>a a>b");
    EXPECT_EQ(edgesText(*connect(pipeline, {at(pipeline, "b"), 0, at(pipeline, "sink"), 0})), "source>a a>b b>sink");
    const auto taken = connect(pipeline, {at(pipeline, "source"), 0, at(pipeline, "b"), 0});
    EXPECT_EQ(taken.error().id, "pipeline.inputTaken");
    EXPECT_EQ(taken.error().argument("from"), "a");
    EXPECT_EQ(connect(pipeline, {at(pipeline, "source"), 1, at(pipeline, "sink"), 0}).error().id, "pipeline.noPort");
    EXPECT_EQ(connect(pipeline, {at(pipeline, "b"), 0, at(pipeline, "sink"), 1}).error().id, "pipeline.noPort");
    EXPECT_EQ(connect(pipeline, {at(pipeline, "b"), 0, at(pipeline, "source"), 0}).error().id, "pipeline.noPort");
    EXPECT_EQ(connect(pipeline, {StageIndex(9), 0, at(pipeline, "sink"), 0}).error().id, "pipeline.noStage");
    const Pipeline open = make("a:add b:add", "a>b");
    EXPECT_EQ(connect(open, {StageIndex(1), 0, StageIndex(0), 0}).error().id, "pipeline.cycle");
    EXPECT_EQ(connect(open, {StageIndex(0), 0, StageIndex(0), 0}).error().id, "pipeline.cycle");
}

TEST_F(PipelineTest, DisconnectingAndInserting) {
    const Pipeline pipeline = chain();
    const Edge edge = pipeline.edges[1];
    EXPECT_EQ(edgesText(*disconnect(pipeline, edge)), "source>add");
    EXPECT_EQ(disconnect(pipeline, {edge.to, 0, edge.from, 0}).error().id, "pipeline.noEdge");
    EXPECT_EQ(disconnect(pipeline, {StageIndex(7), 0, edge.from, 0}).error().id, "pipeline.noStage");
    EXPECT_EQ(edgesText(*insertBetween(pipeline, edge, kind("slow"))), "source>add add>test_slow test_slow>sink");
    EXPECT_EQ(insertBetween(pipeline, edge, kind("sink")).error().id, "pipeline.notBetween");
    EXPECT_EQ(insertBetween(pipeline, {edge.to, 0, edge.from, 0}, kind("slow")).error().id, "pipeline.noEdge");
    EXPECT_EQ(edgesText(pipeline), "source>add add>sink") << "an edit changed its argument";
}

TEST_F(PipelineTest, DuplicatesKeepParametersAndInputs) {
    const Pipeline pipeline = *setParameter(chain(), StageIndex(1), "value", std::int64_t{7});
    const Pipeline twice = *duplicateStage(pipeline, StageIndex(1));
    EXPECT_EQ(twice.stages.back().id, "add_2");
    EXPECT_EQ(std::get<std::int64_t>(twice.stages.back().parameters.at(0)), 7);
    EXPECT_EQ(edgesText(twice), "source>add add>sink source>add_2");
}

TEST_F(PipelineTest, RenamingKeepsIdsUniqueAndLegal) {
    EXPECT_EQ(renameStage(chain(), StageIndex(1), "blur")->stages[1].id, "blur");
    EXPECT_TRUE(renameStage(chain(), StageIndex(1), "add").ok());
    EXPECT_EQ(renameStage(chain(), StageIndex(1), "sink").error().id, "pipeline.duplicateId");
    EXPECT_EQ(renameStage(chain(), StageIndex(1), "x=y").error().id, "pipeline.stageId");
}

TEST_F(PipelineTest, ParametersAreCheckedAndTheStageIsNamed) {
    EXPECT_EQ(
        std::get<std::int64_t>(setParameterText(chain(), StageIndex(1), "value", "9")->stages[1].parameters.at(0)), 9);
    const auto range = setParameterText(chain(), StageIndex(1), "value", "256");
    EXPECT_EQ(range.error().id, "pipeline.parameterRange");
    EXPECT_EQ(range.error().argument("stage"), "add");
    EXPECT_EQ(range.error().argument("maximum"), "255");
    EXPECT_EQ(setParameterText(chain(), StageIndex(1), "value", "9x").error().id, "pipeline.parameterType");
    EXPECT_EQ(setParameter(chain(), StageIndex(1), "value", true).error().id, "pipeline.parameterType");
    EXPECT_EQ(setParameterText(chain(), StageIndex(2), "format", "webp").error().id, "pipeline.parameterChoice");
    const auto unknown = setParameterText(chain(), StageIndex(1), "sigma", "1");
    EXPECT_EQ(unknown.error().id, "pipeline.noParameter");
    EXPECT_EQ(unknown.error().argument("parameters"), "value");
    EXPECT_EQ(setParameterText(chain(), StageIndex(0), "sigma", "1").error().argument("parameters"), "none");
}

TEST_F(PipelineTest, StageIdsAreShortAscii) {
    for (const char* id : {"a", "resize_2", "Resize-x", "9", "_"}) EXPECT_TRUE(isStageId(id)) << id;
    EXPECT_TRUE(isStageId(std::string(64, 'x')));
    EXPECT_FALSE(isStageId(std::string(65, 'x')));
    for (const char* id : {"", "-a", "a b", "a/b", "..", "a=b", "a,b", "a.b", "\xc3\xa4", "a\n"}) {
        EXPECT_FALSE(isStageId(id)) << id;
    }
    EXPECT_FALSE(isStageId(std::string_view("a\0b", 3)));
}

TEST_F(PipelineTest, GoodPipelinesHaveNoProblems) {
    EXPECT_EQ(problemsText(chain()), "");
    EXPECT_EQ(problemsText(make("source add a:sink b:sink", "source>add add>a add>b")), "");
    Pipeline constant = make("source p:picture blend sink", "source>blend p>blend.1 blend>sink");
    EXPECT_EQ(problemsText(*setParameter(constant, StageIndex(1), "file", std::string("x.jpg"))), "");
}

TEST_F(PipelineTest, EveryFaultIsFoundWithItsPlace) {
    EXPECT_EQ(problemsText({}), "* error pipeline.noSource\n* error pipeline.noSink\n");
    EXPECT_EQ(problemsText(make("source add sink", "source>add")),
              "add warning pipeline.unusedOutput\nsink error pipeline.unconnectedInput\n");
    EXPECT_EQ(problemsText(make("source a:add b:add sink", "source>sink a>b b>a")), "* error pipeline.cycle\n");
    EXPECT_EQ(problemsText(make("source s:source blend sink", "source>blend s>blend.1 blend>sink")),
              "* error pipeline.manySources\n");
    EXPECT_EQ(problemsText(make("source add sink", "source>add add>sink source>sink")),
              "sink error pipeline.inputFedTwice\n");
    EXPECT_EQ(problemsText(make("source add sink", "source>add add>sink add>sink.3")), "sink error pipeline.noPort\n");
    EXPECT_EQ(problemsText(make("source p:picture blend sink", "source>blend p>blend.1 blend>sink")),
              "p error pipeline.noFile\n");
}

TEST_F(PipelineTest, FaultsThatOnlyFilesCanMakeAreFoundToo) {
    Pipeline pipeline = chain();
    pipeline.stages[1].id = "sink";
    EXPECT_EQ(problemsText(pipeline), "sink error pipeline.duplicateId\n");
    pipeline.stages[1].id = "a b";
    EXPECT_EQ(problemsText(pipeline), "a b error pipeline.stageId\n");
    pipeline.stages[1].id = "add";
    pipeline.stages[1].parameters.set(0, std::int64_t{-1});
    EXPECT_EQ(problemsText(pipeline), "add error pipeline.parameterRange\n");
    pipeline.stages[1].parameters = {};
    EXPECT_EQ(problemsText(pipeline), "add error pipeline.parameterCount\n");
    pipeline.stages[1].kind = nullptr;
    EXPECT_EQ(problemsText(pipeline), "add error pipeline.noKind\n");
    pipeline = chain();
    pipeline.edges.push_back({StageIndex(5), 0, StageIndex(), 0});
    EXPECT_EQ(problemsText(pipeline), "* error pipeline.danglingEdge\n");
    pipeline = chain();
    pipeline.edges[0].fromPort = 2;
    EXPECT_EQ(problemsText(pipeline), "source error pipeline.noPort\n");
}

TEST_F(PipelineTest, ACycleNamesOnlyTheStagesInIt) {
    const Pipeline pipeline = make("source a:blend b:add c:add sink", "source>a b>a.1 a>b b>c c>sink");
    const auto problems = check(pipeline);
    ASSERT_FALSE(problems.empty());
    EXPECT_EQ(problems[0].message.id, "pipeline.cycle");
    EXPECT_EQ(problems[0].message.argument("stages"), "a, b");
}

}  // namespace
}  // namespace lanewright
