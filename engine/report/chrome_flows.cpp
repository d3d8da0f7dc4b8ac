// SPDX-License-Identifier: GPL-3.0-or-later
// One pass in order of begin: whoever reads a buffer finds who made it last, because makers began before.
#include "engine/report/chrome_flows.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace lanewright {
namespace {

/// A slot of one image in one memory.
std::uint64_t bufferKey(ImageIndex image, std::uint16_t slot, MemoryId memory) {
    return std::uint64_t{image.value} << 32 | std::uint64_t{slot} << 16 | (memory.value & 0xffffU);
}

class Search {
public:
    Search(const Trace& trace, std::size_t limit) : m_trace(trace), m_limit(limit) {
        for (const Batch& batch : trace.batches) m_batches.emplace(batch.step, &batch);
    }

    /// False: there are too many.
    bool add(const Span& span) {
        if (span.stepTemplate >= m_trace.templates.size()) return true;
        const TraceTemplate& description = m_trace.templates[span.stepTemplate];
        const bool firstPart = m_seen.insert(span.step).second;
        const bool copy = description.category == SpanCategory::copy;
        const MemoryId home = memoryOf(span);
        for (const ImageIndex image : imagesOf(span)) {
            if (firstPart) {
                for (const std::uint16_t slot : description.inputs)
                    if (!read(span, bufferKey(image, slot, copy ? description.from : home))) return false;
            }
            for (const std::uint16_t slot : description.outputs)
                write(span, bufferKey(image, slot, copy ? description.to : home));
        }
        return true;
    }

    std::vector<Dependency> take() { return std::move(m_found); }

private:
    bool read(const Span& span, std::uint64_t buffer) {
        const auto maker = m_makers.find(buffer);
        if (maker == m_makers.end() || maker->second->step == span.step) return true;
        if (m_found.size() >= m_limit) return false;
        m_found.push_back({maker->second, &span});
        return true;
    }

    void write(const Span& span, std::uint64_t buffer) {
        const auto [maker, isNew] = m_makers.emplace(buffer, &span);
        const bool earlierPart = !isNew && maker->second->step == span.step && maker->second->end > span.end;
        if (!earlierPart) maker->second = &span;
    }

    MemoryId memoryOf(const Span& span) const {
        const Machine* machine = m_trace.machine.get();
        if (!machine || span.lane >= machine->lanes.size()) return {};
        const DeviceId device = machine->lanes[span.lane].device;
        return device == machine->storageDevice ? machine->hostMemory : machine->device(device).memory;
    }

    std::span<const ImageIndex> imagesOf(const Span& span) const {
        const auto batch = m_batches.find(span.step);
        if (batch != m_batches.end()) return batch->second->images;
        return {&span.image, 1};
    }

    const Trace& m_trace;
    std::size_t m_limit;
    std::unordered_map<StepId, const Batch*> m_batches;
    std::unordered_map<std::uint64_t, const Span*> m_makers;
    std::unordered_set<StepId> m_seen;
    std::vector<Dependency> m_found;
};

}  // namespace

std::optional<std::vector<Dependency>> dependenciesOf(const Trace& trace, std::span<const Span* const> spans,
                                                      std::size_t limit) {
    Search search(trace, limit);
    for (const Span* span : spans) {
        if (!search.add(*span)) return std::nullopt;
    }
    return search.take();
}

}  // namespace lanewright
