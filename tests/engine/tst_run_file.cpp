// SPDX-License-Identifier: GPL-3.0-or-later
// Run files come back exactly as they were written, and damage of any kind is told, never believed.
#include "engine/analysis/summary.h"
#include "engine/devices/checksum.h"
#include "engine/files/files.h"
#include "engine/report/exporter.h"
#include "engine/text/text.h"
#include "engine/trace/cbor.h"
#include "engine/trace/run_file.h"
#include "tests/support/run_fixture.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cstring>
#include <random>

namespace lanewright {

// What the standard types of this file lack. Every member takes part; the sizes below notice a new one.
static bool operator==(const Lane& a, const Lane& b) {
    return a.name == b.name && a.device == b.device && a.role == b.role && a.queueDepth == b.queueDepth;
}
static bool operator==(const Memory& a, const Memory& b) { return a.name == b.name && a.budget == b.budget; }
static bool operator==(const Device& a, const Device& b) {
    return a.name == b.name && a.label == b.label && a.kind == b.kind && a.memory == b.memory && a.lanes == b.lanes &&
           a.absent == b.absent && a.driverVersion == b.driverVersion && a.physicalId == b.physicalId &&
           a.synchronous == b.synchronous && a.operationsPerSecond == b.operationsPerSecond &&
           a.bytesPerSecond == b.bytesPerSecond;
}
static bool operator==(const Link& a, const Link& b) {
    return a.from == b.from && a.to == b.to && a.lane == b.lane && a.bytesPerSecond == b.bytesPerSecond &&
           a.latency == b.latency;
}
static bool operator==(const GroupMember& a, const GroupMember& b) { return a.lane == b.lane && a.demand == b.demand; }
static bool operator==(const CapacityGroup& a, const CapacityGroup& b) {
    return a.name == b.name && a.rule == b.rule && a.capacity == b.capacity && a.members == b.members;
}
static bool operator==(const Machine& a, const Machine& b) {
    return a.name == b.name && a.fingerprint == b.fingerprint && a.present == b.present && a.devices == b.devices &&
           a.memories == b.memories && a.lanes == b.lanes && a.links == b.links && a.groups == b.groups &&
           a.hostMemory == b.hostMemory && a.hostDevice == b.hostDevice && a.storageDevice == b.storageDevice;
}
static bool operator==(const TraceTemplate& a, const TraceTemplate& b) {
    return a.category == b.category && a.name == b.name && a.stage == b.stage && a.stageId == b.stageId &&
           a.letter == b.letter && a.copyKind == b.copyKind && a.from == b.from && a.to == b.to &&
           a.inputs == b.inputs && a.outputs == b.outputs;
}
static bool operator==(const Batch& a, const Batch& b) { return a.step == b.step && a.images == b.images; }
static bool operator==(const Superseded& a, const Superseded& b) {
    return a.step == b.step && a.attempt == b.attempt && a.reason == b.reason && a.when == b.when && a.image == b.image;
}
static bool operator==(const Outcome& a, const Outcome& b) {
    return a.image == b.image && a.stage == b.stage && a.kind == b.kind;
}
static bool operator==(const ImageEnd& a, const ImageEnd& b) {
    return a.image == b.image && a.when == b.when && a.lastStep == b.lastStep;
}
static bool operator==(const CounterSample& a, const CounterSample& b) {
    return a.when == b.when && std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
}
static bool operator==(const Counter& a, const Counter& b) { return a.name == b.name && a.samples == b.samples; }
static bool operator==(const OutputFile& a, const OutputFile& b) {
    return a.path == b.path && a.stage == b.stage && a.bytes == b.bytes && a.checksum == b.checksum;
}
static bool operator==(const ImageRecord& a, const ImageRecord& b) {
    return a.name == b.name && a.outcome == b.outcome && a.messages == b.messages && a.outputs == b.outputs;
}
static bool operator==(const StageRecord& a, const StageRecord& b) {
    return a.id == b.id && a.kind == b.kind && a.label == b.label && a.letter == b.letter && a.summary == b.summary &&
           a.devices == b.devices && a.category == b.category;
}
static bool operator==(const Trace& a, const Trace& b) {
    bool spans = a.chunks.size() == b.chunks.size();
    for (std::size_t i = 0; spans && i < a.chunks.size(); ++i) {
        spans = a.chunks[i]->size() == b.chunks[i]->size() &&
                std::memcmp(a.chunks[i]->data(), b.chunks[i]->data(), a.chunks[i]->size() * sizeof(Span)) == 0;
    }
    const bool machines = a.machine == b.machine || (a.machine && b.machine && *a.machine == *b.machine);
    return spans && machines && a.origin == b.origin && a.templates == b.templates && a.batches == b.batches &&
           a.superseded == b.superseded && a.outcomes == b.outcomes && a.imageEnds == b.imageEnds &&
           a.counters == b.counters && a.clockUncertainty == b.clockUncertainty &&
           a.limits.imagesInFlight == b.limits.imagesInFlight && a.limits.memory == b.limits.memory &&
           a.seed == b.seed && a.start == b.start && a.end == b.end;
}

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

// A new member changes a size: give it a line in run_fields.h and a comparison here, then correct the number.
static_assert(sizeof(void*) != 8 ||
              (sizeof(Lane) == 48 && sizeof(Memory) == 40 && sizeof(Link) == 56 && sizeof(CapacityGroup) == 72 &&
               sizeof(RunSettings) == 32 && sizeof(Device) == 248 && sizeof(Machine) == 208));
static_assert(sizeof(void*) != 8 || (sizeof(TraceTemplate) == 176 && sizeof(Batch) == 32 && sizeof(Superseded) == 80 &&
                                     sizeof(Outcome) == 12 && sizeof(ImageEnd) == 24 && sizeof(Trace) == 272));
static_assert(sizeof(void*) != 8 || (sizeof(OutputFile) == 56 && sizeof(ImageRecord) == 88 &&
                                     sizeof(StageRecord) == 192 && sizeof(lanewright::Run) == 272));

void expectSame(const lanewright::Run& a, const lanewright::Run& b) {
    EXPECT_EQ(a.projectName, b.projectName);
    EXPECT_EQ(a.startedAt, b.startedAt);
    EXPECT_EQ(a.version, b.version);
    EXPECT_EQ(a.machine == nullptr, b.machine == nullptr);
    if (a.machine && b.machine) {
        EXPECT_TRUE(*a.machine == *b.machine);
    }
    EXPECT_EQ(a.settings, b.settings);
    EXPECT_TRUE(a.stages == b.stages);
    EXPECT_TRUE(a.images == b.images);
    EXPECT_EQ(a.megapixels, b.megapixels);
    ASSERT_EQ(a.predicted == nullptr, b.predicted == nullptr);
    if (a.predicted) {
        EXPECT_TRUE(*a.predicted == *b.predicted);
    }
    ASSERT_EQ(a.measured.size(), b.measured.size());
    for (std::size_t i = 0; i < a.measured.size(); ++i) EXPECT_TRUE(*a.measured[i] == *b.measured[i]);
    EXPECT_EQ(a.messages, b.messages);
    EXPECT_EQ(a.interrupted, b.interrupted);
}

/// Nothing left at its default.
lanewright::Run fullRun() {
    auto run = test::makeRun({.images = 25, .repeats = 2});
    auto machine = std::make_shared<Machine>(*run.machine);
    machine->present = false;
    machine->devices[1].absent =
        Message{"device.absent", {{"reason", nested({"image.damaged", {{"detail", "\n\x01"}}})}}};
    machine->devices[1].physicalId = "0000:3b:00.0";
    machine->devices[1].synchronous = true;
    machine->devices[1].operationsPerSecond = 1.0 / 3;
    machine->devices[1].bytesPerSecond = 3.35e12;
    machine->groups[0].rule = GroupRule::exclusive;
    run.machine = machine;
    run.settings = {Order::planned, 7, 31, 4, 2, CopyKind::pinned, ByteCount(std::uint64_t{1} << 40)};
    auto trace = std::make_shared<Trace>(*run.measured[1]);
    trace->machine = machine;
    trace->origin = TraceOrigin::simulated;
    trace->seed = 0xffffffffffffffffU;
    trace->batches = {
        {StepId(std::size_t{3}), {ImageIndex(std::size_t{0}), ImageIndex(std::size_t{24}), ImageIndex()}}};
    trace->superseded.push_back(
        {StepId(std::size_t{9}), 3, {"attempt.refused", {}}, instantFromNs(-5), ImageIndex(std::size_t{2})});
    trace->counters.push_back({"odd \xff", {{instantFromNs(1), -0.0}, {instantFromNs(2), 1e-320}}});
    run.measured[1] = trace;
    run.images[2].name = "not UTF-8: \xff\xfe \"";
    run.images[2].outcome = ImageOutcome::cancelled;
    run.images[2].messages = {{"a.b", {{"x", ""}, {"", "y"}}}, {"", {}}};
    run.messages = {{"device.lost", {{"device", "opencl:0"}}}};
    run.interrupted = true;
    return run;
}

Bytes written(const lanewright::Run& run) {
    const test::TemporaryFolder folder;
    EXPECT_TRUE(writeRun(run, folder.path() / "x.lwrun").ok());
    const std::string text = *readTextFile(folder.path() / "x.lwrun");
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return {begin, begin + text.size()};
}

/// The file with a checksum that fits its body again, as an attacker would make it.
Bytes resealed(Bytes bytes) {
    CborCursor in(bytes);
    std::uint64_t n = 0;
    std::string_view text;
    std::span<const std::byte> body;
    if (!in.head(CborType::map, n) || !in.text(text) || !in.skip() || !in.text(text)) return bytes;
    const std::size_t place = in.position();
    if (!in.skip() || !in.text(text) || !in.bytes(body)) return bytes;
    CborWriter sum;
    sum.unsignedInteger(checksumOf(body));
    if (sum.output().size() != 9 || bytes[place] != std::byte{0x1b}) return bytes;
    std::memcpy(bytes.data() + place, sum.output().data(), 9);
    return bytes;
}

TEST(RunFile, ComesBackExactly) {
    const auto run = fullRun();
    const auto back = parseRun(written(run), "x");
    ASSERT_TRUE(back.ok()) << textOf(back.error());
    expectSame(run, *back);
    EXPECT_EQ(back->measured[1]->machine, back->machine) << "one machine, not a copy for each";
    EXPECT_EQ(written(*back), written(run));
}

TEST(RunFile, ComesBackExactlyFromDisk) {
    const test::TemporaryFolder folder;
    for (const auto& run : {test::makeRun(), test::makeRun({.measured = false}), test::makeRun({.images = 0}),
                            lanewright::Run(), test::makeLargeRun(50'000, 4)}) {
        ASSERT_TRUE(writeRun(run, folder.path() / "x.lwrun").ok());
        const auto back = readRun(folder.path() / "x.lwrun");
        ASSERT_TRUE(back.ok()) << textOf(back.error());
        expectSame(run, *back);
    }
}

TEST(RunFile, IsCborThatOthersRead) {
    const auto run = test::makeRun({.images = 4, .repeats = 1});
    const auto file = nlohmann::json::from_cbor(written(run));
    EXPECT_EQ(file["lanewright"], (nlohmann::json{{"format", "run"}, {"version", 1}}));
    const auto body = nlohmann::json::from_cbor(file["body"].get_binary());
    EXPECT_EQ(body["project"], "thumbnails");
    EXPECT_EQ(body["images"][3][0], run.images[3].name);
    EXPECT_EQ(body["traces"][1]["templates"][1]["name"], "decode");
    EXPECT_EQ(body["machines"][0]["devices"][1]["name"], "opencl:0");
    const std::size_t spans = run.predicted->spanCount() + run.measured[0]->spanCount();
    EXPECT_EQ(file["spans"].get_binary().size(), spans * 64);
}

TEST(RunFile, EveryTruncationIsTold) {
    const Bytes whole = written(fullRun());
    std::mt19937_64 random(1);
    for (int i = 0; i < 400; ++i) {
        const std::size_t length = i < 100 ? static_cast<std::size_t>(i) : random() % whole.size();
        const auto run = parseRun(std::span(whole).first(length), "holiday.lwrun");
        ASSERT_FALSE(run.ok()) << length;
        EXPECT_EQ(run.error().id, length < 12 ? "run.notARun" : "run.damaged") << length;
        EXPECT_EQ(run.error().argument("file"), "holiday.lwrun");
    }
    Bytes longer = whole;
    longer.push_back(std::byte{0});
    EXPECT_EQ(parseRun(longer, "x").error().id, "run.damaged");
}

TEST(RunFile, EveryFlippedBitIsTold) {
    const Bytes whole = written(fullRun());
    std::mt19937_64 random(2);
    for (int i = 0; i < 1500; ++i) {
        Bytes bytes = whole;
        const std::size_t at = i < 200 ? static_cast<std::size_t>(i) : random() % bytes.size();
        bytes[at] ^= std::byte{1} << static_cast<int>(random() % 8);
        EXPECT_FALSE(parseRun(bytes, "x").ok()) << at;
    }
}

/// What passes for a run after such damage must be harmless to everything that reads runs.
TEST(RunFile, ResealedDamageIsToldOrHarmless) {
    const Bytes whole = written(fullRun());
    const test::TemporaryFolder folder;
    std::mt19937_64 random(3);
    int accepted = 0;
    for (int i = 0; i < 1500; ++i) {
        Bytes bytes = whole;
        const std::size_t bodyEnd = bytes.size() - std::min<std::size_t>(bytes.size(), 64 * 500);
        for (std::size_t flips = 1 + random() % 3; flips > 0; --flips)
            bytes[60 + random() % (bodyEnd - 60)] = static_cast<std::byte>(random());
        const auto run = parseRun(resealed(std::move(bytes)), "x");
        if (!run) {
            EXPECT_FALSE(textOf(run.error()).empty());
            continue;
        }
        ++accepted;
        (void)summarize(*run);
        if (accepted % 10 != 0) continue;
        for (const Exporter& exporter : exporters()) EXPECT_TRUE(exporter.write(*run, folder.path() / "out", {}).ok());
    }
    EXPECT_GT(accepted, 20) << "the test changes too much to find anything";
}

TEST(RunFile, HostileLengthsTakeNoMemory) {
    CborWriter deep;
    for (int i = 0; i < 100'000; ++i) deep.head(CborType::array, 1);
    CborWriter huge;
    huge.head(CborType::array, std::uint64_t{1} << 60);
    CborWriter keys;
    keys.head(CborType::map, 1'000'000);
    CborWriter emptyTexts;
    emptyTexts.head(CborType::map, 1);
    emptyTexts.text("stages");
    emptyTexts.head(CborType::array, 5'000'000);
    for (int i = 0; i < 5'000'000; ++i) emptyTexts.text("");
    for (const CborWriter* body : {&deep, &huge, &keys, &emptyTexts}) {
        CborWriter file;
        file.head(CborType::map, 4);
        file.text("lanewright");
        file.head(CborType::map, 2);
        file.text("format");
        file.text("run");
        file.text("version");
        file.integer(1);
        file.text("checksum");
        const auto* begin = reinterpret_cast<const std::byte*>(body->output().data());
        file.unsignedInteger(checksumOf({begin, body->output().size()}));
        file.text("body");
        file.bytes({begin, body->output().size()});
        file.text("spans");
        file.bytes({});
        const auto* all = reinterpret_cast<const std::byte*>(file.output().data());
        EXPECT_EQ(parseRun({all, file.output().size()}, "x").error().id, "run.damaged");
    }
}

TEST(RunFile, SaysWhatIsWrong) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(readRun(folder.path() / "none").error().id, "file.missing");
    EXPECT_EQ(readRun(folder.path()).error().id, "file.notRegular");
    EXPECT_EQ(readRun(folder.write("a.json", "{}")).error().id, "run.notARun");
    EXPECT_EQ(readRun(folder.write("b", "")).error().id, "run.notARun");
    Bytes newer = written(test::makeRun({.images = 1}));
    const std::string_view text(reinterpret_cast<const char*>(newer.data()), newer.size());
    newer[text.find("version") + 7] = std::byte{2};
    const auto refused = parseRun(newer, "x");
    EXPECT_EQ(refused.error(), (Message{"run.version", {{"file", "x"}, {"version", "2"}, {"supported", "1"}}}));

    auto run = test::makeRun({.images = 2, .repeats = 1});
    auto trace = std::make_shared<Trace>(*run.measured[0]);
    auto chunk = std::make_shared<SpanChunk>(*trace->chunks[0]);
    (*chunk)[3].lane = 99;
    trace->chunks[0] = chunk;
    run.measured[0] = trace;
    const std::string lane = textOf(parseRun(written(run), "x").error());
    EXPECT_NE(lane.find("step 3"), std::string::npos) << lane;
    (*chunk)[3].lane = 0;
    (*chunk)[3].end = (*chunk)[3].begin - Duration(1);
    EXPECT_EQ(parseRun(written(run), "x").error().id, "run.damaged");
    EXPECT_EQ(writeRun(run, folder.write("file", "x") / "below").error().id, "file.unwritable");
}

TEST(Cbor, NumbersComeBack) {
    for (const std::int64_t value :
         {std::int64_t{0}, std::int64_t{23}, std::int64_t{24}, std::int64_t{-24}, std::int64_t{-25}, std::int64_t{255},
          std::int64_t{256}, std::int64_t{65536}, std::int64_t{-4294967297}, std::numeric_limits<std::int64_t>::max(),
          std::numeric_limits<std::int64_t>::min()}) {
        CborWriter out;
        out.integer(value);
        const auto* begin = reinterpret_cast<const std::byte*>(out.output().data());
        CborCursor in({begin, out.output().size()});
        std::int64_t back = 0;
        EXPECT_TRUE(in.integer(back) && in.atEnd());
        EXPECT_EQ(back, value);
        EXPECT_EQ(nlohmann::json::from_cbor(out.output()), value);
    }
}

}  // namespace
}  // namespace lanewright
