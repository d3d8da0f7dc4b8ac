// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/trace/run_validation.h"

#include "engine/trace/run_archive.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace lanewright::runfile {
namespace {

Message leadsNowhere(const std::string& where) { return {"run.reference", {{"where", where}}}; }

class Machines {
public:
    explicit Machines(const Machine& machine) : m_machine(machine) {}

    std::optional<Message> fault() const {
        if (!thereOrNone(m_machine.hostDevice, m_machine.devices) ||
            !thereOrNone(m_machine.storageDevice, m_machine.devices))
            return leadsNowhere("a device of the machine");
        if (!thereOrNone(m_machine.hostMemory, m_machine.memories)) return leadsNowhere("the machine's host memory");
        for (std::size_t i = 0; i < m_machine.devices.size(); ++i) {
            if (!deviceGood(DeviceId(i))) return leadsNowhere("device " + m_machine.devices[i].name);
        }
        for (const Lane& lane : m_machine.lanes) {
            if (!there(lane.device, m_machine.devices)) return leadsNowhere("lane " + lane.name);
        }
        for (const Link& link : m_machine.links) {
            const bool good = there(link.from, m_machine.memories) && there(link.to, m_machine.memories) &&
                              there(link.lane, m_machine.lanes);
            if (!good) return leadsNowhere("a link");
        }
        for (const CapacityGroup& group : m_machine.groups) {
            for (const GroupMember& member : group.members)
                if (!there(member.lane, m_machine.lanes)) return leadsNowhere("group " + group.name);
        }
        return std::nullopt;
    }

    template <class Tag, class T>
    static bool there(Id<Tag> id, const std::vector<T>& table) {
        return id.index() < table.size();
    }
    template <class Tag, class T>
    static bool thereOrNone(Id<Tag> id, const std::vector<T>& table) {
        return !id.valid() || there(id, table);
    }

private:
    bool deviceGood(DeviceId id) const {
        const Device& device = m_machine.device(id);
        return thereOrNone(device.memory, m_machine.memories) &&
               std::all_of(device.lanes.begin(), device.lanes.end(), [&](LaneId lane) {
                   return there(lane, m_machine.lanes) && m_machine.lane(lane).device == id;
               });
    }

    const Machine& m_machine;
};

/// Durations of all spans and waits together.
class TimeSum {
public:
    void add(Duration d) {
        if (!tooLarge()) m_sum += std::abs(d.count());
    }
    bool tooLarge() const { return m_sum > 4'000'000'000'000'000'000; }

private:
    std::int64_t m_sum = 0;
};

bool isTime(Instant when) { return toNs(when) >= -mostNs && toNs(when) <= mostNs; }

std::optional<Message> spanFault(const Run& run, const Trace& trace) {
    const std::size_t lanes = trace.machine ? trace.machine->lanes.size() : 0;
    TimeSum sum;
    std::optional<Message> fault;
    trace.forEach([&](const Span& span) {
        if (fault) return;
        const std::string where = "step " + std::to_string(span.step.value);
        if (span.lane >= lanes || span.stepTemplate >= trace.templates.size() ||
            (span.image.valid() && span.image.index() > run.images.size())) {
            fault = leadsNowhere(where);
        }
        const bool times = isTime(span.ready) && isTime(span.submitted) && isTime(span.returned) &&
                           isTime(span.begin) && isTime(span.end) && span.begin <= span.end;
        if (times) {
            sum.add(span.end - span.begin);
            sum.add(span.begin - span.ready);
        }
        if (!times || sum.tooLarge()) fault = Message{"run.times", {{"where", where}}};
    });
    return fault;
}

std::optional<Message> traceFault(const Run& run, const Trace& trace) {
    const auto imageGood = [&run](ImageIndex image) { return !image.valid() || image.index() <= run.images.size(); };
    const auto stageGood = [&run](StageIndex stage) { return Machines::thereOrNone(stage, run.stages); };
    static const Machine nowhere;
    const Machine& machine = trace.machine ? *trace.machine : nowhere;
    if (trace.start > trace.end) return Message{"run.times", {{"where", "the trace"}}};
    if (trace.clockUncertainty.size() > machine.devices.size() || trace.limits.memory.size() > machine.memories.size())
        return leadsNowhere("the trace");
    for (const TraceTemplate& t : trace.templates) {
        if (!stageGood(t.stage) || !Machines::thereOrNone(t.from, machine.memories) ||
            !Machines::thereOrNone(t.to, machine.memories))
            return leadsNowhere("step kind " + t.name);
    }
    for (const Batch& batch : trace.batches) {
        if (!std::all_of(batch.images.begin(), batch.images.end(), imageGood)) return leadsNowhere("a batch");
    }
    for (const Outcome& outcome : trace.outcomes) {
        if (!imageGood(outcome.image) || !stageGood(outcome.stage)) return leadsNowhere("an outcome");
    }
    for (const ImageEnd& end : trace.imageEnds) {
        if (!imageGood(end.image)) return leadsNowhere("the end of an image");
    }
    for (const Superseded& record : trace.superseded) {
        if (!imageGood(record.image)) return leadsNowhere("an attempt");
    }
    return spanFault(run, trace);
}

}  // namespace

std::optional<Message> faultOf(const Run& run) {
    if (run.machine) {
        if (auto fault = Machines(*run.machine).fault()) return fault;
    }
    for (const ImageRecord& image : run.images) {
        for (const OutputFile& output : image.outputs) {
            if (!Machines::thereOrNone(output.stage, run.stages)) return leadsNowhere("an output of " + image.name);
        }
    }
    std::vector<const Trace*> traces;
    if (run.predicted) traces.push_back(run.predicted.get());
    for (const auto& trace : run.measured) traces.push_back(trace.get());
    for (const Trace* trace : traces) {
        if (trace->machine && trace->machine != run.machine) {
            if (auto fault = Machines(*trace->machine).fault()) return fault;
        }
        if (auto fault = traceFault(run, *trace)) return fault;
    }
    return std::nullopt;
}

}  // namespace lanewright::runfile
