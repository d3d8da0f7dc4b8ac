// SPDX-License-Identifier: GPL-3.0-or-later
// Input sets: what is found, in which order, what is left out and what is listed with an error; synthetic files; memory.
#include "engine/input/input_set.h"
#include "engine/input/probe.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_file.h"
#include "tests/support/test_stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>

#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {
std::atomic<std::int64_t> liveHeapBytes{0};
}

// Counts what is allocated, so that the memory of an input set can be told.
void* operator new(std::size_t size) {
    void* block = std::malloc(size > 0 ? size : 1);
    if (!block) throw std::bad_alloc();
    liveHeapBytes += static_cast<std::int64_t>(malloc_usable_size(block));
    return block;
}
void operator delete(void* block) noexcept {
    liveHeapBytes -= static_cast<std::int64_t>(malloc_usable_size(block));
    std::free(block);
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace lanewright {
namespace {

namespace fs = std::filesystem;

/// As "encode" of the real catalog, with test files as output: header, then as many bytes as the quality.
class TestEncoder final : public StageKind, public CpuKernel {
public:
    TestEncoder() {
        m_description.kind = "encode";
        m_description.role = StageRole::sink;
        m_description.parameters = m_declarations;
    }
    const StageDescription& description() const override { return m_description; }
    const CpuKernel* cpuKernel() const override { return this; }
    WorkEstimate work(const OperationCall&) const override { return {}; }
    Result<std::vector<PortShape>> outputShapes(const OperationCall&) const override {
        return std::vector<PortShape>{BytesShape{ByteCount(1000)}};
    }
    Status reference(const OperationCall&, std::span<const PortView>, std::span<const MutablePortView>) const override {
        return {};
    }
    Result<std::unique_ptr<State>> begin(const OperationCall& call) const override {
        m_quality = std::get<std::int64_t>(call.parameters.at(0));
        return std::make_unique<State>();
    }
    Status run(State&, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
               RowRange) const override {
        const auto& image = std::get<ImageView>(inputs[0]);
        const auto& out = std::get<MutableBytesView>(outputs[0]);
        // The last pixel, so that the whole picture must have been rendered.
        const auto& plane = image.planes[0];
        const auto last = std::to_integer<std::uint32_t>(plane.row(image.shape.height - 1)[plane.shape.rowBytes() - 1]);
        const auto file = test::testFile(image.shape.width, image.shape.height, 3, last);
        std::copy(file.begin(), file.end(), out.room.begin());
        *out.actual = file.size();
        ++m_encoded;
        return {};
    }
    RowRange rowsNeeded(const State&, std::size_t, RowRange rows) const override { return rows; }

    mutable std::atomic<std::int64_t> m_quality{0};
    mutable std::atomic<int> m_encoded{0};

private:
    std::vector<ParameterDeclaration> m_declarations{{.name = "quality",
                                                      .label = "",
                                                      .unit = "",
                                                      .help = "",
                                                      .type = ParameterType::integer,
                                                      .defaultValue = std::int64_t{85},
                                                      .minimum = 1,
                                                      .maximum = 100,
                                                      .choices = {}}};
    StageDescription m_description;
};

class InputTest : public testing::Test {
protected:
    InputTest() {
        auto encoder = std::make_unique<TestEncoder>();
        m_encoder = encoder.get();
        m_catalog.add(std::move(encoder));
    }

    fs::path image(const std::string& name, std::int32_t width = 4, std::int32_t height = 3) const {
        return m_folder.write(name, test::testFile(width, height, 3, 1U));
    }
    Result<InputSet> collect(std::vector<fs::path> paths, const fs::path& excluded = {}) const {
        return collectInput({std::move(paths), std::nullopt, std::nullopt}, m_catalog, excluded);
    }
    /// "a.jpg sub/b.jpg!image.damaged": relative paths, with the error of those that have one.
    std::string listing(const Result<InputSet>& set) const {
        if (!set) return set.error().id;
        std::string text;
        for (std::size_t i = 0; i < set->images.size(); ++i) {
            const auto& error = set->images[i].error;
            text +=
                (text.empty() ? "" : " ") + set->relativePath(ImageIndex(i)).string() + (error ? "!" + error->id : "");
        }
        return text;
    }
    const fs::path& root() const { return m_folder.path(); }

    test::TemporaryFolder m_folder;
    Catalog m_catalog = test::makeTestCatalog();
    TestEncoder* m_encoder = nullptr;
};

TEST_F(InputTest, FoldersAreSearchedAndSortedByBytes) {
    for (const char* name : {"b.jpg", "a/z.jpg", "a/B.jpg", "a.jpg", "\xc3\xa4.jpg", "Z.jpg"}) image(name);
    EXPECT_EQ(listing(collect({root()})), "Z.jpg a.jpg a/B.jpg a/z.jpg b.jpg \xc3\xa4.jpg");
    EXPECT_EQ(listing(collect({root() / "a", root() / "b.jpg"})), "B.jpg z.jpg b.jpg");
    EXPECT_EQ(listing(collect({root() / "b.jpg", root() / "a/"})), "b.jpg B.jpg z.jpg");
}

TEST_F(InputTest, WhatIsFoundTwiceCountsOnce) {
    image("a/x.jpg");
    EXPECT_EQ(listing(collect({root() / "a", root() / "a/../a/x.jpg", root()})), "x.jpg");
}

TEST_F(InputTest, ProbesGiveShapesAndClasses) {
    image("a.jpg", 4, 3);
    image("b.jpg", 5, 3);
    image("c.jpg", 4, 3);
    const auto set = collect({root()});
    ASSERT_TRUE(set.ok());
    ASSERT_EQ(set->shapes.size(), 2U);
    EXPECT_EQ(set->images[0].shapeClass, set->images[2].shapeClass);
    const ProbedImage probed = set->probed(ImageIndex(1));
    EXPECT_EQ(probed.codec, "test");
    EXPECT_EQ(probed.shape, (ImageShape{5, 3, rgb8}));
    EXPECT_EQ(probed.fileBytes.value, fs::file_size(root() / "b.jpg"));
    EXPECT_EQ(set->images[1].path, (root() / "b.jpg").string());
}

TEST_F(InputTest, InFoldersContentDecidesAndDamageIsTold) {
    image("good.dat");
    m_folder.write("notes.txt", "hello");
    m_folder.write("empty.txt", "");
    m_folder.write("empty.jpg", "");
    m_folder.write("text.JPeG", "not an image");
    m_folder.write("cut", "LWT1");
    EXPECT_EQ(listing(collect({root()})),
              "cut!image.damaged empty.jpg!image.unknownFormat good.dat text.JPeG!image.unknownFormat");
}

TEST_F(InputTest, NamedFilesAreAlwaysListed) {
    m_folder.write("notes.txt", "hello");
    image(".hidden.jpg");
    ASSERT_EQ(::mkfifo((root() / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(listing(collect({root() / "notes.txt", root() / ".hidden.jpg", root() / "pipe", "/dev/null"})),
              "notes.txt!image.unknownFormat .hidden.jpg pipe!file.notRegular null!file.notRegular");
}

TEST_F(InputTest, HiddenAndSpecialFilesInFoldersArePassedOver) {
    image("a.jpg");
    image(".b.jpg");
    image(".git/c.jpg");
    ASSERT_EQ(::mkfifo((root() / "pipe.jpg").c_str(), 0600), 0);
    EXPECT_EQ(listing(collect({root()})), "a.jpg");
    EXPECT_EQ(listing(collect({root() / ".git"})), "c.jpg");
}

TEST_F(InputTest, LinksAreFollowedOnce) {
    image("real/a.jpg");
    image("elsewhere.jpg");
    fs::create_symlink("real", root() / "again");    // sorts before what it leads to
    fs::create_symlink("..", root() / "real/loop");  // to an ancestor
    fs::create_symlink("self", root() / "self");     // to nothing but itself
    fs::create_symlink("elsewhere.jpg", root() / "link.jpg");
    fs::create_symlink("gone.jpg", root() / "dangling.jpg");
    fs::create_symlink("gone.txt", root() / "dangling.txt");
    EXPECT_EQ(listing(collect({root()})), "dangling.jpg!file.missing elsewhere.jpg link.jpg real/a.jpg");
    const test::TemporaryFolder other;
    fs::create_symlink(root() / "real", other.path() / "photos");
    EXPECT_EQ(listing(collect({other.path()})),
              "photos/a.jpg photos/loop/dangling.jpg!file.missing photos/loop/elsewhere.jpg photos/loop/link.jpg");
}

TEST_F(InputTest, TheOutputFolderIsNotInput) {
    image("a.jpg");
    image("out/b.jpg");
    fs::create_symlink("out", root() / "results");
    EXPECT_EQ(listing(collect({root()}, root() / "out")), "a.jpg");
    EXPECT_EQ(listing(collect({root()}, root() / "results")), "a.jpg") << "spelled through a link";
    EXPECT_EQ(listing(collect({root()}, root())), "a.jpg out/b.jpg") << "writing beside the input is allowed";
    EXPECT_EQ(listing(collect({root() / "out/b.jpg"}, root() / "out")), "b.jpg") << "named files count";
    EXPECT_EQ(listing(collect({root()}, root() / "none")), "a.jpg out/b.jpg");
}

TEST_F(InputTest, MissingAndEmptyInputIsRefused) {
    m_folder.write("notes.txt", "hello");
    const auto missing = collect({root(), root() / "none"});
    EXPECT_EQ(missing.error().id, "input.missing");
    EXPECT_EQ(missing.error().argument("path"), (root() / "none").string());
    EXPECT_EQ(collect({root()}).error().id, "input.empty");
    EXPECT_EQ(collect({}).error().id, "input.empty");
}

TEST_F(InputTest, UnreadableFilesAndFoldersAreListed) {
    if (::getuid() == 0) GTEST_SKIP() << "root may read everything";
    image("a.jpg");
    image("closed/b.jpg");
    ASSERT_EQ(::chmod((root() / "a.jpg").c_str(), 0), 0);
    ASSERT_EQ(::chmod((root() / "closed").c_str(), 0), 0);
    EXPECT_EQ(listing(collect({root()})), "a.jpg!file.unreadable closed!file.unreadable");
    ASSERT_EQ(::chmod((root() / "closed").c_str(), 0700), 0);
}

TEST_F(InputTest, TheLimitCountsImages) {
    for (const char* name : {"a.jpg", "b.jpg", "c.jpg"}) image(name);
    m_folder.write("a.txt", "hello");
    const auto limited = [&](std::size_t limit) {
        return listing(collectInput({{root()}, std::nullopt, limit}, m_catalog, {}));
    };
    EXPECT_EQ(limited(2), "a.jpg b.jpg");
    EXPECT_EQ(limited(9), "a.jpg b.jpg c.jpg");
    EXPECT_EQ(limited(0), "input.empty");
}

Result<ProbedImage> greedyProbe(std::span<const std::byte> head, ByteCount fileBytes) {
    if (head.size() < fileBytes.value) return Message{"image.incompleteHeader", {}};
    ProbedImage image;
    image.codec = "whole";
    image.shape = {1, 1, gray8};
    image.fileBytes = fileBytes;
    auto meta = std::make_shared<ImageMeta>();
    meta->orientation = 6;
    meta->exif.resize(50000);
    image.meta = std::move(meta);
    return image;
}
Result<ProbedImage> insatiableProbe(std::span<const std::byte>, ByteCount) {
    return Message{"image.incompleteHeader", {}};
}

TEST_F(InputTest, TheProberGetsTheWholeFileWhenItAsks) {
    const fs::path file = m_folder.write("big.jpg", std::string(5'000'000, 'x'));
    m_catalog.setProber(greedyProbe);
    const auto probed = probeFile(file, m_catalog);
    ASSERT_TRUE(probed.ok());
    EXPECT_EQ(probed->fileBytes.value, 5'000'000U);
    m_catalog.setProber(insatiableProbe);
    EXPECT_EQ(probeFile(file, m_catalog).error().id, "image.truncated");
    EXPECT_EQ(probeFile(root() / "none", m_catalog).error().id, "file.missing");
    EXPECT_EQ(probeFile(root(), m_catalog).error().id, "file.notRegular");
}

TEST_F(InputTest, EqualMetadataIsSharedAndExifStaysInTheFile) {
    for (const char* name : {"a.jpg", "b.jpg"}) m_folder.write(name, "x");
    m_catalog.setProber(greedyProbe);
    const auto set = collect({root()});
    ASSERT_TRUE(set.ok());
    ASSERT_TRUE(set->images[0].meta);
    EXPECT_EQ(set->images[0].meta, set->images[1].meta);
    EXPECT_EQ(set->images[0].meta->orientation, 6);
    EXPECT_TRUE(set->images[0].meta->exif.empty());
}

TEST_F(InputTest, AnImageTakesLessThan300Bytes) {
    constexpr std::size_t count = 3000;
    const std::string folder = "holidays in the mountains of 2019/with the family";
    for (std::size_t i = 0; i < count; ++i) {
        image(folder + "/IMG_20190701_12" + std::to_string(10000 + i) + ".jpg");
    }
    m_catalog.setProber(greedyProbe);
    const std::int64_t before = liveHeapBytes;
    const auto set = collect({root()});
    ASSERT_TRUE(set.ok());
    ASSERT_EQ(set->images.size(), count);
    const auto perImage = static_cast<double>(liveHeapBytes - before) / count;
    EXPECT_GT(perImage, static_cast<double>(sizeof(InputImage))) << "the counting does not count";
    EXPECT_LT(perImage, 300);
    EXPECT_GT(set->images[0].path.size(), 90U) << "the paths are too short to prove anything";
}

TEST_F(InputTest, AStopEndsTheSearch) {
    image("a.jpg");
    std::stop_source source;
    source.request_stop();
    const auto set = collectInput({{root()}, std::nullopt, std::nullopt}, m_catalog, {}, source.get_token());
    ASSERT_FALSE(set.ok());
    EXPECT_EQ(set.error().id, "run.cancelled");
    const test::Environment cache("XDG_CACHE_HOME", (root() / "cache").c_str());
    const auto made = collectInput({{}, SyntheticInput{3, 8, 8, 1}, std::nullopt}, m_catalog, {}, source.get_token());
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().id, "run.cancelled");
}

TEST_F(InputTest, SyntheticImagesAreMadeOnce) {
    const test::Environment cache("XDG_CACHE_HOME", (root() / "cache").c_str());
    const InputDescription five{{}, SyntheticInput{5, 32, 24, 7}, std::nullopt};
    const auto set = collectInput(five, m_catalog, {});
    ASSERT_TRUE(set.ok()) << set.error().id;
    EXPECT_EQ(listing(set), "image_000001.jpg image_000002.jpg image_000003.jpg image_000004.jpg image_000005.jpg");
    EXPECT_EQ(set->probed(ImageIndex(4)).shape, (ImageShape{32, 24, rgb8}));
    EXPECT_EQ(m_encoder->m_encoded, 5);
    EXPECT_EQ(m_encoder->m_quality, 90);
    EXPECT_TRUE(set->images[0].path.starts_with((root() / "cache/lanewright/synthetic").string()));

    ASSERT_TRUE(collectInput(five, m_catalog, {}).ok());
    EXPECT_EQ(m_encoder->m_encoded, 5) << "made again";
    fs::resize_file(set->images[2].path, 0);
    fs::remove(set->images[3].path);
    ASSERT_TRUE(collectInput({{}, SyntheticInput{7, 32, 24, 7}, std::nullopt}, m_catalog, {}).ok());
    EXPECT_EQ(m_encoder->m_encoded, 9) << "the two lost ones and two more";
    ASSERT_TRUE(collectInput({{}, SyntheticInput{5, 32, 24, 8}, std::size_t{2}}, m_catalog, {}).ok());
    EXPECT_EQ(m_encoder->m_encoded, 11) << "another seed is another set; the limit counts";
}

TEST_F(InputTest, SyntheticImagesThatCannotBeAreRefused) {
    const test::Environment cache("XDG_CACHE_HOME", (root() / "cache").c_str());
    for (const SyntheticInput bad : {SyntheticInput{-1, 8, 8, 1}, SyntheticInput{1, 0, 8, 1},
                                     SyntheticInput{1, 8, 65536, 1}, SyntheticInput{1, 60000, 60000, 1}}) {
        const auto set = collectInput({{}, bad, std::nullopt}, m_catalog, {});
        ASSERT_FALSE(set.ok());
        EXPECT_EQ(set.error().id, "input.synthetic");
    }
    EXPECT_EQ(collectInput({{}, SyntheticInput{0, 8, 8, 1}, std::nullopt}, m_catalog, {}).error().id, "input.empty");
    const Catalog without = test::makeTestCatalog();
    EXPECT_EQ(collectInput({{}, SyntheticInput{1, 8, 8, 1}, std::nullopt}, without, {}).error().id, "input.synthetic");
    m_folder.write("blocked", "");
    const test::Environment blocked("XDG_CACHE_HOME", (root() / "blocked").c_str());
    EXPECT_EQ(collectInput({{}, SyntheticInput{1, 8, 8, 1}, std::nullopt}, m_catalog, {}).error().id,
              "file.unwritable");
}

}  // namespace
}  // namespace lanewright
