// SPDX-License-Identifier: GPL-3.0-or-later
// A list scheduler over a fixed chain of steps: whichever step can begin first is next, the deepest of equals.
#include "tests/support/run_fixture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

namespace lanewright::test {
namespace {

/// The same numbers with every standard library.
class Random {
public:
    explicit Random(std::uint64_t seed) : m_state(seed * 0x9e3779b97f4a7c15U + 0x1234567) {}
    std::uint64_t next() {
        std::uint64_t z = (m_state += 0x9e3779b97f4a7c15U);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    double real() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    double between(double low, double high) { return low + (high - low) * real(); }

private:
    std::uint64_t m_state;
};

enum Template : std::uint16_t {
    readFile,
    decode,
    resizeCpu,
    blurCpu,
    upload,
    resizeGpu,
    blurGpu,
    download,
    encode,
    writeFile,
    setUp
};
enum FixtureLane : std::uint16_t { worker1, worker2, gpuCompute, gpuUpload, gpuDownload, storageRead, storageWrite };

struct StepKind {
    Template stepTemplate;
    std::array<std::optional<FixtureLane>, 2> lanes;
    double msPerMegapixel;
    double bytesPerPixel;  ///< of the source image
};

constexpr StepKind readStep{readFile, {storageRead}, 0.12, 0.16};
constexpr StepKind decodeStep{decode, {worker1, worker2}, 7.1, 0};
constexpr StepKind encodeStep{encode, {worker1, worker2}, 0.75, 0.012};
constexpr StepKind writeStep{writeFile, {storageWrite}, 0.05, 0.012};
constexpr std::array cpuChain = {readStep,
                                 decodeStep,
                                 StepKind{resizeCpu, {worker1, worker2}, 1.9, 0},
                                 StepKind{blurCpu, {worker1, worker2}, 0.45, 0},
                                 encodeStep,
                                 writeStep};
constexpr std::array gpuChain = {readStep,
                                 decodeStep,
                                 StepKind{upload, {gpuUpload}, 0.55, 3},
                                 StepKind{resizeGpu, {gpuCompute}, 2.4, 0},
                                 StepKind{blurGpu, {gpuCompute}, 0.8, 0},
                                 StepKind{download, {gpuDownload}, 0.09, 0.2},
                                 encodeStep,
                                 writeStep};

struct ImageState {
    std::span<const StepKind> chain;
    std::size_t next = 0;
    Instant ready;
    StepId cause;
    bool failsAtDecode = false;
};

std::vector<TraceTemplate> fixtureTemplates() {
    const auto make = [](SpanCategory category, const char* name, std::size_t stage, const char* id, const char* letter,
                         std::vector<std::uint16_t> in, std::vector<std::uint16_t> out) {
        TraceTemplate t;
        t.category = category;
        t.name = name;
        t.stage = StageIndex(stage);
        t.stageId = id;
        t.letter = letter;
        t.inputs = std::move(in);
        t.outputs = std::move(out);
        return t;
    };
    using enum SpanCategory;
    std::vector<TraceTemplate> templates = {
        make(read, "read decode", 0, "decode", "D", {}, {0}),
        make(stage, "decode", 0, "decode", "D", {0}, {1}),
        make(stage, "resize", 1, "resize", "R", {1}, {2}),
        make(stage, "blur", 2, "blur", "F", {2}, {3}),
        make(copy, "copy decode.image host>opencl:0", 0, "decode", "D", {1}, {1}),
        make(stage, "resize", 1, "resize", "R", {1}, {2}),
        make(stage, "blur", 2, "blur", "F", {2}, {3}),
        make(copy, "copy blur.image opencl:0>host", 2, "blur", "F", {3}, {3}),
        make(stage, "encode", 3, "encode", "E", {3}, {4}),
        make(write, "write encode", 3, "encode", "E", {4}, {}),
        make(setup, "set-up: compile resize", 1, "resize", "R", {}, {}),
    };
    templates[upload].from = templates[download].to = MemoryId(std::size_t{0});
    templates[upload].to = templates[download].from = MemoryId(std::size_t{1});
    templates[setUp].stage = {};
    return templates;
}

/// One trace of the fixture; `jitter` 0 gives the prediction.
class Schedule {
public:
    Schedule(const RunFixtureOptions& options, TraceOrigin origin, double jitter, std::uint64_t seed)
        : m_options(options), m_random(seed), m_jitter(jitter) {
        m_trace.origin = origin;
        m_trace.machine = makeFixtureMachine();
        m_trace.templates = fixtureTemplates();
        m_trace.limits = {10, {ByteCount(8ULL << 30), ByteCount(2ULL << 30)}};
        m_trace.clockUncertainty = {Duration(0), Duration(4'000), Duration(0)};
        m_trace.counters = {{"images in flight", {}}, {"live bytes host", {}}};
        if (origin == TraceOrigin::simulated) m_trace.seed = seed;
    }

    Trace run() {
        if (m_trace.origin == TraceOrigin::measured) addSetUp();
        m_lanesFree.fill(m_trace.start);
        m_end = m_trace.start;
        for (std::size_t i = 0; i < m_options.images; ++i) {
            const bool gpu = i % 3 != 2;
            ImageState state;
            state.chain = gpu ? std::span<const StepKind>(gpuChain) : std::span<const StepKind>(cpuChain);
            state.failsAtDecode = m_options.failures && i == 17;
            m_images.push_back(state);
        }
        while (m_admitted < std::min<std::size_t>(10, m_images.size())) admit(m_trace.start, {});
        while (step()) {}
        if (m_options.failures && m_trace.origin == TraceOrigin::measured)
            m_trace.superseded.push_back(
                {StepId(std::size_t{60}), 0, {"attempt.outOfMemory", {{"device", "opencl:0"}}}, m_end, {}});
        m_trace.end = m_end;
        flush();
        return std::move(m_trace);
    }

private:
    struct Pick {
        std::size_t image = 0;
        FixtureLane lane = worker1;
        Instant begin;
    };

    void addSetUp() {
        Span span;
        span.begin = span.ready = span.submitted = instantFromNs(120'000);
        span.end = span.returned = instantFromNs(148'000'000);
        span.step = StepId(m_nextStep++);
        span.stepTemplate = setUp;
        span.lane = gpuCompute;
        m_chunk.push_back(span);
        m_trace.start = instantFromNs(150'000'000);
    }

    void admit(Instant when, StepId cause) {
        m_images[m_admitted].ready = when;
        m_images[m_admitted].cause = cause;
        ++m_admitted;
        ++m_inFlight;
        sample(when);
    }

    void sample(Instant when) {
        m_trace.counters[0].samples.push_back({when, static_cast<double>(m_inFlight)});
        m_trace.counters[1].samples.push_back({when, static_cast<double>(m_inFlight) * m_options.megapixels * 3.4e6});
    }

    std::optional<Pick> choose() const {
        std::optional<Pick> best;
        for (std::size_t i = m_firstOpen; i < m_admitted; ++i) {
            const ImageState& image = m_images[i];
            if (image.next >= image.chain.size()) continue;
            for (const auto lane : image.chain[image.next].lanes) {
                if (!lane) continue;
                const Instant begin = std::max(image.ready, m_lanesFree[*lane]);
                const bool deeper = best && begin == best->begin && image.next > m_images[best->image].next;
                if (!best || begin < best->begin || deeper) best = Pick{i, *lane, begin};
            }
        }
        return best;
    }

    Duration durationOf(const StepKind& kind) {
        const double ms =
            kind.msPerMegapixel * m_options.megapixels * (1 + m_jitter * (m_random.real() + m_random.real() - 0.9));
        return Duration(static_cast<std::int64_t>(ms * 1e6));
    }

    bool step() {
        const auto pick = choose();
        if (!pick) return false;
        ImageState& image = m_images[pick->image];
        const StepKind& kind = image.chain[image.next];
        const bool measured = m_trace.origin != TraceOrigin::predicted;
        Span span;
        span.ready = image.ready;
        span.submitted = pick->begin;
        span.begin = pick->begin + (measured ? Duration(2'000 + m_random.next() % 9'000) : Duration(0));
        span.end = span.begin + durationOf(kind);
        span.returned = kind.lanes[1] ? span.end : span.submitted + (measured ? Duration(1'500) : Duration(0));
        span.bytes = ByteCount(static_cast<std::uint64_t>(kind.bytesPerPixel * m_options.megapixels * 1e6));
        span.step = StepId(m_nextStep++);
        span.image = ImageIndex(pick->image);
        span.cause = image.cause;
        span.stepTemplate = kind.stepTemplate;
        span.lane = pick->lane;
        m_chunk.push_back(span);
        if (m_chunk.size() == 4096) flush();
        m_lanesFree[pick->lane] = span.end;
        m_end = std::max(m_end, span.end);
        image.ready = span.end;
        image.cause = span.step;
        const bool failed = image.failsAtDecode && kind.stepTemplate == decode;
        image.next = failed ? image.chain.size() : image.next + 1;
        if (image.next >= image.chain.size()) endImage(pick->image, span, failed);
        return true;
    }

    void endImage(std::size_t image, const Span& last, bool failed) {
        for (std::size_t stage = 0; stage < 4; ++stage) {
            const OutcomeKind kind = !failed      ? OutcomeKind::done
                                     : stage == 0 ? OutcomeKind::failed
                                                  : OutcomeKind::skipped;
            m_trace.outcomes.push_back({ImageIndex(image), StageIndex(stage), kind});
        }
        m_trace.imageEnds.push_back({ImageIndex(image), last.end, last.step});
        --m_inFlight;
        if (m_admitted < m_images.size())
            admit(last.end, last.step);
        else
            sample(last.end);
        while (m_firstOpen < m_admitted && m_images[m_firstOpen].next >= m_images[m_firstOpen].chain.size())
            ++m_firstOpen;
    }

    void flush() {
        if (!m_chunk.empty()) m_trace.chunks.push_back(std::make_shared<const SpanChunk>(std::move(m_chunk)));
        m_chunk.clear();
    }

    const RunFixtureOptions& m_options;
    Random m_random;
    double m_jitter;
    Trace m_trace;
    SpanChunk m_chunk;
    std::vector<ImageState> m_images;
    std::array<Instant, 7> m_lanesFree{};
    Instant m_end;
    std::size_t m_admitted = 0;
    std::size_t m_firstOpen = 0;
    std::size_t m_inFlight = 0;
    std::size_t m_nextStep = 0;
};

std::vector<ImageRecord> fixtureImages(const RunFixtureOptions& options) {
    std::vector<ImageRecord> images;
    for (std::size_t i = 0; i < options.images; ++i) {
        std::array<char, 32> name{};
        std::snprintf(name.data(), name.size(), "photo_%04zu", i + 1);
        ImageRecord record;
        record.name = "ring/" + std::string(name.data()) + ".jpg";
        record.outputs = {{"ring/" + std::string(name.data()) + ".jpg", StageIndex(std::size_t{3}),
                           ByteCount(141'000 + i * 377), 0x9e3779b97f4a7c15U * (i + 1)}};
        images.push_back(std::move(record));
    }
    if (!options.failures) return images;
    if (images.size() > 17) {
        images[17].name = "ring/<b>broken</b> & \"odd\".jpg";
        images[17].outcome = ImageOutcome::failed;
        images[17].messages = {{"image.truncated", {}}};
        images[17].outputs.clear();
    }
    if (images.size() > 23) {
        images[23].outcome = ImageOutcome::doneWithWarning;
        images[23].messages = {{"image.damaged", {{"detail", "extraneous bytes before marker 0xd9"}}}};
    }
    return images;
}

Run emptyRun(const RunFixtureOptions& options) {
    Run run;
    run.projectName = "thumbnails";
    run.startedAt = "2025-01-31T12:34:56Z";
    run.version = "0.1.0";
    run.machine = makeFixtureMachine();
    run.settings.repeat = options.repeats;
    run.stages = {
        {"decode", "decode", "Decode", "D", "full size", {"cpu"}, StageCategory::decode},
        {"resize", "resize", "Resize", "R", "1024 px, Lanczos3", {"opencl:0", "cpu"}, StageCategory::size},
        {"blur", "gaussian_blur", "Gaussian blur", "F", "sigma 1.5 px", {"opencl:0", "cpu"}, StageCategory::filter},
        {"encode", "encode", "Encode", "E", "JPEG, quality 85", {"cpu"}, StageCategory::encode}};
    return run;
}

}  // namespace

Run makeRun(const RunFixtureOptions& options) {
    Run run = emptyRun(options);
    run.images = fixtureImages(options);
    run.megapixels = options.megapixels * static_cast<double>(options.images);
    if (options.predicted)
        run.predicted = std::make_shared<const Trace>(Schedule(options, TraceOrigin::predicted, 0, 0).run());
    for (int repeat = 0; options.measured && repeat < options.repeats; ++repeat) {
        const double jitter = repeat == 0 ? 0.45 : 0.3;
        const std::uint64_t seed = options.seed * 100 + static_cast<std::uint64_t>(repeat);
        run.measured.push_back(
            std::make_shared<const Trace>(Schedule(options, TraceOrigin::measured, jitter, seed).run()));
    }
    return run;
}

Run makeLargeRun(std::size_t spans, int workers, std::uint64_t seed) {
    Run run = emptyRun({});
    auto machine = std::make_shared<Machine>(*makeFixtureMachine());
    for (int worker = 2; worker < workers; ++worker) {
        machine->devices[0].lanes.push_back(LaneId(machine->lanes.size()));
        machine->lanes.push_back(
            {"worker " + std::to_string(worker + 1), DeviceId(std::size_t{0}), LaneRole::worker, 1});
    }
    run.machine = machine;
    auto trace = std::make_shared<Trace>();
    trace->origin = TraceOrigin::measured;
    trace->machine = machine;
    trace->templates = fixtureTemplates();
    trace->clockUncertainty.assign(machine->devices.size(), Duration(0));
    Random random(seed);
    std::vector<std::int64_t> free(machine->lanes.size());
    SpanChunk chunk;
    for (std::size_t i = 0; i < spans; ++i) {
        const std::size_t lane = i % machine->lanes.size();
        const Device& device = machine->device(machine->lane(LaneId(lane)).device);
        Span span;
        const std::int64_t begin =
            free[lane] + (random.next() % 4 == 0 ? static_cast<std::int64_t>(random.next() % 90'000) : 0);
        span.ready = span.submitted = span.begin = instantFromNs(begin);
        span.end = span.returned = instantFromNs(begin + 1'000 + static_cast<std::int64_t>(random.next() % 200'000));
        free[lane] = toNs(span.end);
        span.step = StepId(i);
        span.image = ImageIndex(i / 8);
        span.lane = static_cast<std::uint16_t>(lane);
        constexpr std::array hostWork = {decode, resizeCpu, blurCpu, encode};
        span.stepTemplate = lane == gpuUpload                ? upload
                            : lane == gpuDownload            ? download
                            : lane == storageRead            ? readFile
                            : lane == storageWrite           ? writeFile
                            : device.kind == DeviceKind::cpu ? hostWork[random.next() % 4]
                            : random.next() % 2 == 0         ? resizeGpu
                                                             : blurGpu;
        span.bytes = ByteCount(lane >= gpuUpload && lane <= storageWrite ? 36'000'000 : 0);
        trace->end = std::max(trace->end, span.end);
        chunk.push_back(span);
        if (chunk.size() == 4096) trace->chunks.push_back(std::make_shared<const SpanChunk>(std::exchange(chunk, {})));
    }
    if (!chunk.empty()) trace->chunks.push_back(std::make_shared<const SpanChunk>(std::move(chunk)));
    run.images.resize(spans / 8 + 1);
    for (std::size_t i = 0; i < run.images.size(); ++i) {
        run.images[i].name = "p" + std::to_string(i) + ".jpg";
        trace->imageEnds.push_back({ImageIndex(i), trace->end, StepId(std::size_t{0})});
    }
    run.megapixels = 12.0 * static_cast<double>(run.images.size());
    run.measured = {std::move(trace)};
    return run;
}

}  // namespace lanewright::test
