// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/trace_fixture.h"

#include "engine/analysis/trace_index.h"
#include "engine/trace/builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>

namespace lanewright::test {
namespace {

std::string laneLabel(const Plan& plan, LaneId id) {
    const Lane& lane = plan.machine->lane(id);
    const bool plain = lane.device == plan.machine->hostDevice || lane.device == plan.machine->storageDevice;
    return plain ? lane.name : plan.machine->device(lane.device).name + " " + lane.name;
}

std::string stageTag(const Plan& plan, StageIndex stage) {
    const auto letterOf = [](const Stage& s) { return s.kind->description().letter; };
    const Stage& owner = plan.pipeline->stage(stage);
    const auto same = std::count_if(plan.pipeline->stages.begin(), plan.pipeline->stages.end(),
                                    [&](const Stage& other) { return letterOf(other) == letterOf(owner); });
    return same > 1 ? owner.id : std::string(letterOf(owner));
}

/// How spans of a template are written.
std::string tagOf(const Plan& plan, const StepTemplate& step) {
    const std::string stage = stageTag(plan, step.stage);
    switch (step.kind) {
    case TemplateKind::read: return "r" + stage;
    case TemplateKind::write: return "w" + stage;
    case TemplateKind::conversion: return "~" + stage;
    case TemplateKind::operation: return stage;
    case TemplateKind::copy: break;
    }
    const FormatClass& formatClass = plan.formatClass(step.formatClass);
    const auto& outputs = formatClass.stages[step.stage.index()].outputs;
    const bool main = !outputs.empty() && outputs.front() == step.inputs.front();
    const bool up = plan.machine->link(step.link).from == plan.machine->hostMemory;
    return (up ? ">" : "<") + (main ? stage : formatClass.slots[step.inputs.front().index()].name);
}

std::int64_t numberOf(std::string_view text) {
    std::int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) {
        ADD_FAILURE() << "not a number: " << text;
    }
    return value;
}

/// One span as written.
struct Token {
    std::string name;  ///< with images and attempt: one for all parts of a step
    std::string tag;
    std::vector<ImageIndex> images;
    LaneId lane;
    Instant begin;
    Instant end;
    std::optional<Instant> ready;
    std::optional<Instant> submitted;
    std::string cause;
};

/// "A0+1'" into tag and images.
bool parseName(std::string_view name, std::string& tag, std::vector<ImageIndex>& images) {
    while (!name.empty() && name.back() == '\'') name.remove_suffix(1);
    const std::size_t last = name.find_last_not_of("0123456789+");
    if (last == std::string_view::npos || last + 1 == name.size()) return false;
    tag = std::string(name.substr(0, last + 1));
    std::istringstream list{std::string(name.substr(last + 1))};
    for (std::string image; std::getline(list, image, '+');) {
        images.push_back(ImageIndex(static_cast<std::size_t>(numberOf(image))));
    }
    return true;
}

class Reader {
public:
    explicit Reader(const Plan& plan) : m_plan(plan) {
        for (std::size_t i = 0; i < plan.machine->lanes.size(); ++i) m_lanes[laneLabel(plan, LaneId(i))] = LaneId(i);
    }

    Trace read(std::string_view text) {
        std::istringstream lines{std::string(text)};
        for (std::string line; std::getline(lines, line);) readLine(line);
        numberSteps();
        Trace bare = build(false);
        findCauses(bare);
        return build(true);
    }

private:
    void readLine(std::string line) {
        line.erase(0, line.find_first_not_of(" \t"));
        if (line.empty()) return;
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos) {
            ADD_FAILURE() << "no lane in: " << line;
            return;
        }
        const std::string head = line.substr(0, colon);
        const std::string rest = line.substr(colon + 2);
        if (head == "origin") {
            m_origin = rest == "measured" ? TraceOrigin::measured : TraceOrigin::predicted;
        } else if (head == "start") {
            m_start = instantFromNs(numberOf(rest));
        } else if (head == "end") {
            m_end = instantFromNs(numberOf(rest));
        } else if (head == "superseded") {
            m_supersededLines.push_back(rest);
        } else if (const auto lane = m_lanes.find(head); lane != m_lanes.end()) {
            readSpans(lane->second, rest);
        } else {
            ADD_FAILURE() << "no such lane: " << head;
        }
    }

    void readSpans(LaneId lane, const std::string& text) {
        for (std::size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
            const std::size_t open = text.find('[', at);
            const std::size_t close = text.find(']', at);
            Token token;
            if (open == std::string::npos || close == std::string::npos) {
                ADD_FAILURE() << "no [begin-end] in: " << text.substr(at);
                return;
            }
            token.name = text.substr(at, open - at);
            token.lane = lane;
            if (!parseName(token.name, token.tag, token.images)) ADD_FAILURE() << "no image in: " << token.name;
            readTimes(token, text.substr(open + 1, close - open - 1));
            m_tokens.push_back(token);
            at = close + 1;
        }
    }

    static void readTimes(Token& token, const std::string& text) {
        std::istringstream words(text);
        std::string range;
        words >> range;
        const std::size_t dash = range.find('-', 1);
        token.begin = instantFromNs(numberOf(std::string_view(range).substr(0, dash)));
        token.end = instantFromNs(numberOf(std::string_view(range).substr(dash + 1)));
        for (std::string word; words >> word;) {
            const std::string_view rest = std::string_view(word).substr(1);
            if (word[0] == 'r') token.ready = instantFromNs(numberOf(rest));
            if (word[0] == 's') token.submitted = instantFromNs(numberOf(rest));
            if (word[0] == '<') token.cause = std::string(rest);
        }
    }

    /// Ids in the order in which steps begin.
    void numberSteps() {
        std::stable_sort(m_tokens.begin(), m_tokens.end(),
                         [](const Token& a, const Token& b) { return a.begin < b.begin; });
        for (const Token& token : m_tokens) m_steps.try_emplace(token.name, StepId(m_steps.size()));
    }

    TemplateId templateOf(const Token& token) const {
        for (std::size_t i = 0; i < m_plan.templates.size(); ++i) {
            const StepTemplate& step = m_plan.templates[i];
            const bool there = step.kind != TemplateKind::copy || m_plan.machine->link(step.link).lane == token.lane;
            if (there && step.formatClass == m_plan.classOf(token.images.front()) && tagOf(m_plan, step) == token.tag) {
                return TemplateId(i);
            }
        }
        ADD_FAILURE() << "nothing is called " << token.name << " there";
        return TemplateId(std::size_t{0});
    }

    /// What a step moves or makes: sizes of buffers; half the bound of what is encoded.
    ByteCount bytesOf(const StepTemplate& step, const std::vector<ImageIndex>& images) {
        ByteCount sum;
        for (const ImageIndex image : images) {
            const bool constants = image != m_plan.constantsImage() && m_plan.constantsClass.valid();
            const ImageShapes shared = constants ? shapesOf(m_plan, m_plan.constantsImage(), nullptr) : ImageShapes{};
            const ImageShapes shapes = shapesOf(m_plan, image, constants ? &shared : nullptr);
            const bool makes = step.kind == TemplateKind::read || step.kind == TemplateKind::operation;
            const SlotIndex slot = makes ? step.outputs.front() : step.inputs.front();
            const PortShape& shape = shapes.slots[slot.index()];
            const Slot& description = m_plan.formatClass(step.formatClass).slots[slot.index()];
            const auto* bytes = std::get_if<BytesShape>(&shape);
            if (step.kind == TemplateKind::conversion || (makes && !bytes)) continue;
            sum += bytes && !description.keptUntilImageEnds ? ByteCount(bytes->bound.value / 2) : sizeOf(shape);
        }
        return sum;
    }

    Trace build(bool withCauses) {
        TraceBuilder builder(m_plan, m_origin);
        builder.setStart(m_start);
        Instant last = m_start;
        std::map<LaneId, Instant> laneFree;
        std::map<std::string, Instant> submitted;  // of a step with parts: when the last lane was free
        for (const Token& token : m_tokens) {
            Instant& at = submitted.try_emplace(token.name, m_start).first->second;
            at = std::max(at, laneFree.try_emplace(token.lane, m_start).first->second);
            laneFree[token.lane] = std::max(laneFree[token.lane], token.end);
        }
        std::map<ImageIndex, std::pair<Instant, StepId>> imageEnds;
        for (const Token& token : m_tokens) {
            const StepId step = m_steps.at(token.name);
            Span span;
            const TemplateId id = templateOf(token);
            span.stepTemplate = static_cast<std::uint16_t>(id.value);
            span.lane = static_cast<std::uint16_t>(token.lane.value);
            span.step = step;
            span.image = token.images.front();
            span.begin = token.begin;
            span.end = token.end;
            span.bytes = bytesOf(m_plan.stepTemplate(id), token.images);
            if (withCauses) span.cause = m_causes[step];
            span.ready = withCauses ? m_ready[step] : m_start;
            span.submitted = token.submitted.value_or(std::max(span.ready, submitted.at(token.name)));
            span.returned = span.submitted;
            builder.add(span);
            last = std::max(last, token.end);
            for (const ImageIndex image : token.images) {
                auto& end = imageEnds[image];
                if (token.end >= end.first) end = {token.end, step};
            }
        }
        addRest(builder, imageEnds);
        return builder.finish(m_end.value_or(last));
    }

    void addRest(TraceBuilder& builder, const std::map<ImageIndex, std::pair<Instant, StepId>>& imageEnds) {
        std::map<std::string, bool> batched;
        for (const Token& token : m_tokens) {
            if (token.images.size() > 1 && !std::exchange(batched[token.name], true)) {
                builder.addBatch({m_steps.at(token.name), token.images});
            }
        }
        std::vector<ImageEnd> ends;
        for (const auto& [image, end] : imageEnds) ends.push_back({image, end.first, end.second});
        std::stable_sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.when < b.when; });
        for (const ImageEnd& end : ends) {
            for (const StageIndex stage : m_plan.formatClass(m_plan.classOf(end.image)).order) {
                builder.addOutcome({end.image, stage, OutcomeKind::done});
            }
            builder.addImageEnd(end);
        }
        builder.addSample("images in flight", m_start, 1);
        for (const Memory& memory : m_plan.machine->memories)
            builder.addSample("live bytes " + memory.name, m_start, 1);
        for (const std::string& line : m_supersededLines) {
            std::istringstream words(line);
            std::string name;
            std::string reason;
            std::string when;
            words >> name >> reason >> when;
            if (!m_steps.contains(name)) ADD_FAILURE() << "superseded, but no such span: " << name;
            builder.addSuperseded({m_steps[name], 0, {"attempt." + reason, {}}, instantFromNs(numberOf(when)), {}});
        }
    }

    void findCauses(const Trace& bare) {
        const TraceIndex index(bare);
        for (const Token& token : m_tokens) {
            const StepId id = m_steps.at(token.name);
            const StepRecord& step = index.step(index.find(id));
            StepPosition cause = step.blocker;
            if (!token.cause.empty()) {
                if (!m_steps.contains(token.cause)) ADD_FAILURE() << "no such cause: " << token.cause;
                cause = index.find(m_steps[token.cause]);
            }
            if (cause != noStep) m_causes[id] = index.step(cause).id;
            m_ready[id] = token.ready.value_or(std::max(m_ready[id], index.endOf(cause)));
        }
    }

    const Plan& m_plan;
    std::map<std::string, LaneId> m_lanes;
    std::vector<Token> m_tokens;
    std::map<std::string, StepId> m_steps;
    std::map<StepId, StepId> m_causes;
    std::map<StepId, Instant> m_ready;
    std::vector<std::string> m_supersededLines;
    TraceOrigin m_origin = TraceOrigin::predicted;
    Instant m_start;
    std::optional<Instant> m_end;
};

/// Names of all steps: tag, images, and a mark for each further attempt.
std::map<StepId, std::string> stepNames(const Plan& plan, const TraceIndex& index) {
    std::map<std::string, int> seen;
    std::map<StepId, std::string> names;
    for (const StepRecord& step : index.steps()) {
        std::string name = tagOf(plan, plan.templates[step.stepTemplate]);
        const char* separator = "";
        for (const ImageIndex image : index.images(step)) {
            name += separator + std::to_string(image.value);
            separator = "+";
        }
        names[step.id] = name + std::string(static_cast<std::size_t>(seen[name]++), '\'');
    }
    return names;
}

}  // namespace

Trace traceFromText(const Plan& plan, std::string_view text) { return Reader(plan).read(text); }

std::string traceText(const Plan& plan, const Trace& trace) {
    const TraceIndex index(trace);
    const auto names = stepNames(plan, index);
    std::string text;
    for (std::size_t i = 0; i < index.laneCount(); ++i) {
        const auto spans = index.lane(LaneId(i));
        if (spans.empty()) continue;
        text += laneLabel(plan, LaneId(i)) + ":";
        for (const Span* span : spans) {
            text += " " + names.at(span->step) + "[" + std::to_string(toNs(span->begin)) + "-" +
                    std::to_string(toNs(span->end)) + "]";
        }
        text += "\n";
    }
    return text;
}

Trace withSpans(const Trace& trace, const std::function<void(std::vector<Span>&)>& change) {
    std::vector<Span> spans;
    trace.forEach([&spans](const Span& span) { spans.push_back(span); });
    change(spans);
    Trace copy = trace;
    copy.chunks = {std::make_shared<const SpanChunk>(std::move(spans))};
    return copy;
}

StepId stepOf(const Plan& plan, const Trace& trace, std::string_view what) {
    const TraceIndex index(trace);
    for (const auto& [id, name] : stepNames(plan, index)) {
        if (name == what) return id;
    }
    ADD_FAILURE() << "no step " << what;
    return {};
}

}  // namespace lanewright::test
