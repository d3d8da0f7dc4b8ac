// SPDX-License-Identifier: GPL-3.0-or-later
// Every stage from image to image against its scalar reference, on the CPU for each instruction set and on each kind of
// device that has a kernel; and the promises of the kernel interface: strips, rings, concurrent calls, rowsNeeded(). A
// new stage or device kind is tried without a change here.
#include "kernels/catalog.h"
#include "tests/kernels/conformance_cases.h"
#include "tests/support/device_session.h"
#include "tests/support/image_samples.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <deque>
#include <random>
#include <thread>

namespace lanewright::test {
namespace {

// Cases that the reference would compute for longer are left out; the smaller ones reach the same code.
constexpr double operationLimit = 4e7;
constexpr double deviceOperationLimit = 8e6;

const Catalog& catalog() {
    static const Catalog made = makeCatalog();
    return made;
}

/// One image through one stage, with room for its result.
struct Case {
    const StageKind* stage;
    ParameterSet set;
    ImageShape shape;
    Content content;
    std::deque<GuardedBlock> inputs{};
    std::deque<GuardedBlock> expected{};
    std::vector<PortShape> inputShapes{};
    std::vector<PortShape> outputShapes{};

    OperationCall call() const { return {set.parameters, inputShapes, outputShapes}; }
    std::string text() const {
        return std::string(stage->description().kind) + " {" + set.text + "} of " + shapeText(shape) + ", " +
               std::string(contentName(content));
    }
};

std::vector<PortView> viewsOf(const std::deque<GuardedBlock>& blocks) {
    std::vector<PortView> views;
    for (const GuardedBlock& block : blocks) views.push_back(block.view());
    return views;
}

std::vector<MutablePortView> viewsOf(std::deque<GuardedBlock>& blocks, int) {
    std::vector<MutablePortView> views;
    for (GuardedBlock& block : blocks) views.push_back(block.mutableView());
    return views;
}

std::deque<GuardedBlock> outputBlocks(const Case& c) {
    std::deque<GuardedBlock> blocks;
    for (const PortShape& shape : c.outputShapes) blocks.emplace_back(shape);
    return blocks;
}

/// False where the stage refuses the shape or the reference would take too long.
bool prepareCase(Case& c) {
    c.inputShapes.assign(c.stage->description().inputs.size(), c.shape);
    const auto outputs = c.stage->outputShapes(c.call());
    if (!outputs) return false;
    c.outputShapes = *outputs;
    if (c.stage->work(c.call()).operations > operationLimit) return false;
    for (std::size_t i = 0; i < c.inputShapes.size(); ++i) {
        c.inputs.emplace_back(c.inputShapes[i]);
        fillImage(c.inputs.back().mutableImage(), c.content, static_cast<std::uint32_t>(i + 1));
    }
    return true;
}

void computeReference(Case& c) {
    c.expected = outputBlocks(c);
    ASSERT_TRUE(c.stage->reference(c.call(), viewsOf(c.inputs), viewsOf(c.expected, 0)).ok()) << c.text();
}

void expectAgreement(const Case& c, const std::deque<GuardedBlock>& results, int tolerance, std::string_view what) {
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Difference off = difference(results[i].image(), c.expected[i].image());
        EXPECT_LE(off.largest, tolerance) << what << ": " << c.text() << ": " << off.where;
        EXPECT_TRUE(results[i].guardsIntact()) << what << ": " << c.text() << ": wrote outside its output";
    }
}

/// Calls `visit` with each case of the stage: all contents with the default parameters, one after the other with the rest.
template <class Visit>
int forEachCase(const StageKind& stage, Visit visit) {
    int visited = 0;
    std::size_t turn = 0;
    for (const ParameterSet& set : parameterSets(stage)) {
        for (const Size& size : testSizes()) {
            for (const PixelFormat& format : testFormats(stage, set.parameters)) {
                const std::size_t contents = set.text.empty() ? allContents.size() : 1;
                for (std::size_t i = 0; i < contents; ++i) {
                    Case c{&stage, set, {size.width, size.height, format}, allContents[turn++ % allContents.size()]};
                    if (!prepareCase(c)) continue;
                    visit(c);
                    ++visited;
                    if (testing::Test::HasFatalFailure()) return visited;
                }
            }
        }
    }
    return visited;
}

/// Runs the CPU kernel on the whole image.
std::deque<GuardedBlock> wholeImage(const Case& c) {
    const CpuKernel& kernel = *c.stage->cpuKernel();
    auto results = outputBlocks(c);
    auto state = kernel.begin(c.call());
    EXPECT_TRUE(state.ok()) << c.text();
    if (!state) return results;
    const RowRange all{0, std::get<ImageShape>(c.outputShapes[0]).height};
    EXPECT_TRUE(kernel.run(**state, viewsOf(c.inputs), viewsOf(results, 0), all).ok()) << c.text();
    return results;
}

/// [0, height) in random pieces that begin at multiples of `align`, shuffled where the kernel allows.
std::vector<RowRange> randomStrips(std::int32_t height, std::int32_t align, bool inOrder, std::mt19937& random) {
    std::vector<RowRange> strips;
    for (std::int32_t begin = 0; begin < height;) {
        const auto rows = static_cast<std::int32_t>(1 + random() % 24) * align;
        strips.push_back({begin, std::min(begin + rows, height)});
        begin = strips.back().end;
    }
    if (!inOrder) std::shuffle(strips.begin(), strips.end(), random);
    return strips;
}

/// A ring that holds some rows of an image and nothing else: each plane's rows end where its memory ends, so that
/// AddressSanitizer sees a read behind them.
struct Ring {
    std::array<std::vector<std::byte>, maxPlanes> memory;
    MutableImageView view;
    std::array<RowRange, maxPlanes> rows;

    Ring(const ImageShape& shape, RowRange held, std::int32_t spare) : view{shape, {}} {
        for (std::size_t i = 0; i < shape.planeCount(); ++i) {
            const PlaneShape plane = shape.plane(i);
            const std::int32_t divisor = (shape.height + plane.height - 1) / plane.height;
            rows[i] = {held.begin / divisor, std::min((held.end + divisor - 1) / divisor, plane.height)};
            const std::int32_t ringRows = rows[i].count() + spare;
            memory[i].assign(plane.rowBytes() * static_cast<std::size_t>(ringRows), std::byte{0x5A});
            view.planes[i] = {memory[i].data(), plane.rowBytes(), plane, ringRows};
        }
    }

    void copyIn(const ImageView& image) {
        for (std::size_t i = 0; i < image.shape.planeCount(); ++i) {
            for (std::int32_t y = rows[i].begin; y < rows[i].end; ++y) {
                std::copy_n(image.planes[i].row(y), view.planes[i].shape.rowBytes(), view.planes[i].row(y));
            }
        }
    }
    ImageView constView() const {
        ImageView result{view.shape, {}};
        for (std::size_t i = 0; i < view.shape.planeCount(); ++i) result.planes[i] = view.planes[i];
        return result;
    }
};

/// Runs one strip with rings as inputs that hold rowsNeeded() only.
void runWithRings(const Case& c, CpuKernel::State& state, RowRange strip, std::deque<GuardedBlock>& results,
                  std::int32_t spare) {
    const CpuKernel& kernel = *c.stage->cpuKernel();
    std::deque<Ring> rings;
    std::vector<PortView> views;
    for (std::size_t port = 0; port < c.inputs.size(); ++port) {
        const auto& shape = std::get<ImageShape>(c.inputShapes[port]);
        const RowRange needed = kernel.rowsNeeded(state, port, strip);
        ASSERT_TRUE(needed.begin >= 0 && needed.end <= shape.height && needed.begin <= needed.end)
            << c.text() << ": rows " << strip.begin << ".." << strip.end << " need " << needed.begin << ".."
            << needed.end;
        rings.emplace_back(shape, needed, spare);
        rings.back().copyIn(c.inputs[port].image());
        views.push_back(rings.back().constView());
    }
    ASSERT_TRUE(kernel.run(state, views, viewsOf(results, 0), strip).ok()) << c.text();
}

class Conformance : public testing::TestWithParam<std::string> {
protected:
    const StageKind& stage() const { return *catalog().find(GetParam()); }
    void SetUp() override {
        if (!stage().cpuKernel()) GTEST_SKIP() << "no CPU kernel";
    }
    void TearDown() override { hwy::SetSupportedTargetsForTest(0), hwy::GetChosenTarget().DeInit(); }
};

TEST_P(Conformance, CpuAgreesWithTheReferenceOnEachInstructionSet) {
    const auto targets = hwy::SupportedAndGeneratedTargets();
    const int visited = forEachCase(stage(), [&](Case& c) {
        computeReference(c);
        for (const std::int64_t target : targets) {
            hwy::SetSupportedTargetsForTest(target);
            hwy::GetChosenTarget().Update(target);
            expectAgreement(c, wholeImage(c), c.set.tolerance, hwy::TargetName(target));
        }
    });
    EXPECT_GT(visited, 20);
}

TEST_P(Conformance, StripsOfRingsGiveTheSameBytes) {
    std::mt19937 random(7);
    forEachCase(stage(), [&](Case& c) {
        c.expected = wholeImage(c);
        const CpuKernel& kernel = *c.stage->cpuKernel();
        auto state = kernel.begin(c.call());
        ASSERT_TRUE(state.ok());
        auto results = outputBlocks(c);
        const auto height = std::get<ImageShape>(c.outputShapes[0]).height;
        for (const RowRange strip : randomStrips(height, kernel.rowAlign(**state), kernel.inOrder(), random)) {
            runWithRings(c, **state, strip, results, static_cast<std::int32_t>(random() % 3));
        }
        expectAgreement(c, results, 0, "strips");
    });
}

TEST_P(Conformance, StripsMayBeWrittenIntoRings) {
    std::mt19937 random(8);
    forEachCase(stage(), [&](Case& c) {
        if (c.outputShapes.size() != 1 || c.stage->cpuKernel()->inOrder()) return;
        c.expected = wholeImage(c);
        const CpuKernel& kernel = *c.stage->cpuKernel();
        auto state = kernel.begin(c.call());
        ASSERT_TRUE(state.ok());
        const auto& shape = std::get<ImageShape>(c.outputShapes[0]);
        const auto strips = randomStrips(shape.height, kernel.rowAlign(**state), false, random);
        Ring ring(shape, strips.front(), 0);
        const std::vector<MutablePortView> outputs{ring.view};
        ASSERT_TRUE(kernel.run(**state, viewsOf(c.inputs), outputs, strips.front()).ok());
        const PlaneView whole = c.expected[0].image().planes[0];
        for (std::int32_t y = strips.front().begin; y < strips.front().end; ++y) {
            EXPECT_TRUE(std::equal(whole.row(y), whole.row(y) + whole.shape.rowBytes(), ring.view.planes[0].row(y)))
                << c.text() << ": row " << y;
        }
    });
}

TEST_P(Conformance, LanesMayShareAnImage) {
    std::mt19937 random(9);
    forEachCase(stage(), [&](Case& c) {
        const CpuKernel& kernel = *c.stage->cpuKernel();
        if (kernel.inOrder()) return;
        c.expected = wholeImage(c);
        auto state = kernel.begin(c.call());
        ASSERT_TRUE(state.ok());
        auto results = outputBlocks(c);
        const auto height = std::get<ImageShape>(c.outputShapes[0]).height;
        const auto strips = randomStrips(height, kernel.rowAlign(**state), false, random);
        const auto lane = [&](std::size_t first) {
            const auto inputs = viewsOf(c.inputs);
            const auto outputs = viewsOf(results, 0);
            for (std::size_t i = first; i < strips.size(); i += 2) {
                EXPECT_TRUE(kernel.run(**state, inputs, outputs, strips[i]).ok()) << c.text();
            }
        };
        std::thread other(lane, 0);
        lane(1);
        other.join();
        expectAgreement(c, results, 0, "two lanes");
    });
}

TEST_P(Conformance, DevicesAgreeWithTheReference) {
    int kinds = 0;
    for (const DeviceSessionKind& kind : deviceSessionKinds()) {
        const DeviceKernel* kernel = stage().deviceKernel(kind.kind);
        if (!kernel) continue;
        const auto session = kind.open();
        if (!session) {
            std::cout << kind.name << " skipped: " << session.error().argument("reason") << '\n';
            continue;
        }
        ++kinds;
        std::deque<Case> batch;
        const auto runBatch = [&] {
            std::vector<DeviceJob> jobs(batch.size());
            std::deque<std::deque<GuardedBlock>> results;
            for (std::size_t i = 0; i < batch.size(); ++i) {
                results.push_back(outputBlocks(batch[i]));
                for (auto& block : batch[i].inputs) jobs[i].inputs.push_back(&block);
                for (auto& block : results[i]) jobs[i].outputs.push_back(&block);
            }
            if (batch.empty()) return;
            const Status status = (*session)->run(*kernel, batch.front().set.parameters, jobs);
            ASSERT_TRUE(status.ok()) << batch.front().text() << ": " << status.error().id << " "
                                     << status.error().argument("error") << status.error().argument("log");
            for (std::size_t i = 0; i < batch.size(); ++i) {
                expectAgreement(batch[i], results[i], batch[i].set.tolerance, kind.name);
            }
            batch.clear();
        };
        // Cases of one parameter set together: a step has images of mixed sizes.
        const int visited = forEachCase(stage(), [&](Case& c) {
            if (c.stage->work(c.call()).operations > deviceOperationLimit) return;
            if (!batch.empty() && !(batch.front().set.parameters == c.set.parameters)) runBatch();
            computeReference(c);
            batch.push_back(std::move(c));
        });
        runBatch();
        EXPECT_GT(visited, 20);
    }
    if (kinds == 0) GTEST_SKIP() << "no device with a kernel for this stage";
}

std::vector<std::string> transformStages() {
    std::vector<std::string> kinds;
    for (const auto& stage : catalog().stages()) {
        if (stage->description().role == StageRole::transform) kinds.emplace_back(stage->description().kind);
    }
    return kinds;
}

INSTANTIATE_TEST_SUITE_P(Stages, Conformance, testing::ValuesIn(transformStages()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace lanewright::test
