// SPDX-License-Identifier: GPL-3.0-or-later
// The contract for buffers: inputs are there before a step begins, copies are needed, bytes are as many as there are.
#include "engine/trace/contract_buffers.h"

#include <algorithm>
#include <tuple>

namespace lanewright::contract {

BufferTable::BufferTable(const State& state) : m_state(state), m_shapes(state.plan.imageCount() + 1) {
    const auto steps = state.index.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const StepTemplate& stepTemplate = state.templateOf(steps[i]);
        const MemoryId memory = state.index.outputMemory(steps[i]);
        for (const ImageIndex image : state.index.images(steps[i])) {
            Instant until = state.validUntil(steps[i], image);
            if (until < steps[i].end) continue;
            for (std::size_t d = 0; d < state.plan.machine->devices.size(); ++d) {
                if (state.plan.machine->devices[d].memory != memory) continue;
                if (const auto lost = state.lostAt(DeviceId(d))) until = std::min(until, *lost);
            }
            for (const SlotIndex slot : stepTemplate.outputs) {
                m_made.push_back({{image, slot, memory}, steps[i].end, until, static_cast<StepPosition>(i)});
            }
        }
    }
    std::sort(m_made.begin(), m_made.end(), [](const Made& a, const Made& b) {
        return std::tie(a.key, a.end, a.step) < std::tie(b.key, b.end, b.step);
    });
}

std::span<const Made> BufferTable::madeOf(const BufferKey& key) const {
    const auto begin = std::lower_bound(m_made.begin(), m_made.end(), key,
                                        [](const Made& made, const BufferKey& wanted) { return made.key < wanted; });
    const auto end = std::find_if(begin, m_made.end(), [&key](const Made& made) { return made.key != key; });
    return {m_made.data() + (begin - m_made.begin()), static_cast<std::size_t>(end - begin)};
}

const Made* BufferTable::foundBy(const BufferKey& key, Instant begin, DeviceId reader) const {
    const Made* found = nullptr;
    for (const Made& made : madeOf(key)) {
        const Duration tolerance = m_state.tolerance(m_state.deviceOf(m_state.index.step(made.step)), reader);
        if (made.end <= begin + tolerance && (made.until == Instant::max() || begin < made.until + tolerance))
            found = &made;
    }
    return found;
}

std::vector<BufferKey> BufferTable::inputsOf(const StepRecord& step, ImageIndex image) const {
    const StepTemplate& stepTemplate = m_state.templateOf(step);
    const MemoryId memory = m_state.index.inputMemory(step);
    std::vector<BufferKey> keys;
    for (const SlotIndex slot : stepTemplate.inputs) {
        keys.push_back({m_state.ownerOf(stepTemplate, slot, image), slot, memory});
    }
    return keys;
}

const ImageShapes& BufferTable::shapes(ImageIndex owner) const {
    auto& kept = m_shapes[owner.index()];
    if (!kept) {
        const bool constants = owner != m_state.plan.constantsImage() && m_state.plan.constantsClass.valid();
        const ImageShapes* shared = constants ? &shapes(m_state.plan.constantsImage()) : nullptr;
        kept = std::make_unique<const ImageShapes>(shapesOf(m_state.plan, owner, shared));
    }
    return *kept;
}

const PortShape* BufferTable::shapeOf(ImageIndex owner, SlotIndex slot) const {
    const ImageShapes& all = shapes(owner);
    if (!all.errors.empty() && all.errors[slot.index()]) return nullptr;
    return &all.slots[slot.index()];
}

std::optional<ByteCount> BufferTable::actualBytes(ImageIndex owner, SlotIndex slot) const {
    const PortShape* shape = shapeOf(owner, slot);
    if (!shape) return std::nullopt;
    if (!std::holds_alternative<BytesShape>(*shape)) return sizeOf(*shape);
    const auto first = std::lower_bound(
        m_made.begin(), m_made.end(), std::tuple(owner, slot),
        [](const Made& made, const auto& wanted) { return std::tuple(made.key.owner, made.key.slot) < wanted; });
    for (auto made = first; made != m_made.end() && made->key.owner == owner && made->key.slot == slot; ++made) {
        const StepRecord& step = m_state.index.step(made->step);
        const bool copy = m_state.templateOf(step).kind == TemplateKind::copy;
        if (!copy && m_state.counts(step, owner) && m_state.index.images(step).size() == 1) return step.bytes;
    }
    return std::nullopt;
}

std::vector<BufferTable::Life> BufferTable::lives() const {
    std::vector<Life> lives;
    for (const Made& made : m_made) {
        const StepRecord& step = m_state.index.step(made.step);
        const ByteCount bytes = actualBytes(made.key.owner, made.key.slot).value_or(ByteCount{});
        lives.push_back({made.key.memory, bytes, step.submitted, step.end});
    }
    for (const StepRecord& step : m_state.index.steps()) {
        for (const ImageIndex image : m_state.index.images(step)) {
            for (const BufferKey& key : inputsOf(step, image)) {
                const Made* found = foundBy(key, step.begin, m_state.deviceOf(step));
                if (!found) continue;
                Life& life = lives[static_cast<std::size_t>(found - m_made.data())];
                life.end = std::max(life.end, std::min(step.end, found->until));
            }
        }
    }
    return lives;
}

namespace {

std::string slotName(const State& state, const StepRecord& step, SlotIndex slot) {
    return state.plan.formatClass(state.templateOf(step).formatClass).slots[slot.index()].name;
}

/// Images of which no stage failed or was cancelled.
std::vector<std::uint8_t> imagesWithoutFailure(const State& state) {
    std::vector<std::uint8_t> good(state.plan.imageCount() + 1, 1);
    for (const Outcome& outcome : state.trace.outcomes) {
        if (outcome.kind != OutcomeKind::done) good[outcome.image.index()] = 0;
    }
    return good;
}

class BufferCheck {
public:
    explicit BufferCheck(State& state) : m_state(state), m_buffers(state), m_good(imagesWithoutFailure(state)) {
        findUses();
    }

    void run() {
        for (const StepRecord& step : m_state.index.steps()) {
            for (const ImageIndex image : m_state.index.images(step)) {
                if (!m_state.counts(step, image)) continue;
                checkInputs(step, image);
                if (m_state.templateOf(step).kind == TemplateKind::copy) checkNeeded(step, image);
            }
            checkBytes(step);
        }
    }

private:
    /// The steps that read each buffer, by the one that made it.
    void findUses() {
        m_used.resize(m_state.index.steps().size(), 0);
        for (const StepRecord& step : m_state.index.steps()) {
            for (const ImageIndex image : m_state.index.images(step)) {
                for (const BufferKey& key : m_buffers.inputsOf(step, image)) {
                    const Made* made = m_buffers.foundBy(key, step.begin, m_state.deviceOf(step));
                    if (made) m_used[made->step] = 1;
                }
            }
        }
    }

    void checkInputs(const StepRecord& step, ImageIndex image) {
        for (const BufferKey& key : m_buffers.inputsOf(step, image)) {
            if (m_buffers.foundBy(key, step.begin, m_state.deviceOf(step))) continue;
            m_state.report(ContractRule::inputs, m_state.nameOf(step) + " begins before " +
                                                     slotName(m_state, step, key.slot) + " is in " +
                                                     m_state.plan.machine->memory(key.memory).name);
        }
    }

    void checkNeeded(const StepRecord& step, ImageIndex image) {
        const StepTemplate& stepTemplate = m_state.templateOf(step);
        if (m_state.troubled(image)) return;  // releases are not in a trace: after a fault a copy may come again
        const SlotIndex slot = stepTemplate.outputs.front();
        const StepPosition position = m_state.index.find(step.id);
        for (const Made& other : m_buffers.madeOf({image, slot, m_state.index.outputMemory(step)})) {
            const bool earlier = std::tie(other.end, other.step) < std::tie(step.end, position);
            if (other.step == position || !earlier) continue;
            m_state.report(ContractRule::copyNeeded, m_state.nameOf(step) + " copies " + slotName(m_state, step, slot) +
                                                         " to where it is already");
            return;
        }
        // When all went well, somebody used it. Constants may go to a device whose images all took another one.
        if (image == m_state.plan.constantsImage() || !m_good[image.index()] || m_used[position]) return;
        m_state.report(ContractRule::copyNeeded, m_state.nameOf(step) + " copies what nobody reads there");
    }

    /// What the step should have moved or at most made; none: the trace does not tell.
    std::optional<ByteCount> expectedBytes(const StepRecord& step, ImageIndex image) const {
        const StepTemplate& stepTemplate = m_state.templateOf(step);
        if (stepTemplate.kind == TemplateKind::read) return m_state.plan.fileOf(image, stepTemplate.stage).fileBytes;
        return m_buffers.actualBytes(image, stepTemplate.inputs.front());
    }

    void checkBytes(const StepRecord& step) {
        const StepTemplate& stepTemplate = m_state.templateOf(step);
        for (const ImageIndex image : m_state.index.images(step)) {
            if (!m_state.counts(step, image) || !m_good[image.index()]) return;
        }
        const bool moves = stepTemplate.kind == TemplateKind::copy || stepTemplate.kind == TemplateKind::read ||
                           stepTemplate.kind == TemplateKind::write;
        if (!moves) return checkMadeBytes(step);
        ByteCount exact;
        bool known = true;
        for (const ImageIndex image : m_state.index.images(step)) {
            const auto expected = expectedBytes(step, image);
            known = known && expected;
            exact += expected.value_or(ByteCount{});
        }
        if (!known || step.bytes == exact) return;
        m_state.report(ContractRule::bytes, m_state.nameOf(step) + " moves " + std::to_string(step.bytes.value) +
                                                " bytes of " + std::to_string(exact.value));
    }

    /// An encoder makes at least one byte an image and at most the bound.
    void checkMadeBytes(const StepRecord& step) {
        const StepTemplate& stepTemplate = m_state.templateOf(step);
        if (stepTemplate.outputs.empty()) return;
        ByteCount bound;
        const auto images = m_state.index.images(step);
        for (const ImageIndex image : images) {
            const PortShape* shape = m_buffers.shapeOf(image, stepTemplate.outputs.front());
            if (!shape || !std::holds_alternative<BytesShape>(*shape)) return;
            bound += std::get<BytesShape>(*shape).bound;
        }
        if (step.bytes.value >= images.size() && step.bytes <= bound) return;
        m_state.report(ContractRule::bytes, m_state.nameOf(step) + " makes " + std::to_string(step.bytes.value) +
                                                " bytes, the bound is " + std::to_string(bound.value));
    }

    State& m_state;
    BufferTable m_buffers;
    std::vector<std::uint8_t> m_good;
    std::vector<std::uint8_t> m_used;  ///< by step: something that it made was read
};

}  // namespace

void checkBuffers(State& state) { BufferCheck(state).run(); }

}  // namespace lanewright::contract
