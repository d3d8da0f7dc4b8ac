// SPDX-License-Identifier: GPL-3.0-or-later
// The stages decode, picture and encode through the kernel interface: strips of every height, rings of rows, files that
// change, estimates that grow with the work.
#include "kernels/catalog.h"
#include "tests/kernels/pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace lanewright {
namespace {

using namespace lanewright::test;

const Catalog& catalog() {
    static const Catalog made = makeCatalog();
    return made;
}

const StageKind& stage(std::string_view kind) { return *catalog().find(kind); }

Parameters parametersOf(const StageKind& kind, std::vector<std::pair<std::string_view, std::string_view>> values = {}) {
    const auto declarations = kind.description().parameters;
    Parameters parameters(declarations);
    for (const auto& [name, text] : values) {
        const std::size_t index = findParameter(declarations, name).value();
        parameters.set(index, parsedParameter(declarations[index], text).value());
    }
    return parameters;
}

/// One call of a stage on one image. Decoding when `probed` is set, encoding otherwise.
struct Call {
    Parameters parameters;
    std::vector<PortShape> inputs;
    std::vector<PortShape> outputs;
    std::optional<ProbedImage> probed;

    OperationCall operation() const { return {parameters, inputs, outputs, probed ? &*probed : nullptr}; }
};

Call decodeCall(const StageKind& kind, std::span<const std::byte> file, Parameters parameters) {
    Call call{std::move(parameters), {BytesShape{ByteCount(file.size())}}, {}, std::nullopt};
    call.probed = probeImage(file, ByteCount(file.size())).value();
    call.outputs = kind.outputShapes(call.operation()).value();
    return call;
}

Call encodeCall(const ImageShape& shape, Parameters parameters) {
    Call call{std::move(parameters), {shape}, {}, std::nullopt};
    call.outputs = stage("encode").outputShapes(call.operation()).value();
    return call;
}

/// Runs the kernel in strips of `rows` rows and says what came of it.
struct Strips {
    Status status;
    std::vector<Message> warnings;
};
Strips runStrips(const CpuKernel& kernel, const Call& call, const PortView& input, const MutablePortView& output,
                 std::int32_t height, std::int32_t rows) {
    auto state = kernel.begin(call.operation());
    if (!state) return {state.error(), {}};
    Status status;
    for (std::int32_t y = 0; y < height && status; y += rows) {
        status = kernel.run(**state, std::span(&input, 1), std::span(&output, 1), {y, std::min(height, y + rows)});
    }
    return {status, (*state)->warnings};
}

std::vector<std::vector<std::byte>> sampleFiles() {
    JpegOptions progressive;
    progressive.progressive = true;
    PngOptions interlaced;
    interlaced.colourType = 2;
    interlaced.bitDepth = 16;
    interlaced.interlaced = true;
    std::vector<std::uint16_t> samples(61 * 47 * 3);
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::uint16_t>(i * 517);
    return {encodedFile(*findCodec("jpeg"), pictureFrame({61, 47, rgb8})),
            encodedFile(*findCodec("jpeg"), pictureFrame({61, 47, gray8})),
            jpegFile(pictureFrame({61, 47, rgb8}), progressive),
            encodedFile(*findCodec("png"), pictureFrame({61, 47, rgba8})), pngFile(61, 47, interlaced, samples)};
}

TEST(Catalog, StagesAndTheirRoles) {
    EXPECT_EQ(stage("decode").description().role, StageRole::source);
    EXPECT_EQ(stage("picture").description().role, StageRole::constant);
    EXPECT_EQ(stage("encode").description().role, StageRole::sink);
    EXPECT_EQ(catalog().converter(), catalog().find("convert"));
    EXPECT_FALSE(catalog().converter()->description().inPalette);
    EXPECT_EQ(catalog().prober(), &probeImage);
    for (const auto& kind : catalog().stages()) EXPECT_TRUE(kind->runsOn(DeviceKind::cpu)) << kind->description().kind;
}

TEST(Decode, StripsGiveTheReference) {
    for (const char* kind : {"decode", "picture"}) {
        for (const auto& file : sampleFiles()) {
            const Call call = decodeCall(stage(kind), file, parametersOf(stage(kind)));
            const auto& shape = std::get<ImageShape>(call.outputs[0]);
            const CpuKernel& kernel = *stage(kind).cpuKernel();
            EXPECT_TRUE(kernel.inOrder());
            Frame expected = emptyFrame(shape);
            const PortView input = BytesView{file};
            const MutablePortView reference = expected.mutableView();
            ASSERT_TRUE(stage(kind).reference(call.operation(), std::span(&input, 1), std::span(&reference, 1)).ok());
            for (const std::int32_t rows : {1, 7, 16, 47}) {
                Frame frame = emptyFrame(shape);
                const auto strips = runStrips(kernel, call, input, frame.mutableView(), shape.height, rows);
                ASSERT_TRUE(strips.status.ok()) << strips.status.error().id;
                EXPECT_TRUE(strips.warnings.empty());
                EXPECT_EQ(largestDifference(frame, expected), 0) << rows << " rows";
            }
        }
    }
}

TEST(Decode, WritesIntoARingAndNowhereElse) {
    for (const auto& file : sampleFiles()) {
        const Call call = decodeCall(stage("decode"), file, parametersOf(stage("decode")));
        const auto& shape = std::get<ImageShape>(call.outputs[0]);
        const Frame expected = decodedFrame(file);
        const CpuKernel& kernel = *stage("decode").cpuKernel();
        auto state = kernel.begin(call.operation());
        ASSERT_TRUE(state.ok());
        constexpr std::int32_t ringRows = 16;
        Frame ring = emptyFrame({shape.width, ringRows, shape.format});
        const std::size_t rowBytes = shape.plane(0).rowBytes();
        for (std::int32_t y = 0; y < shape.height; y += 8) {
            const RowRange rows{y, std::min(shape.height, y + 8)};
            MutableImageView view = ring.mutableView();
            view.shape = shape;
            view.planes[0].shape = shape.plane(0);
            view.planes[0].ringRows = ringRows;
            const PortView input = BytesView{file};
            const MutablePortView output = view;
            ASSERT_TRUE(kernel.run(**state, std::span(&input, 1), std::span(&output, 1), rows).ok());
            for (std::int32_t row = rows.begin; row < rows.end; ++row) {
                ASSERT_EQ(std::memcmp(view.planes[0].row(row), expected.view().planes[0].row(row), rowBytes), 0) << row;
            }
        }
        for (std::int32_t y = 0; y < ringRows; ++y) {  // the bytes between rows
            const PlaneView plane = ring.view().planes[0];
            for (std::size_t i = rowBytes; i < plane.stride; ++i) ASSERT_EQ(plane.row(y)[i], std::byte{0xA5});
        }
    }
}

TEST(Decode, TheParameterSaysWhatBecomesOfDamage) {
    const Frame frame = pictureFrame({61, 47, rgb8});
    const auto whole = encodedFile(*findCodec("jpeg"), frame);
    const auto file = std::span(whole).first(whole.size() * 3 / 4);  // well behind the header
    for (const char* policy : {"fail", "keep"}) {
        const Call call = decodeCall(stage("decode"), file, parametersOf(stage("decode"), {{"damaged", policy}}));
        Frame out = emptyFrame(frame.shape);
        const auto strips = runStrips(*stage("decode").cpuKernel(), call, BytesView{file}, out.mutableView(), 47, 16);
        const bool keep = std::string_view(policy) == "keep";
        EXPECT_EQ(strips.status.ok(), keep);
        ASSERT_EQ(strips.warnings.size(), keep ? 1u : 0u);
        EXPECT_EQ(keep ? strips.warnings[0].id : strips.status.error().id, "image.truncated");
    }
    const Parameters defaults = parametersOf(stage("decode"));
    EXPECT_EQ(parameterText(defaults.at(0)), "fail");
}

TEST(Decode, AFileThatChangedIsNoticed) {
    const auto file = encodedFile(*findCodec("jpeg"), pictureFrame({61, 47, rgb8}));
    const Call call = decodeCall(stage("decode"), file, parametersOf(stage("decode")));
    Frame out = emptyFrame({61, 47, rgb8});
    const std::vector<std::vector<std::byte>> others = {encodedFile(*findCodec("jpeg"), pictureFrame({47, 61, rgb8})),
                                                        encodedFile(*findCodec("png"), pictureFrame({61, 47, rgb8})),
                                                        std::vector<std::byte>(100)};
    for (const auto& other : others) {
        const auto strips = runStrips(*stage("decode").cpuKernel(), call, BytesView{other}, out.mutableView(), 47, 47);
        ASSERT_FALSE(strips.status.ok());
        EXPECT_EQ(strips.status.error().id, "image.changed");
    }
    const auto emptied = runStrips(*stage("decode").cpuKernel(), call, BytesView{}, out.mutableView(), 47, 47);
    EXPECT_EQ(emptied.status.error().id, "image.empty");
}

TEST(Decode, EstimatesGrowWithBytesAndPixels) {
    const auto work = [](std::int32_t width, std::uint64_t bytes) {
        Call call{parametersOf(stage("decode")), {}, {}, ProbedImage{}};
        call.probed->codec = "jpeg";
        call.probed->shape = {width, 100, rgb8};
        call.probed->fileBytes = ByteCount(bytes);
        return stage("decode").work(call.operation());
    };
    EXPECT_GT(work(200, 1000).operations, work(100, 1000).operations);
    EXPECT_GT(work(100, 2000).operations, work(100, 1000).operations);
    EXPECT_GT(work(200, 1000).bytes, work(100, 1000).bytes);
}

TEST(Encode, StripsGiveTheReferenceByteForByte) {
    for (const auto& [format, pixels] :
         {std::pair{"jpeg", gray8}, {"jpeg", rgb8}, {"png", gray8}, {"png", rgb8}, {"png", rgba8}}) {
        const Frame frame = pictureFrame({61, 47, pixels});
        const Call call = encodeCall(frame.shape, parametersOf(stage("encode"), {{"format", format}}));
        const std::size_t bound = std::get<BytesShape>(call.outputs[0]).bound.value;
        const PortView input = frame.view();
        std::vector<std::byte> expected(bound);
        std::size_t expectedSize = 0;
        const MutablePortView reference = MutableBytesView{expected, &expectedSize};
        ASSERT_TRUE(stage("encode").reference(call.operation(), std::span(&input, 1), std::span(&reference, 1)).ok());
        ASSERT_GT(expectedSize, 0u);
        expected.resize(expectedSize);
        EXPECT_TRUE(stage("encode").cpuKernel()->inOrder());
        for (const std::int32_t rows : {1, 5, 16, 47}) {
            std::vector<std::byte> room(bound);
            std::size_t size = 0;
            const auto strips =
                runStrips(*stage("encode").cpuKernel(), call, input, MutableBytesView{room, &size}, 47, rows);
            ASSERT_TRUE(strips.status.ok());
            room.resize(size);
            EXPECT_EQ(room, expected) << format << ", " << rows << " rows";
        }
        EXPECT_LE(largestDifference(decodedFrame(expected), frame), std::string_view(format) == "png" ? 0 : 60);
    }
}

TEST(Encode, TakesWhatTheFormatCanHold) {
    const StageKind& encode = stage("encode");
    const Parameters jpeg = parametersOf(encode);
    const Parameters png = parametersOf(encode, {{"format", "png"}});
    EXPECT_EQ(encode.inputFormats(0, jpeg), (std::vector<PixelFormat>{rgb8, gray8}));
    EXPECT_EQ(encode.inputFormats(0, png), (std::vector<PixelFormat>{rgb8, gray8, rgba8}));
    const auto errorFor = [&](const ImageShape& shape, const Parameters& parameters) {
        const std::vector<PortShape> inputs = {shape};
        const auto shapes = encode.outputShapes({parameters, inputs, {}, nullptr});
        return shapes ? std::string() : shapes.error().id;
    };
    EXPECT_EQ(errorFor({10, 10, rgba8}, jpeg), "encode.format");
    EXPECT_EQ(errorFor({10, 10, rgba8}, png), "");
    EXPECT_EQ(errorFor({65501, 10, rgb8}, jpeg), "encode.tooLarge");
    EXPECT_EQ(errorFor({65500, 10, rgb8}, jpeg), "");
    EXPECT_EQ(errorFor({65535, 10, rgb8}, png), "");
}

TEST(Encode, NamesAndExtensions) {
    const StageKind& encode = stage("encode");
    EXPECT_EQ(encode.summary(parametersOf(encode)), "JPEG, quality 85");
    EXPECT_EQ(encode.fileExtension(parametersOf(encode)), "jpg");
    const Parameters png = parametersOf(encode, {{"format", "png"}, {"png_level", "9"}});
    EXPECT_EQ(encode.summary(png), "PNG, level 9");
    EXPECT_EQ(encode.fileExtension(png), "png");
}

TEST(Encode, ParametersReachTheEncoder) {
    const Frame frame = pictureFrame({100, 80, rgb8});
    const auto size = [&](std::vector<std::pair<std::string_view, std::string_view>> values) {
        const Call call = encodeCall(frame.shape, parametersOf(stage("encode"), std::move(values)));
        std::vector<std::byte> room(std::get<BytesShape>(call.outputs[0]).bound.value);
        std::size_t written = 0;
        EXPECT_TRUE(
            runStrips(*stage("encode").cpuKernel(), call, frame.view(), MutableBytesView{room, &written}, 80, 80)
                .status);
        return written;
    };
    EXPECT_EQ(size({}), size({{"quality", "85"}, {"subsampling", "420"}}));
    EXPECT_LT(size({{"quality", "40"}}), size({}));
    EXPECT_LT(size({}), size({{"subsampling", "422"}}));
    EXPECT_LT(size({{"subsampling", "422"}}), size({{"subsampling", "444"}}));
    EXPECT_LT(size({{"format", "png"}}), size({{"format", "png"}, {"png_level", "0"}}));
}

}  // namespace
}  // namespace lanewright
