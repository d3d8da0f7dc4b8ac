// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_stages.h"

#include "tests/support/test_file.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

namespace lanewright::test {
namespace {

Message damaged() { return {"image.damaged", {{"codec", "test"}}}; }

const ImageShape& imageOf(const PortShape& shape) { return std::get<ImageShape>(shape); }
const PlaneView& planeOf(const PortView& view) { return std::get<ImageView>(view).planes[0]; }
const MutablePlaneView& planeOf(const MutablePortView& view) { return std::get<MutableImageView>(view).planes[0]; }

double samplesOf(const PortShape& shape) {
    const auto* image = std::get_if<ImageShape>(&shape);
    return image ? static_cast<double>(image->width) * image->height * image->format.components() : 0;
}

struct TestState : CpuKernel::State {
    Parameters parameters;
    std::vector<PortShape> inputs;
    std::vector<PortShape> outputs;
    std::size_t written = 0;  ///< of a sink
};

/// What all test operations share: pointwise rows, one operation a sample, a reference that runs the kernel once.
template <class Base>
class TestKernel : public Base, public CpuKernel {
public:
    const CpuKernel* cpuKernel() const override { return this; }

    Result<std::vector<PortShape>> outputShapes(const OperationCall& call) const override {
        return std::vector<PortShape>{call.inputs[0]};
    }
    WorkEstimate work(const OperationCall& call) const override {
        WorkEstimate estimate;
        for (const auto ports : {call.inputs, call.outputs}) {
            for (const PortShape& port : ports) {
                estimate.operations = std::max(estimate.operations, samplesOf(port));
                estimate.bytes += static_cast<double>(sizeOf(port).value);
            }
        }
        return estimate;
    }
    Status reference(const OperationCall& call, std::span<const PortView> inputs,
                     std::span<const MutablePortView> outputs) const override {
        auto state = begin(call);
        if (!state) return state.error();
        const auto* image = std::get_if<ImageShape>(&call.outputs[0]);
        return run(**state, inputs, outputs, {0, image ? image->height : imageOf(call.inputs[0]).height});
    }

    Result<std::unique_ptr<State>> begin(const OperationCall& call) const override {
        auto state = std::make_unique<TestState>();
        state->parameters = call.parameters;
        state->inputs.assign(call.inputs.begin(), call.inputs.end());
        state->outputs.assign(call.outputs.begin(), call.outputs.end());
        return std::unique_ptr<State>(std::move(state));
    }
    RowRange rowsNeeded(const State&, std::size_t, RowRange rows) const override { return rows; }
};

class TestStage : public TestKernel<StageKind> {
public:
    const StageDescription& description() const override { return m_description; }
    std::vector<PixelFormat> inputFormats(std::size_t, const Parameters&) const override { return {gray8, rgb8}; }

protected:
    explicit TestStage(StageDescription description) : m_description(std::move(description)) {}

private:
    StageDescription m_description;
};

StageDescription describe(std::string_view kind, std::string_view letter, StageRole role,
                          std::span<const ParameterDeclaration> parameters = {}) {
    StageDescription description;
    description.kind = kind;
    description.label = kind;
    description.letter = letter;
    description.help = "For tests.";
    description.role = role;
    description.parameters = parameters;
    const bool reads = role == StageRole::source || role == StageRole::constant;
    description.category = reads                     ? StageCategory::decode
                           : role == StageRole::sink ? StageCategory::encode
                                                     : StageCategory::filter;
    if (!reads) description.inputs = {{"image", "Image"}};
    if (role != StageRole::sink) description.outputs = {{"image", "Image"}};
    return description;
}

ParameterDeclaration declaration(std::string_view name, double minimum = 0, double maximum = 0,
                                 std::vector<ParameterChoice> choices = {}) {
    ParameterDeclaration made;
    made.name = name;
    made.label = name;
    made.help = "For tests.";
    made.minimum = minimum;
    made.maximum = maximum;
    made.choices = std::move(choices);
    return made;
}

// Sources.

struct PictureParameters {
    std::string file;
};
const ParameterTable<PictureParameters>& pictureTable() {
    static const auto table = ParameterTable<PictureParameters>().path(declaration("file"), &PictureParameters::file);
    return table;
}

class Source final : public TestStage {
public:
    explicit Source(StageRole role)
        : TestStage(role == StageRole::source ? describe("test_source", "D", role)
                                              : describe("test_picture", "P", role, pictureTable().declarations())) {}

    Result<std::vector<PortShape>> outputShapes(const OperationCall& call) const override {
        if (!call.image) return damaged();
        return std::vector<PortShape>{call.image->shape};
    }
    Status run(State&, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
               RowRange rows) const override {
        const auto bytes = std::get<BytesView>(inputs[0]).bytes;
        const MutablePlaneView& out = planeOf(outputs[0]);
        const auto header = readTestFileHeader(bytes);
        if (!header || header->width != out.shape.width || header->height != out.shape.height) return damaged();
        const auto payload = bytes.subspan(testFileHeaderBytes);
        if (payload.empty()) return damaged();
        const std::size_t rowBytes = out.shape.rowBytes();
        std::size_t next = static_cast<std::size_t>(rows.begin) * rowBytes % payload.size();
        for (std::int32_t y = rows.begin; y < rows.end; ++y) {
            for (std::byte& sample : std::span(out.row(y), rowBytes)) {
                sample = payload[next];
                next = next + 1 == payload.size() ? 0 : next + 1;
            }
        }
        return {};
    }
    RowRange rowsNeeded(const State&, std::size_t, RowRange) const override { return {0, 0}; }
    bool inOrder() const override { return true; }
};

// Transforms.

void addToRows(const PlaneView& in, const MutablePlaneView& out, RowRange rows, int value) {
    const std::size_t rowBytes = out.shape.rowBytes();
    for (std::int32_t y = rows.begin; y < rows.end; ++y) {
        std::transform(in.row(y), in.row(y) + rowBytes, out.row(y), [value](std::byte sample) {
            return static_cast<std::byte>(std::to_integer<int>(sample) + value);
        });
    }
}

struct AddParameters {
    std::int32_t value = 1;
};
const ParameterTable<AddParameters>& addTable() {
    static const auto table =
        ParameterTable<AddParameters>().integer(declaration("value", 0, 255), &AddParameters::value);
    return table;
}

class Add final : public TestStage {
public:
    Add() : TestStage(describe("test_add", "A", StageRole::transform, addTable().declarations())) {}
    Status run(State& state, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
               RowRange rows) const override {
        const int value = addTable().bind(static_cast<TestState&>(state).parameters).value;
        addToRows(planeOf(inputs[0]), planeOf(outputs[0]), rows, value);
        return {};
    }
};

struct SlowParameters {
    double milliseconds = 1;
};
const ParameterTable<SlowParameters>& slowTable() {
    static const auto table =
        ParameterTable<SlowParameters>().real(declaration("milliseconds", 0, 60000), &SlowParameters::milliseconds);
    return table;
}

class Slow final : public TestStage {
public:
    Slow() : TestStage(describe("test_slow", "S", StageRole::transform, slowTable().declarations())) {}
    WorkEstimate work(const OperationCall& call) const override {
        return {slowTable().bind(call.parameters).milliseconds * 1e6, TestStage::work(call).bytes};
    }
    Status run(State& state, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
               RowRange rows) const override {
        const MutablePlaneView& out = planeOf(outputs[0]);
        const double milliseconds = slowTable().bind(static_cast<TestState&>(state).parameters).milliseconds;
        std::this_thread::sleep_for(
            std::chrono::duration<double, std::milli>(milliseconds * rows.count() / out.shape.height));
        addToRows(planeOf(inputs[0]), out, rows, 0);
        return {};
    }
};

class Blend final : public TestStage {
public:
    Blend() : TestStage(blendDescription()) {}
    Status run(State&, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
               RowRange rows) const override {
        const PlaneView& image = planeOf(inputs[0]);
        const PlaneView& overlay = planeOf(inputs[1]);
        const MutablePlaneView& out = planeOf(outputs[0]);
        for (std::int32_t y = rows.begin; y < rows.end; ++y) {
            const std::byte* under = image.row(y);
            const std::byte* over = overlay.row(y % overlay.shape.height);
            std::byte* to = out.row(y);
            for (std::int32_t x = 0; x < out.shape.width; ++x) {
                const auto overPixel = static_cast<std::ptrdiff_t>(x % overlay.shape.width) * overlay.shape.components;
                for (std::int32_t c = 0; c < out.shape.components; ++c) {
                    const std::byte other = over[overPixel + c % overlay.shape.components];
                    *to++ = static_cast<std::byte>((std::to_integer<int>(*under++) + std::to_integer<int>(other)) / 2);
                }
            }
        }
        return {};
    }
    RowRange rowsNeeded(const State& state, std::size_t port, RowRange rows) const override {
        if (port == 0) return rows;
        return {0, imageOf(static_cast<const TestState&>(state).inputs[1]).height};
    }

private:
    static StageDescription blendDescription() {
        auto description = describe("test_blend", "B", StageRole::transform);
        description.inputs.push_back({"overlay", "Overlay"});
        return description;
    }
};

class SplitPhase final : public TestKernel<Operation> {
public:
    SplitPhase(std::string_view name, int value) : m_name(name), m_value(value) {}
    std::string_view operationName() const override { return m_name; }
    Status run(State&, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
               RowRange rows) const override {
        addToRows(planeOf(inputs[0]), planeOf(outputs[0]), rows, m_value);
        return {};
    }

private:
    std::string_view m_name;
    int m_value;
};

class Split final : public TestStage {
public:
    Split() : TestStage(describe("test_split", "2", StageRole::transform)) {}
    std::vector<Phase> phases(DeviceKind) const override { return {{&m_host, true}, {&m_device, false}}; }
    Status run(State&, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
               RowRange rows) const override {
        addToRows(planeOf(inputs[0]), planeOf(outputs[0]), rows, 5);
        return {};
    }

private:
    SplitPhase m_host{"test_split.host", 2};
    SplitPhase m_device{"test_split.device", 3};
};

struct ConvertParameters {
    std::string format = "gray 8-bit";
};
const ParameterTable<ConvertParameters>& convertTable() {
    static const auto table =
        ParameterTable<ConvertParameters>().text(declaration("format"), &ConvertParameters::format);
    return table;
}

class Convert final : public TestStage {
public:
    Convert() : TestStage(convertDescription()) {}
    Result<std::vector<PortShape>> outputShapes(const OperationCall& call) const override {
        ImageShape shape = imageOf(call.inputs[0]);
        const std::string wanted = convertTable().bind(call.parameters).format;
        for (const PixelFormat& format : {gray8, rgb8}) {
            shape.format = format;
            if (formatName(format) == wanted) return std::vector<PortShape>{shape};
        }
        return Message{"shape.format", {{"format", wanted}}};
    }
    Status run(State&, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
               RowRange rows) const override {
        const PlaneView& in = planeOf(inputs[0]);
        const MutablePlaneView& out = planeOf(outputs[0]);
        for (std::int32_t y = rows.begin; y < rows.end; ++y) {
            for (std::int32_t x = 0; x < out.shape.width; ++x) {
                const std::byte* from = in.row(y) + static_cast<std::ptrdiff_t>(x) * in.shape.components;
                std::byte* to = out.row(y) + static_cast<std::ptrdiff_t>(x) * out.shape.components;
                for (std::int32_t c = 0; c < out.shape.components; ++c) to[c] = from[c % in.shape.components];
            }
        }
        return {};
    }

private:
    static StageDescription convertDescription() {
        auto description = describe("test_convert", "C", StageRole::transform, convertTable().declarations());
        description.inPalette = false;
        return description;
    }
};

// The sink.

enum class SinkFormat : std::uint8_t { any, gray, rgb };
struct SinkParameters {
    SinkFormat format = SinkFormat::any;
};
const ParameterTable<SinkParameters>& sinkTable() {
    static const auto table = ParameterTable<SinkParameters>().choice(
        declaration("format", 0, 0, {{"any", "Any"}, {"gray", "Gray"}, {"rgb", "RGB"}}), &SinkParameters::format);
    return table;
}

class Sink final : public TestStage {
public:
    Sink() : TestStage(describe("test_sink", "E", StageRole::sink, sinkTable().declarations())) {}
    std::vector<PixelFormat> inputFormats(std::size_t, const Parameters& parameters) const override {
        switch (sinkTable().bind(parameters).format) {
        case SinkFormat::any: break;
        case SinkFormat::gray: return {gray8};
        case SinkFormat::rgb: return {rgb8};
        }
        return {gray8, rgb8};
    }
    std::string fileExtension(const Parameters&) const override { return "lwt"; }
    Result<std::vector<PortShape>> outputShapes(const OperationCall& call) const override {
        return std::vector<PortShape>{
            BytesShape{ByteCount(testFileHeaderBytes + static_cast<std::size_t>(samplesOf(call.inputs[0])))}};
    }
    Status run(State& state, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
               RowRange rows) const override {
        auto& testState = static_cast<TestState&>(state);
        const PlaneView& in = planeOf(inputs[0]);
        const MutableBytesView& out = std::get<MutableBytesView>(outputs[0]);
        const std::size_t rowBytes = in.shape.rowBytes();
        const std::size_t rowCount = static_cast<std::size_t>(rows.count());
        const std::size_t begin = rows.begin == 0 ? testFileHeaderBytes : testState.written;
        if (out.room.size() < begin + rowCount * rowBytes) return Message{"encode.noRoom", {}};
        if (rows.begin == 0) {
            const auto header = testFileHeader({in.shape.width, in.shape.height, in.shape.components});
            std::copy(header.begin(), header.end(), out.room.begin());
        }
        testState.written = begin;
        for (std::int32_t y = rows.begin; y < rows.end; ++y, testState.written += rowBytes) {
            std::memcpy(out.room.data() + testState.written, in.row(y), rowBytes);
        }
        *out.actual = testState.written;
        return {};
    }
    bool inOrder() const override { return true; }
};

}  // namespace

Catalog makeTestCatalog() {
    Catalog catalog;
    catalog.add(std::make_unique<Source>(StageRole::source));
    catalog.add(std::make_unique<Source>(StageRole::constant));
    catalog.add(std::make_unique<Add>());
    catalog.add(std::make_unique<Slow>());
    catalog.add(std::make_unique<Blend>());
    catalog.add(std::make_unique<Split>());
    catalog.add(std::make_unique<Sink>());
    auto converter = std::make_unique<Convert>();
    catalog.setConverter(converter.get());
    catalog.add(std::move(converter));
    catalog.setProber(&probeTestFile);
    return catalog;
}

}  // namespace lanewright::test
