// SPDX-License-Identifier: GPL-3.0-or-later
// Which step made which buffer where, as a trace tells. Internal to contract*.cpp.
#pragma once

#include "engine/trace/contract_state.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lanewright::contract {

/// One buffer: a slot of an image (constants: of the pseudo-image) in one memory.
struct BufferKey {
    ImageIndex owner;
    SlotIndex slot;
    MemoryId memory;
    friend auto operator<=>(const BufferKey&, const BufferKey&) = default;
};

/// A step that made the buffer. It can be used from `end` until `until`.
struct Made {
    BufferKey key;
    Instant end;
    Instant until;
    StepPosition step = noStep;
};

class BufferTable {
public:
    /// `state` must outlive the table.
    explicit BufferTable(const State& state);

    /// By end.
    std::span<const Made> madeOf(const BufferKey& key) const;
    /// What a reader that begins at `begin` on `reader` finds: the last that was made by then; nullptr: nothing.
    const Made* foundBy(const BufferKey& key, Instant begin, DeviceId reader) const;
    /// The buffers that a step reads for one of its images.
    std::vector<BufferKey> inputsOf(const StepRecord& step, ImageIndex image) const;

    /// nullptr: the shape rules refuse the image before.
    const PortShape* shapeOf(ImageIndex owner, SlotIndex slot) const;
    /// Bytes really in the buffer; none for encoded bytes of a step over several images, which the trace does not tell.
    std::optional<ByteCount> actualBytes(ImageIndex owner, SlotIndex slot) const;

    /// From the submission of the step that makes a buffer until the last step that reads it has ended. Encoded bytes count
    /// with what is really there, so that no real use is smaller.
    struct Life {
        MemoryId memory;
        ByteCount bytes;
        Instant begin;
        Instant end;
    };
    std::vector<Life> lives() const;

private:
    const ImageShapes& shapes(ImageIndex owner) const;

    const State& m_state;
    std::vector<Made> m_made;
    mutable std::vector<std::unique_ptr<const ImageShapes>> m_shapes;
};

}  // namespace lanewright::contract
