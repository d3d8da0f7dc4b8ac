// SPDX-License-Identifier: GPL-3.0-or-later
// Which block of memory holds which buffer of the run. Dispatch decides what is made and released; here are the blocks.
#pragma once

#include "engine/devices/driver.h"
#include "engine/run/step.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>

namespace lanewright {

class BufferTable {
public:
    /// An earlier block of the same buffer is let go.
    void set(const BufferRef& buffer, BufferPtr block) { m_blocks[buffer] = std::move(block); }
    /// nullptr: there is none.
    BufferPtr find(const BufferRef& buffer) const {
        const auto found = m_blocks.find(buffer);
        return found == m_blocks.end() ? nullptr : found->second;
    }
    void release(const BufferRef& buffer) { m_blocks.erase(buffer); }
    /// All that was in the memory of a device that is gone.
    void dropMemory(MemoryId memory) {
        std::erase_if(m_blocks, [memory](const auto& entry) { return entry.first.memory == memory; });
    }
    void clear() { m_blocks.clear(); }
    std::size_t size() const { return m_blocks.size(); }

private:
    struct Hash {
        std::size_t operator()(const BufferRef& buffer) const noexcept {
            const std::uint64_t key = (std::uint64_t{buffer.image.value} << 24) ^
                                      (std::uint64_t{buffer.slot.value} << 6) ^ std::uint64_t{buffer.memory.value};
            return std::hash<std::uint64_t>{}(key * 0x9E3779B97F4A7C15);
        }
    };
    std::unordered_map<BufferRef, BufferPtr, Hash> m_blocks;
};

}  // namespace lanewright
