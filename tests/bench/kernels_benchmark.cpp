// SPDX-License-Identifier: GPL-3.0-or-later
// Speed of CPU kernels on one core, at 12 megapixels. Absolute times drift with the machine's load, so each result also
// says how many times as long it took as copying the source once in the same run (x_copy, by processor time).
#include "kernels/catalog.h"
#include "tests/support/image_samples.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>

namespace lanewright {
namespace {

using test::GuardedBlock;

constexpr int sourceCount = 3;  // so that no source stays in the second cache

const Catalog& catalog() {
    static const Catalog made = makeCatalog();
    return made;
}

struct Job {
    const char* stage;
    std::map<std::string, std::string> settings;
    ImageShape shape;
};

Parameters parametersOf(const StageKind& stage, const Job& job) {
    const auto declarations = stage.description().parameters;
    Parameters parameters(declarations);
    for (const auto& [name, text] : job.settings) {
        const auto index = findParameter(declarations, name);
        if (!index) continue;
        const auto value = parsedParameter(declarations[*index], text);
        if (value) parameters.set(*index, *value);
    }
    return parameters;
}

std::deque<GuardedBlock>& sourcesOf(const ImageShape& shape) {
    static std::map<ImageShape, std::deque<GuardedBlock>> made;
    auto& blocks = made[shape];
    for (std::uint32_t seed = 0; blocks.size() < sourceCount; ++seed) {
        blocks.emplace_back(shape);
        fillImage(blocks.back().mutableImage(), test::Content::random, seed);
    }
    return blocks;
}

/// Processor time of this program, which other programs do not lengthen as they do the wall clock's.
double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Seconds for copying one source: the least of a few, not the first (which touches fresh pages).
double copySeconds(std::deque<GuardedBlock>& sources) {
    std::vector<std::byte> copy(sources.front().size());
    double least = 1e9;
    for (int i = 0; i < 6; ++i) {
        const double begin = processorSeconds();
        std::memcpy(copy.data(), sources[static_cast<std::size_t>(i % sourceCount)].data(), copy.size());
        benchmark::DoNotOptimize(copy.data());
        if (i > 0) least = std::min(least, processorSeconds() - begin);
    }
    return least;
}

void runJob(benchmark::State& state, const Job& job) {
    const StageKind& stage = *catalog().find(job.stage);
    const Parameters parameters = parametersOf(stage, job);
    auto& sources = sourcesOf(job.shape);
    const std::vector<PortShape> inputs{job.shape};
    const auto outputs = stage.outputShapes({parameters, inputs, {}});
    if (!outputs) return state.SkipWithError("the stage refuses this image");
    const OperationCall call{parameters, inputs, *outputs};
    GuardedBlock result((*outputs)[0]);
    const std::vector<MutablePortView> resultViews{result.mutableView()};
    const RowRange rows{0, std::get<ImageShape>((*outputs)[0]).height};
    const double copy = copySeconds(sources);
    std::size_t next = 0;
    const double begin = processorSeconds();
    for (auto _ : state) {
        const std::vector<PortView> views{sources[next++ % sourceCount].view()};
        auto kernelState = stage.cpuKernel()->begin(call);
        if (!kernelState || !stage.cpuKernel()->run(**kernelState, views, resultViews, rows)) {
            return state.SkipWithError("the kernel failed");
        }
    }
    using Counter = benchmark::Counter;
    const auto iterations = static_cast<double>(state.iterations());
    state.counters["pixels/s"] = Counter(job.shape.megapixels() * 1e6 * iterations, Counter::kIsRate);
    state.counters["x_copy"] = (processorSeconds() - begin) / iterations / copy;
}

void addJob(const std::string& name, Job job) {
    benchmark::RegisterBenchmark(name.c_str(), runJob, std::move(job))->Unit(benchmark::kMillisecond);
}

void addJobs() {
    const std::pair<const char*, PixelFormat> formats[] = {{"gray", gray8}, {"rgb", rgb8}, {"rgba", rgba8}};
    const std::map<std::string, std::string> size{{"width", "1024"}, {"height", "768"}, {"fit", "exact"}};
    for (const auto& [format, pixels] : formats) {
        const ImageShape photo{4000, 3000, pixels};
        for (const char* filter : {"nearest", "bilinear", "bicubic", "lanczos3", "area"}) {
            auto settings = size;
            settings["filter"] = filter;
            addJob(std::string("resize/4000x3000_to_1024x768/") + filter + "/" + format, {"resize", settings, photo});
        }
        addJob(std::string("resize/1024x768_to_4000x3000/lanczos3/") + format,
               {"resize", {{"width", "4000"}}, {1024, 768, pixels}});
        for (const char* sigma : {"1.5", "10"}) {
            addJob(std::string("gaussian_blur/4000x3000/") + sigma + "/" + format,
                   {"gaussian_blur", {{"sigma", sigma}}, photo});
            addJob(std::string("gaussian_blur/1024x768/") + sigma + "/" + format,
                   {"gaussian_blur", {{"sigma", sigma}}, {1024, 768, pixels}});
        }
    }
}

}  // namespace
}  // namespace lanewright

int main(int argc, char** argv) {
    lanewright::addJobs();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
