// SPDX-License-Identifier: GPL-3.0-or-later
// Free blocks of memory by size class, for pools of host memory and of device buffers. Not thread-safe: the pool locks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace lanewright {

/// Rounds up to one of eight sizes an octave (64-byte steps up to 512), so that a block wastes at most 12.5 % or 63 bytes.
constexpr std::size_t sizeClassOf(std::size_t bytes) {
    bytes = std::max<std::size_t>(bytes, 1);
    const std::size_t step = std::max<std::size_t>(std::bit_floor(bytes - 1) / 8, 64);
    return (bytes + step - 1) / step * step;
}

/// What a pool may hold, used and free together, when it takes a fresh block: images of many sizes would otherwise leave
/// free blocks of each, so what is free stays within half of the highest use.
constexpr std::size_t poolCap(std::size_t highestUse, std::size_t limit) {
    constexpr std::size_t alwaysKept = std::size_t{64} << 20;
    return std::min(limit, std::max(highestUse + highestUse / 2, alwaysKept));
}

template <class Handle>
class BlockCache {
public:
    /// The block of this class that was used last, because it is the warmest.
    std::optional<Handle> take(std::size_t classBytes) {
        const auto found = m_classes.find(classBytes);
        if (found == m_classes.end() || found->second.empty()) return std::nullopt;
        Handle handle = std::move(found->second.back().handle);
        found->second.pop_back();
        m_bytes -= classBytes;
        return handle;
    }

    void put(std::size_t classBytes, Handle handle) {
        m_classes[classBytes].push_back({std::move(handle), m_sequence++});
        m_bytes += classBytes;
    }

    /// The block that has been free longest, with its size.
    std::optional<std::pair<std::size_t, Handle>> takeOldest() {
        auto oldest = m_classes.end();
        for (auto entry = m_classes.begin(); entry != m_classes.end();) {
            if (entry->second.empty()) {
                entry = m_classes.erase(entry);
                continue;
            }
            if (oldest == m_classes.end() || entry->second.front().sequence < oldest->second.front().sequence)
                oldest = entry;
            ++entry;
        }
        if (oldest == m_classes.end()) return std::nullopt;
        std::pair<std::size_t, Handle> block(oldest->first, std::move(oldest->second.front().handle));
        oldest->second.pop_front();
        m_bytes -= block.first;
        return block;
    }

    std::size_t bytes() const { return m_bytes; }

private:
    struct Entry {
        Handle handle;
        std::uint64_t sequence;
    };
    std::map<std::size_t, std::deque<Entry>> m_classes;
    std::size_t m_bytes = 0;
    std::uint64_t m_sequence = 0;
};

}  // namespace lanewright
