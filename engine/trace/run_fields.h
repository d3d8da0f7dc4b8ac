// SPDX-License-Identifier: GPL-3.0-or-later
// What a run file holds of each type: one list serves writing and reading, so that they cannot disagree. A new field goes
// to the end of its list; readers of older versions pass over it.
#pragma once

#include "engine/run/run.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lanewright::runfile {

/// Types of which a file has many: an array of the fields in order instead of a map with their names.
template <class T>
inline constexpr bool isTuple = false;
template <>
inline constexpr bool isTuple<Message> = true;
template <>
inline constexpr bool isTuple<std::pair<std::string, std::string>> = true;
template <>
inline constexpr bool isTuple<ImageRecord> = true;
template <>
inline constexpr bool isTuple<OutputFile> = true;
template <>
inline constexpr bool isTuple<Batch> = true;
template <>
inline constexpr bool isTuple<Outcome> = true;
template <>
inline constexpr bool isTuple<ImageEnd> = true;
template <>
inline constexpr bool isTuple<CounterSample> = true;

/// How many enumerators there are.
template <class E>
inline constexpr std::uint64_t enumCount = 0;
template <>
inline constexpr std::uint64_t enumCount<LaneRole> = 8;
template <>
inline constexpr std::uint64_t enumCount<DeviceKind> = 5;
template <>
inline constexpr std::uint64_t enumCount<CopyKind> = copyKindCount;
template <>
inline constexpr std::uint64_t enumCount<GroupRule> = 2;
template <>
inline constexpr std::uint64_t enumCount<Order> = 2;
template <>
inline constexpr std::uint64_t enumCount<ImageOutcome> = 5;
template <>
inline constexpr std::uint64_t enumCount<TraceOrigin> = 3;
template <>
inline constexpr std::uint64_t enumCount<SpanCategory> = 6;
template <>
inline constexpr std::uint64_t enumCount<OutcomeKind> = 4;
template <>
inline constexpr std::uint64_t enumCount<StageCategory> = 4;

/// `count` spans with the checksum of their packed bytes.
struct ChunkEntry {
    std::uint32_t count = 0;
    std::uint64_t checksum = 0;
};
template <>
inline constexpr bool isTuple<ChunkEntry> = true;

/// A trace as it stands in the file: its machine by number, its spans elsewhere.
struct TraceEntry {
    std::shared_ptr<Trace> trace = std::make_shared<Trace>();
    std::optional<std::uint32_t> machine;  ///< index into RunEntry::machines
    std::vector<ChunkEntry> chunks;
};

struct RunEntry {
    Run& run;
    std::vector<Machine> machines{};
    std::optional<std::uint32_t> machine = std::nullopt;
    bool hasPrediction = false;
    std::vector<TraceEntry> traces{};  ///< the prediction first, then the repeats
};

template <class A>
void fields(A& a, Message& v) {
    a("id", v.id);
    a("arguments", v.arguments);
}
template <class A>
void fields(A& a, std::pair<std::string, std::string>& v) {
    a("name", v.first);
    a("value", v.second);
}

template <class A>
void fields(A& a, Lane& v) {
    a("name", v.name);
    a("device", v.device);
    a("role", v.role);
    a("queue_depth", v.queueDepth);
}
template <class A>
void fields(A& a, Memory& v) {
    a("name", v.name);
    a("budget_bytes", v.budget);
}
template <class A>
void fields(A& a, Device& v) {
    a("name", v.name);
    a("label", v.label);
    a("kind", v.kind);
    a("memory", v.memory);
    a("lanes", v.lanes);
    a("absent", v.absent);
    a("driver_version", v.driverVersion);
    a("physical_id", v.physicalId);
    a("synchronous", v.synchronous);
    a("operations_per_s", v.operationsPerSecond);
    a("bytes_per_s", v.bytesPerSecond);
}
template <class A>
void fields(A& a, Link& v) {
    a("from", v.from);
    a("to", v.to);
    a("lane", v.lane);
    a("bytes_per_s", v.bytesPerSecond);
    a("latency_ns", v.latency);
}
template <class A>
void fields(A& a, GroupMember& v) {
    a("lane", v.lane);
    a("demand", v.demand);
}
template <class A>
void fields(A& a, CapacityGroup& v) {
    a("name", v.name);
    a("rule", v.rule);
    a("capacity", v.capacity);
    a("members", v.members);
}
template <class A>
void fields(A& a, Machine& v) {
    a("name", v.name);
    a("fingerprint", v.fingerprint);
    a("present", v.present);
    a("devices", v.devices);
    a("memories", v.memories);
    a("lanes", v.lanes);
    a("links", v.links);
    a("groups", v.groups);
    a("host_memory", v.hostMemory);
    a("host_device", v.hostDevice);
    a("storage_device", v.storageDevice);
}

template <class A>
void fields(A& a, TraceTemplate& v) {
    a("category", v.category);
    a("name", v.name);
    a("stage", v.stage);
    a("stage_id", v.stageId);
    a("letter", v.letter);
    a("copy_kind", v.copyKind);
    a("from", v.from);
    a("to", v.to);
    a("inputs", v.inputs);
    a("outputs", v.outputs);
}
template <class A>
void fields(A& a, Batch& v) {
    a("step", v.step);
    a("images", v.images);
}
template <class A>
void fields(A& a, Superseded& v) {
    a("step", v.step);
    a("attempt", v.attempt);
    a("reason", v.reason);
    a("when_ns", v.when);
    a("image", v.image);
}
template <class A>
void fields(A& a, Outcome& v) {
    a("image", v.image);
    a("stage", v.stage);
    a("kind", v.kind);
}
template <class A>
void fields(A& a, ImageEnd& v) {
    a("image", v.image);
    a("when_ns", v.when);
    a("last_step", v.lastStep);
}
template <class A>
void fields(A& a, CounterSample& v) {
    a("when_ns", v.when);
    a("value", v.value);
}
template <class A>
void fields(A& a, Counter& v) {
    a("name", v.name);
    a("samples", v.samples);
}
template <class A>
void fields(A& a, TraceLimits& v) {
    a("images_in_flight", v.imagesInFlight);
    a("memory_bytes", v.memory);
}
template <class A>
void fields(A& a, ChunkEntry& v) {
    a("spans", v.count);
    a("checksum", v.checksum);
}
template <class A>
void fields(A& a, TraceEntry& v) {
    a("origin", v.trace->origin);
    a("machine", v.machine);
    a("templates", v.trace->templates);
    a("chunks", v.chunks);
    a("batches", v.trace->batches);
    a("superseded", v.trace->superseded);
    a("outcomes", v.trace->outcomes);
    a("image_ends", v.trace->imageEnds);
    a("counters", v.trace->counters);
    a("clock_uncertainty_ns", v.trace->clockUncertainty);
    a("limits", v.trace->limits);
    a("seed", v.trace->seed);
    a("start_ns", v.trace->start);
    a("end_ns", v.trace->end);
}

template <class A>
void fields(A& a, RunSettings& v) {
    a("order", v.order);
    a("workers", v.workers);
    a("images_in_flight", v.imagesInFlight);
    a("batch", v.batch);
    a("repeat", v.repeat);
    a("copy_kind", v.copyKind);
    a("host_memory_limit_bytes", v.hostMemoryLimit);
}
template <class A>
void fields(A& a, OutputFile& v) {
    a("path", v.path);
    a("stage", v.stage);
    a("bytes", v.bytes);
    a("checksum", v.checksum);
}
template <class A>
void fields(A& a, ImageRecord& v) {
    a("name", v.name);
    a("outcome", v.outcome);
    a("messages", v.messages);
    a("outputs", v.outputs);
}
template <class A>
void fields(A& a, StageRecord& v) {
    a("id", v.id);
    a("kind", v.kind);
    a("label", v.label);
    a("letter", v.letter);
    a("summary", v.summary);
    a("devices", v.devices);
    a("category", v.category);
}
template <class A>
void fields(A& a, RunEntry& v) {
    a("project", v.run.projectName);
    a("started_at", v.run.startedAt);
    a("version", v.run.version);
    a("machines", v.machines);
    a("machine", v.machine);
    a("settings", v.run.settings);
    a("stages", v.run.stages);
    a("images", v.run.images);
    a("megapixels", v.run.megapixels);
    a("has_prediction", v.hasPrediction);
    a("traces", v.traces);
    a("messages", v.run.messages);
    a("interrupted", v.run.interrupted);
}

}  // namespace lanewright::runfile
