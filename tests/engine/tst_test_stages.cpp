// SPDX-License-Identifier: GPL-3.0-or-later
// The stages that other tests build on do what they say, whole and in rows.
#include "tests/support/test_file.h"
#include "tests/support/test_stages.h"

#include <gtest/gtest.h>

namespace lanewright::test {
namespace {

/// One image in host memory as a port.
struct Frame {
    PortShape shape;
    std::vector<std::byte> block;
    std::size_t actual = 0;

    explicit Frame(PortShape of) : shape(of), block(sizeOf(of).value) {}
    PortView view() const { return viewOf(shape, block.data(), actual); }
    MutablePortView mutableView() { return mutableViewOf(shape, block.data(), &actual); }
};

Frame bytesFrame(const std::vector<std::byte>& bytes) {
    Frame frame(BytesShape{ByteCount(bytes.size())});
    frame.block = bytes;
    frame.actual = bytes.size();
    return frame;
}

/// Runs an operation in slices of `rowsAtOnce` rows.
Frame apply(const Operation& operation, const std::vector<Frame>& inputs, const Parameters& parameters,
            std::int32_t rowsAtOnce = 1000, const ProbedImage* image = nullptr) {
    std::vector<PortShape> shapes;
    std::vector<PortView> views;
    for (const Frame& input : inputs) {
        shapes.push_back(input.shape);
        views.push_back(input.view());
    }
    OperationCall call{parameters, shapes, {}, image};
    const auto outputShapes = operation.outputShapes(call);
    EXPECT_TRUE(outputShapes.ok());
    call.outputs = *outputShapes;
    Frame out((*outputShapes)[0]);
    const MutablePortView outView = out.mutableView();
    auto state = operation.cpuKernel()->begin(call);
    EXPECT_TRUE(state.ok());
    const auto* outImage = std::get_if<ImageShape>(&out.shape);
    const std::int32_t height = outImage ? outImage->height : std::get<ImageShape>(shapes[0]).height;
    for (std::int32_t y = 0; y < height; y += rowsAtOnce) {
        const auto status =
            operation.cpuKernel()->run(**state, views, {&outView, 1}, {y, std::min(height, y + rowsAtOnce)});
        EXPECT_TRUE(status.ok());
    }
    return out;
}

std::vector<std::byte> tight(const Frame& frame) {
    std::vector<std::byte> bytes;
    const auto view = std::get<ImageView>(frame.view()).planes[0];
    for (std::int32_t y = 0; y < view.shape.height; ++y) {
        bytes.insert(bytes.end(), view.row(y), view.row(y) + view.shape.rowBytes());
    }
    return bytes;
}

class TestStages : public testing::Test {
protected:
    const StageKind& kind(std::string_view name) const { return *m_catalog.find(name); }
    Parameters defaults(std::string_view name) const { return Parameters(kind(name).description().parameters); }
    Frame read(const std::vector<std::byte>& file, std::int32_t rowsAtOnce = 1000) const {
        const auto probed = probeTestFile(file, ByteCount(file.size()));
        return apply(kind("test_source"), {bytesFrame(file)}, defaults("test_source"), rowsAtOnce, &*probed);
    }

    Catalog m_catalog = makeTestCatalog();
};

TEST_F(TestStages, AFileComesBackFromSourceAndSinkInAnySlices) {
    for (const int components : {1, 3}) {
        const auto file = testFile(13, 7, components, 5U);
        const Frame image = read(file, 2);
        EXPECT_EQ(tight(image), testPixels(file));
        for (const std::int32_t slice : {1, 3, 1000}) {
            const Frame out = apply(kind("test_sink"), {image}, defaults("test_sink"), slice);
            ASSERT_EQ(out.actual, out.block.size());
            EXPECT_EQ(out.block, testFile(13, 7, components, testPixels(file)));
        }
    }
}

TEST_F(TestStages, AddAndSplitAddModulo256) {
    const Frame image = read(testFile(2, 1, 1, {std::byte{250}, std::byte{7}}));
    Parameters three = defaults("test_add");
    three.set(0, std::int64_t{8});
    EXPECT_EQ(tight(apply(kind("test_add"), {image}, three)), (std::vector{std::byte{2}, std::byte{15}}));
    Frame split = image;
    for (const Phase& phase : kind("test_split").phases(DeviceKind::fake)) split = apply(*phase.operation, {split}, {});
    EXPECT_EQ(tight(split), tight(apply(kind("test_split"), {image}, {})));
    EXPECT_EQ(tight(split), (std::vector{std::byte{255}, std::byte{12}}));
}

TEST_F(TestStages, BlendRepeatsItsOverlay) {
    const Frame image = read(testFile(3, 2, 1, {std::byte{100}}));
    const Frame overlay = read(testFile(2, 1, 1, {std::byte{0}, std::byte{50}}));
    const auto expected =
        std::vector{std::byte{50}, std::byte{75}, std::byte{50}, std::byte{50}, std::byte{75}, std::byte{50}};
    EXPECT_EQ(tight(apply(kind("test_blend"), {image, overlay}, {}, 1)), expected);
}

TEST_F(TestStages, ConverterGoesBothWays) {
    const Frame gray = read(testFile(2, 2, 1, 3U));
    Parameters rgb = defaults("test_convert");
    rgb.set(0, formatName(rgb8));
    const Frame colour = apply(kind("test_convert"), {gray}, rgb);
    EXPECT_EQ(std::get<ImageShape>(colour.shape).format, rgb8);
    EXPECT_EQ(tight(apply(kind("test_convert"), {colour}, defaults("test_convert"))), tight(gray));
}

TEST_F(TestStages, SourceWithoutPayloadFails) {
    const auto file = testFile(2, 2, 1, std::vector<std::byte>{});
    const auto probed = probeTestFile(file, ByteCount(file.size()));
    ASSERT_TRUE(probed.ok());
    const Frame input = bytesFrame(file);
    const PortView view = input.view();
    Frame out(probed->shape);
    const MutablePortView outView = out.mutableView();
    const std::vector<PortShape> in = {input.shape};
    const std::vector<PortShape> shapes = {out.shape};
    const Parameters none;
    const auto status = kind("test_source").reference({none, in, shapes, &*probed}, {&view, 1}, {&outView, 1});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().id, "image.damaged");
}

TEST(TestFile, ProbeAsksForMoreAndRefusesOthers) {
    const auto file = testFile(300, 2, 3, 1U);
    const auto probed = probeTestFile(file, ByteCount(file.size()));
    ASSERT_TRUE(probed.ok());
    EXPECT_EQ(probed->shape, (ImageShape{300, 2, rgb8}));
    EXPECT_EQ(probeTestFile(std::span(file).first(5), ByteCount(file.size())).error().id, "image.incompleteHeader");
    EXPECT_EQ(probeTestFile(std::span(file).first(5), ByteCount(5)).error().id, "image.damaged");
    EXPECT_EQ(probeTestFile(std::span(file).subspan(1), ByteCount(70)).error().id, "image.unknownFormat");
}

}  // namespace
}  // namespace lanewright::test
