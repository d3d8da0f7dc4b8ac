// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/random_trace.h"

#include <algorithm>
#include <random>

namespace lanewright::test {
namespace {

constexpr std::size_t chainLength = 6;

/// read -> stage -> copy -> stage -> copy -> write, each making slot i from slot i - 1.
std::vector<TraceTemplate> chainTemplates(const Machine& machine) {
    const SpanCategory categories[chainLength] = {SpanCategory::read,  SpanCategory::stage, SpanCategory::copy,
                                                  SpanCategory::stage, SpanCategory::copy,  SpanCategory::write};
    std::vector<TraceTemplate> templates;
    for (std::size_t i = 0; i < chainLength; ++i) {
        TraceTemplate& description = templates.emplace_back();
        description.category = categories[i];
        description.name = "step " + std::to_string(i);
        description.from = description.to = machine.hostMemory;
        if (i > 0) description.inputs = {static_cast<std::uint16_t>(i - 1)};
        description.outputs = {static_cast<std::uint16_t>(i)};
    }
    return templates;
}

class Generator {
public:
    Generator(std::shared_ptr<const Machine> machine, std::uint64_t seed) : m_random(seed) {
        m_trace.machine = std::move(machine);
        m_trace.templates = chainTemplates(*m_trace.machine);
        m_trace.start = instantFromNs(below(50));
        m_free.assign(m_trace.machine->lanes.size(), m_trace.start);
        m_trace.clockUncertainty.assign(m_trace.machine->devices.size(), Duration(0));
    }

    Trace run(std::size_t spans) {
        for (std::size_t image = 0; m_spans < spans; ++image) addImage(ImageIndex(image));
        flush();
        m_trace.end = *std::max_element(m_free.begin(), m_free.end()) + Duration(below(20));
        return std::move(m_trace);
    }

private:
    std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(n)); }

    void addImage(ImageIndex image) {
        Instant available = m_trace.start;
        StepId cause;
        if (m_lastEnd.valid() && below(3) == 0) {
            cause = m_lastEnd;  // the window
            available = m_lastEndTime;
        }
        const auto length = static_cast<std::uint16_t>(below(10) == 0 ? 1 + below(chainLength) : chainLength);
        for (std::uint16_t i = 0; i < length; ++i) {
            if (below(20) == 0) supersede(addStep(image, i, available, cause));
            const StepId step = addStep(image, i, available, cause);
            cause = below(5) == 0 ? StepId{} : step;
            available = m_stepEnd;
        }
        m_lastEnd = StepId(std::size_t{m_nextStep - 1});
        m_lastEndTime = available;
    }

    StepId addStep(ImageIndex image, std::uint16_t stepTemplate, Instant available, StepId cause) {
        std::vector<std::size_t> lanes{static_cast<std::size_t>(below(static_cast<std::int64_t>(m_free.size())))};
        const std::size_t workers = m_trace.machine->devices[0].lanes.size();
        if (lanes[0] < workers && below(4) == 0) {
            for (std::size_t i = 0; i < workers; ++i) {
                if (i != lanes[0]) lanes.push_back(i);
            }
        }
        Instant begin = available;
        for (const std::size_t lane : lanes) begin = std::max(begin, m_free[lane]);
        Span span;
        span.ready = available + Duration(below(5) == 0 ? below(40) - 20 : 0);
        span.submitted = std::max(span.ready, begin - Duration(below(10)));
        begin += Duration(below(3) == 0 ? below(30) : 0);
        span.returned = span.submitted;
        span.step = StepId(std::size_t{m_nextStep++});
        span.image = image;
        span.cause = cause;
        span.stepTemplate = stepTemplate;
        m_stepEnd = begin;
        for (const std::size_t lane : lanes) {
            span.lane = static_cast<std::uint16_t>(lane);
            span.begin = begin + Duration(lanes.size() > 1 ? below(4) : 0);
            span.end = span.begin + Duration(below(8) == 0 ? 0 : below(60));
            m_free[lane] = span.end;
            m_stepEnd = std::max(m_stepEnd, span.end);
            add(span);
        }
        // Lanes reserved together come free together.
        for (const std::size_t lane : lanes) m_free[lane] = m_stepEnd;
        return span.step;
    }

    void add(const Span& span) {
        ++m_spans;
        m_open.push_back(span);
        if (m_open.size() == 4096) flush();
    }

    void flush() {
        if (!m_open.empty()) m_trace.chunks.push_back(std::make_shared<const SpanChunk>(std::move(m_open)));
        m_open = {};
    }

    void supersede(StepId step) { m_trace.superseded.push_back({step, 0, {"attempt.refused", {}}, m_stepEnd, {}}); }

    std::mt19937_64 m_random;
    Trace m_trace;
    SpanChunk m_open;
    std::vector<Instant> m_free;
    std::size_t m_spans = 0;
    std::size_t m_nextStep = 0;
    Instant m_stepEnd;
    StepId m_lastEnd;
    Instant m_lastEndTime;
};

}  // namespace

Trace randomTrace(std::shared_ptr<const Machine> machine, std::size_t spans, std::uint64_t seed) {
    return Generator(std::move(machine), seed).run(spans);
}

}  // namespace lanewright::test
