// SPDX-License-Identifier: GPL-3.0-or-later
// The sample projects and synthetic input with the real stages and codecs of this build.
#include "engine/files/files.h"
#include "engine/input/output_names.h"
#include "engine/project/project.h"
#include "engine/text/text.h"
#include "kernels/catalog.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

namespace lanewright {
namespace {

namespace fs = std::filesystem;

TEST(Samples, HaveNoProblems) {
    const Catalog catalog = makeCatalog();
    int samples = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(LANEWRIGHT_SOURCE_DIR) / "projects")) {
        if (entry.path().extension() != ".lanes") continue;
        ++samples;
        const auto text = readTextFile(entry.path());
        ASSERT_TRUE(text.ok());
        for (const Problem& problem : projectProblems(*text, entry.path(), catalog)) {
            ADD_FAILURE() << textOf(problem.message);
        }
        const auto project = readProject(entry.path(), catalog);
        ASSERT_TRUE(project.ok());
        EXPECT_TRUE(project->input.synthetic);
        EXPECT_TRUE(project->output.folder.string().starts_with(entry.path().parent_path().string()));
    }
    EXPECT_GE(samples, 3);
}

TEST(Samples, SurviveBeingWritten) {
    const Catalog catalog = makeCatalog();
    const fs::path file = fs::path(LANEWRIGHT_SOURCE_DIR) / "projects/cpu-and-opencl.lanes";
    const auto project = readProject(file, catalog);
    ASSERT_TRUE(project.ok());
    const auto again = parseProject(projectText(*project, file), file, catalog);
    ASSERT_TRUE(again.ok());
    ASSERT_EQ(again->pipeline.stages.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(again->pipeline.stages[i].parameters, project->pipeline.stages[i].parameters);
        EXPECT_EQ(again->placement.stages[i], project->placement.stages[i]);
    }
}

TEST(Samples, SyntheticInputIsJpegLikeThatOfACamera) {
    const test::TemporaryFolder folder;
    const test::Environment cache("XDG_CACHE_HOME", folder.path().c_str());
    const Catalog catalog = makeCatalog();
    const auto set = collectInput({{}, SyntheticInput{3, 640, 480, 1}, std::nullopt}, catalog, {});
    ASSERT_TRUE(set.ok()) << textOf(set.error());
    ASSERT_EQ(set->images.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        ASSERT_FALSE(set->images[i].error);
        const ProbedImage probed = set->probed(ImageIndex(i));
        EXPECT_EQ(probed.codec, "jpeg");
        EXPECT_EQ(probed.shape.width, 640);
        EXPECT_EQ(probed.shape.height, 480);
        EXPECT_GT(probed.fileBytes.value, 640U * 480U / 16U);
    }
    const auto readBytes = [&](std::size_t i) { return *readTextFile(set->images[i].path); };
    EXPECT_NE(readBytes(0), readBytes(1));
}

TEST(Samples, AFolderOfManyKindsOfFilesIsSorted) {
    const test::TemporaryFolder folder;
    const test::Environment cache("XDG_CACHE_HOME", folder.path().c_str());
    const Catalog catalog = makeCatalog();
    const auto set = collectInput({{}, SyntheticInput{1, 64, 48, 1}, std::nullopt}, catalog, {});
    ASSERT_TRUE(set.ok());
    const std::string good = *readTextFile(set->images[0].path);
    folder.write("in/good.bin", good);
    folder.write("in/cut.jpg", good.substr(0, 40));
    folder.write("in/empty.png", "");
    folder.write("in/text.jpg", "no image at all, but named like one");
    folder.write("in/notes.txt", "no image at all");
    const auto found = collectInput({{folder.path() / "in"}, std::nullopt, std::nullopt}, catalog, {});
    ASSERT_TRUE(found.ok());
    std::string text;
    for (std::size_t i = 0; i < found->images.size(); ++i) {
        const auto& error = found->images[i].error;
        text += found->relativePath(ImageIndex(i)).string() + " " + (error ? error->id : "") + "\n";
    }
    EXPECT_EQ(text, "cut.jpg image.truncated\nempty.png image.empty\ngood.bin \ntext.jpg image.unknownFormat\n");
}

}  // namespace
}  // namespace lanewright
