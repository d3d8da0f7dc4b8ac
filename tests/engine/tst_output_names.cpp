// SPDX-License-Identifier: GPL-3.0-or-later
// Names of outputs, and everything that must be refused before a run starts.
#include "engine/input/output_names.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_stages.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace lanewright {
namespace {

namespace fs = std::filesystem;

/// A sink with an extension of its own.
class Writer final : public StageKind {
public:
    explicit Writer(std::string extension) : m_extension(std::move(extension)) {
        m_description.kind = "writer";
        m_description.role = StageRole::sink;
        m_description.inputs = {{"image", "Image"}};
    }
    const StageDescription& description() const override { return m_description; }
    const CpuKernel* cpuKernel() const override { return nullptr; }
    WorkEstimate work(const OperationCall&) const override { return {}; }
    Result<std::vector<PortShape>> outputShapes(const OperationCall&) const override {
        return std::vector<PortShape>{};
    }
    Status reference(const OperationCall&, std::span<const PortView>, std::span<const MutablePortView>) const override {
        return {};
    }
    std::string fileExtension(const Parameters&) const override { return m_extension; }

private:
    std::string m_extension;
    StageDescription m_description;
};

class OutputNamesTest : public testing::Test {
protected:
    /// Files below in/, which are written.
    void give(std::initializer_list<const char*> names) {
        for (const char* name : names) {
            const fs::path file = m_folder.write(std::string("in/") + name, name);
            InputImage image;
            image.path = file.string();
            image.folderLength = static_cast<std::uint32_t>((root() / "in/").string().size());
            m_input->images.push_back(image);
        }
    }
    Pipeline one() const { return {{{"encode", &m_jpg, {}}}, {}}; }
    Pipeline two() const { return {{{"large", &m_jpg, {}}, {"small", &m_jpg, {}}}, {}}; }
    Pipeline mixed() const { return {{{"a", &m_jpg, {}}, {"b", &m_png, {}}}, {}}; }

    Result<OutputNames> plan(const Pipeline& pipeline, std::string_view nameTemplate = "{name}.{ext}",
                             const fs::path& folder = "out") const {
        return planOutputNames(m_input, pipeline, root() / folder, nameTemplate);
    }
    /// All names, or the error's id with its arguments but without the folder.
    std::string names(const Pipeline& pipeline, std::string_view nameTemplate = "{name}.{ext}",
                      const fs::path& folder = "out") const {
        const auto planned = plan(pipeline, nameTemplate, folder);
        std::string text;
        if (!planned) {
            text = planned.error().id;
            for (const auto& [key, value] : planned.error().arguments) {
                text += " " + (value.starts_with('/') ? fs::path(value).lexically_relative(root()).string() : value);
            }
            return text;
        }
        for (std::size_t image = 0; image < m_input->images.size(); ++image) {
            for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage) {
                text += (text.empty() ? "" : " ") + planned->path(ImageIndex(image), StageIndex(stage)).string();
            }
        }
        return text;
    }
    const fs::path& root() const { return m_folder.path(); }

    test::TemporaryFolder m_folder;
    std::shared_ptr<InputSet> m_input = std::make_shared<InputSet>();
    Writer m_jpg{"jpg"};
    Writer m_png{"png"};
};

TEST_F(OutputNamesTest, SubfoldersAreMirroredAndSinksToldApart) {
    give({"a.jpeg", "sub/b.tar.png"});
    EXPECT_EQ(names(one()), "a.jpg sub/b.tar.jpg");
    EXPECT_EQ(names(two()), "a_large.jpg a_small.jpg sub/b.tar_large.jpg sub/b.tar_small.jpg");
    EXPECT_EQ(names(two(), "{stage}-{name}.{ext}"), "large-a.jpg small-a.jpg sub/large-b.tar.jpg sub/small-b.tar.jpg");
    EXPECT_EQ(names(two(), "{name}"), "a_large a_small sub/b.tar_large sub/b.tar_small");
    EXPECT_EQ(names(mixed(), "{index}-{name}.x.{ext}"),
              "0001-a.x_a.jpg 0001-a.x_b.png sub/0002-b.tar.x_a.jpg sub/0002-b.tar.x_b.png");
    EXPECT_EQ(names(one(), "{{{name}}}.{ext}"), "{a}.jpg sub/{b.tar}.jpg");
    EXPECT_EQ(plan(two())->nameTemplate(), "{name}_{stage}.{ext}");
}

TEST_F(OutputNamesTest, TemplatesThatCannotBeAreRefused) {
    give({"a.jpg"});
    for (const char* bad : {"", "{name", "name}", "{nme}.{ext}", "{}", "../{name}.{ext}", "/tmp/{name}", "x/{name}",
                            "x\\{name}", ".{name}", "..", "{name}\n", "{name}\xff"}) {
        const auto planned = plan(one(), bad);
        ASSERT_FALSE(planned.ok()) << bad;
        EXPECT_EQ(planned.error().id, "output.template") << bad;
    }
    EXPECT_TRUE(checkNameTemplate("{name}..{ext}").ok());
}

TEST_F(OutputNamesTest, TwoInputsThatWouldWriteOneOutputAreNamed) {
    give({"x/a.jpg", "a.jpg", "b.jpg", "a.png"});
    EXPECT_EQ(names(one()), "output.collision in/a.jpg in/a.png a.jpg");
    EXPECT_EQ(names(one(), "{index}.{ext}"), "x/0001.jpg 0002.jpg 0003.jpg 0004.jpg");
    EXPECT_EQ(names(one(), "same.{ext}"), "output.collision in/a.jpg in/b.jpg same.jpg");
    m_input->images[3].error = std::make_shared<const Message>(Message{"image.empty", {}});
    EXPECT_TRUE(plan(one()).ok()) << "an image that fails anyway writes nothing";
}

TEST_F(OutputNamesTest, TwoSinksThatWouldWriteOneOutputAreNamed) {
    give({"a.jpg"});
    Pipeline pipeline = two();
    pipeline.stages[1].id = "large";
    EXPECT_EQ(names(pipeline, "{stage}.{ext}"), "output.sinkCollision large large large.jpg");
    pipeline.stages[1].id = "../large";
    EXPECT_EQ(names(pipeline, "{stage}.{ext}"), "pipeline.stageId ../large");
}

TEST_F(OutputNamesTest, NothingReplacesAnInputHoweverItIsSpelled) {
    give({"a.jpg", "sub/b.jpg"});
    EXPECT_EQ(names(one(), "{name}.{ext}", "in"), "output.overwritesInput in/a.jpg in/a.jpg");
    EXPECT_EQ(names(one(), "{name}.{ext}", "in/sub/.."), "output.overwritesInput in/a.jpg in/sub/../a.jpg");
    EXPECT_EQ(names(one(), "small_{name}.{ext}", "in"), "small_a.jpg sub/small_b.jpg");
    fs::create_symlink("in", root() / "link");
    EXPECT_EQ(names(one(), "{name}.{ext}", "link"), "output.overwritesInput in/a.jpg link/a.jpg");

    fs::create_directories(root() / "out/sub");
    EXPECT_EQ(names(one()), "a.jpg sub/b.jpg");
    fs::create_symlink(root() / "in/sub/b.jpg", root() / "out/sub/b.jpg");
    EXPECT_EQ(names(one()), "output.overwritesInput in/sub/b.jpg out/sub/b.jpg");
    fs::remove(root() / "out/sub/b.jpg");
    fs::create_hard_link(root() / "in/sub/b.jpg", root() / "out/a.jpg");
    EXPECT_EQ(names(one()), "output.overwritesInput in/sub/b.jpg out/a.jpg");
    fs::remove_all(root() / "out/sub");
    fs::remove(root() / "out/a.jpg");
    fs::create_directory_symlink(root() / "in/sub", root() / "out/sub");
    EXPECT_EQ(names(one()), "output.overwritesInput in/sub/b.jpg out/sub/b.jpg");
}

TEST_F(OutputNamesTest, InputsWithErrorsAndOtherFilesAreSafeToo) {
    give({"a.png", "a.jpg"});
    m_input->images[1].error = std::make_shared<const Message>(Message{"image.truncated", {}});
    EXPECT_EQ(names(one(), "{name}.{ext}", "in"), "output.overwritesInput in/a.jpg in/a.jpg");
    const std::string logo = m_folder.write("out/a.jpg", "logo").string();
    EXPECT_EQ(names(one()), "a.jpg a.jpg");
    const auto planned = planOutputNames(m_input, one(), root() / "out", "{name}.{ext}", {&logo, 1});
    ASSERT_FALSE(planned.ok());
    EXPECT_EQ(planned.error().id, "output.overwritesInput");
}

TEST_F(OutputNamesTest, FoldersAreNotWrittenAsFiles) {
    give({"a/x.jpg", "a.jpg"});
    EXPECT_EQ(names(one(), "{name}"), "output.isFolder out/a");
    fs::create_directories(root() / "out/a.jpg");
    EXPECT_EQ(names(one()), "output.isFolder out/a.jpg");
}

TEST_F(OutputNamesTest, NamesThatNoFileCanHaveAreRefused) {
    give({(std::string(250, 'n') + ".p").c_str()});
    EXPECT_TRUE(plan(one()).ok());
    EXPECT_EQ(plan(one(), "{name}_x.{ext}").error().id, "output.nameTooLong");
}

TEST_F(OutputNamesTest, TheIndexIsAsWideAsTheSet) {
    for (int i = 0; i < 10000; ++i) m_input->images.push_back({"/p/" + std::to_string(i) + ".jpg", 3, 0, {}, {}, {}});
    const auto planned = plan(one(), "{index}.{ext}");
    ASSERT_TRUE(planned.ok());
    EXPECT_EQ(planned->path(ImageIndex(0), StageIndex(0)), "00001.jpg");
    EXPECT_EQ(planned->path(ImageIndex(9999), StageIndex(0)), "10000.jpg");
}

}  // namespace
}  // namespace lanewright
