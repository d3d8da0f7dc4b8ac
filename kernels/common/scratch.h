// SPDX-License-Identifier: GPL-3.0-or-later
// Working memory of a thread that keeps its pages from call to call: fresh pages cost more than filling them.
#pragma once

#include <cstddef>

namespace lanewright {

/// At least `bytes`, aligned to 64, owned by the calling thread until its next call of this function. Contents undefined.
std::byte* threadScratch(std::size_t bytes);

/// Offsets of the parts of one threadScratch() block, each aligned to 64.
class ScratchLayout {
public:
    /// Room for `count` values of T; returns its offset in the block.
    template <class T>
    std::size_t add(std::size_t count) {
        const std::size_t offset = m_size;
        m_size += (count * sizeof(T) + 63) / 64 * 64;
        return offset;
    }
    std::size_t size() const { return m_size; }

private:
    std::size_t m_size = 0;
};

}  // namespace lanewright
