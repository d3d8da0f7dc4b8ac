// SPDX-License-Identifier: GPL-3.0-or-later
// The envelope: {"lanewright": {"format", "version"}, "checksum", "body", "spans"}. The body holds all but the spans, and a
// checksum for each of their chunks.
#include "engine/trace/run_file.h"

#include "engine/devices/checksum.h"
#include "engine/files/files.h"
#include "engine/text/text.h"
#include "engine/trace/run_archive.h"
#include "engine/trace/run_spans.h"
#include "engine/trace/run_validation.h"

#include <algorithm>
#include <cstring>

namespace lanewright {
namespace {

using namespace runfile;

constexpr std::string_view magic = "\xa4\x6alanewright";  // a map of four pairs, the first key
constexpr std::int64_t formatVersion = 1;
constexpr ByteCount largestFile(std::uint64_t{4} << 30);

std::span<const std::byte> bytesOf(const std::string& text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// Equal pointers share one entry of the file.
class MachineTable {
public:
    std::optional<std::uint32_t> numberOf(const std::shared_ptr<const Machine>& machine) {
        if (!machine) return std::nullopt;
        const auto known = std::find(m_machines.begin(), m_machines.end(), machine);
        const auto number = static_cast<std::uint32_t>(known - m_machines.begin());
        if (known == m_machines.end()) m_machines.push_back(machine);
        return number;
    }
    std::vector<Machine> machines() const {
        std::vector<Machine> list;
        for (const auto& machine : m_machines) list.push_back(*machine);
        return list;
    }

private:
    std::vector<std::shared_ptr<const Machine>> m_machines;
};

std::vector<std::shared_ptr<const Trace>> tracesOf(const Run& run) {
    std::vector<std::shared_ptr<const Trace>> traces;
    if (run.predicted) traces.push_back(run.predicted);
    traces.insert(traces.end(), run.measured.begin(), run.measured.end());
    return traces;
}

/// fields() hands out references that can be written to; a FieldWriter only reads through them.
RunEntry entryOf(const Run& run) {
    RunEntry entry{const_cast<Run&>(run)};
    MachineTable machines;
    entry.machine = machines.numberOf(run.machine);
    entry.hasPrediction = run.predicted != nullptr;
    for (const auto& trace : tracesOf(run)) {
        TraceEntry traceEntry;
        traceEntry.trace = std::const_pointer_cast<Trace>(trace);
        traceEntry.machine = machines.numberOf(trace->machine);
        for (const auto& chunk : trace->chunks)
            traceEntry.chunks.push_back(
                {static_cast<std::uint32_t>(chunk->size()), checksumOf(bytesOf(packed(*chunk)))});
        entry.traces.push_back(std::move(traceEntry));
    }
    entry.machines = machines.machines();
    return entry;
}

Message damaged(const std::string& file, const Message& reason) {
    return {"run.damaged", {{"file", file}, {"reason", nested(reason)}}};
}

struct Envelope {
    std::uint64_t checksum = 0;
    std::span<const std::byte> body;
    std::span<const std::byte> spans;
};

bool readKey(CborCursor& in, std::string_view wanted) {
    std::string_view key;
    return in.text(key) && key == wanted;
}

/// {"format": "run", "version": n}
bool readHeader(CborCursor& in, std::int64_t& version) {
    std::uint64_t pairs = 0;
    std::string_view format;
    return in.head(CborType::map, pairs) && pairs == 2 && readKey(in, "format") && in.text(format) && format == "run" &&
           readKey(in, "version") && in.integer(version);
}

Result<Envelope> readEnvelope(std::span<const std::byte> bytes, const std::string& file, RunPlace& place) {
    if (!looksLikeRun(bytes)) return Message{"run.notARun", {{"file", file}}};
    CborCursor in(bytes);
    std::uint64_t pairs = 0;
    std::int64_t version = 0;
    if (!in.head(CborType::map, pairs) || !readKey(in, "lanewright") || !readHeader(in, version)) {
        place.offset = in.position();
        return damaged(file, {"run.truncated", {}});
    }
    if (version != formatVersion) {
        return Message{
            "run.version",
            {{"file", file}, {"version", std::to_string(version)}, {"supported", std::to_string(formatVersion)}}};
    }
    Envelope envelope;
    const bool whole = readKey(in, "checksum") && in.head(CborType::unsignedInteger, envelope.checksum) &&
                       readKey(in, "body") && in.bytes(envelope.body) && readKey(in, "spans") &&
                       in.bytes(envelope.spans) && in.atEnd();
    if (!whole) {
        place.offset = in.position();
        return damaged(file, {"run.truncated", {}});
    }
    if (checksumOf(envelope.body) == envelope.checksum) return envelope;
    place.offset = static_cast<std::size_t>(envelope.body.data() - bytes.data());
    return damaged(file, {"run.checksum", {}});
}

/// Takes the trace's spans from the front of `spans`.
Status readSpans(TraceEntry& entry, std::span<const std::byte>& spans) {
    for (const ChunkEntry& chunk : entry.chunks) {
        if (chunk.count > spans.size() / spanBytes) return Message{"run.truncated", {}};
        const auto part = spans.first(chunk.count * spanBytes);
        if (checksumOf(part) != chunk.checksum) return Message{"run.checksum", {}};
        entry.trace->chunks.push_back(std::make_shared<const SpanChunk>(unpacked(part)));
        spans = spans.subspan(part.size());
    }
    return {};
}

/// Puts the parts of a run together. Errors: run.reference, run.checksum, run.truncated.
Status assemble(RunEntry& entry, std::span<const std::byte> spans) {
    std::vector<std::shared_ptr<const Machine>> machines;
    for (Machine& machine : entry.machines) machines.push_back(std::make_shared<const Machine>(std::move(machine)));
    const auto find = [&machines](std::optional<std::uint32_t> number, std::shared_ptr<const Machine>& machine) {
        if (number && *number >= machines.size()) return false;
        if (number) machine = machines[*number];
        return true;
    };
    const Message noMachine{"run.reference", {{"where", "a trace"}}};
    if (!find(entry.machine, entry.run.machine) || (entry.hasPrediction && entry.traces.empty())) return noMachine;
    for (std::size_t i = 0; i < entry.traces.size(); ++i) {
        TraceEntry& trace = entry.traces[i];
        if (!find(trace.machine, trace.trace->machine)) return noMachine;
        if (Status status = readSpans(trace, spans); !status) return status;
        if (i == 0 && entry.hasPrediction)
            entry.run.predicted = trace.trace;
        else
            entry.run.measured.push_back(trace.trace);
    }
    return {};
}

}  // namespace

bool looksLikeRun(std::span<const std::byte> begin) {
    return begin.size() >= magic.size() && std::memcmp(begin.data(), magic.data(), magic.size()) == 0;
}

Status writeRun(const Run& run, const std::filesystem::path& path) {
    RunEntry entry = entryOf(run);
    CborWriter body;
    FieldWriter(body).write(entry);
    std::uint64_t spanTotal = 0;
    for (const auto& trace : tracesOf(run)) spanTotal += trace->spanCount() * spanBytes;
    CborWriter head;
    head.head(CborType::map, 4);
    head.text("lanewright");
    head.head(CborType::map, 2);
    head.text("format");
    head.text("run");
    head.text("version");
    head.integer(formatVersion);
    head.text("checksum");
    head.unsignedInteger(checksumOf(bytesOf(body.output())));
    head.text("body");
    head.head(CborType::bytes, body.output().size());
    CborWriter afterBody;
    afterBody.text("spans");
    afterBody.head(CborType::bytes, spanTotal);
    return saveFileInPieces(path, [&](const PieceWriter& write) {
        for (const std::string* piece : {&head.output(), &body.output(), &afterBody.output()}) write(*piece);
        for (const auto& trace : tracesOf(run)) {
            for (const auto& chunk : trace->chunks) write(packed(*chunk));
        }
    });
}

Result<Run> parseRun(std::span<const std::byte> bytes, const std::string& file, RunPlace* wanted) {
    RunPlace unwanted;
    RunPlace& place = wanted ? *wanted : unwanted;
    const auto envelope = readEnvelope(bytes, file, place);
    if (!envelope) return envelope.error();
    Run run;
    RunEntry entry{run};
    constexpr std::size_t leastBudget = 1 << 20;
    ReadState state{leastBudget + 32 * envelope->body.size(), {}, {}};
    CborCursor in(envelope->body);
    if (!FieldReader(in, state).read(entry)) {
        place.pointer = state.pointer;
        return damaged(
            file,
            {"run.value", {{"pointer", state.pointer.empty() ? "/" : state.pointer}, {"expected", state.expected}}});
    }
    if (const Status status = assemble(entry, envelope->spans); !status) {
        place.offset = static_cast<std::size_t>(envelope->spans.data() - bytes.data());
        return damaged(file, status.error());
    }
    if (const auto fault = faultOf(run)) return damaged(file, *fault);
    return run;
}

Result<Run> readRun(const std::filesystem::path& path, RunPlace* place) {
    auto file = RegularFile::open(path);
    if (!file) return std::move(file).error();
    if (file->size() > largestFile) {
        return Message{"file.tooLarge", {{"path", path.string()}, {"limit", std::to_string(largestFile.value >> 20)}}};
    }
    std::vector<std::byte> bytes;
    if (const Status status = file->read(64, bytes); !status) return status.error();
    if (!looksLikeRun(bytes)) return Message{"run.notARun", {{"file", path.string()}}};
    if (const Status status = file->read(static_cast<std::size_t>(file->size().value), bytes); !status)
        return status.error();
    return parseRun(bytes, path.string(), place);
}

}  // namespace lanewright
