// SPDX-License-Identifier: GPL-3.0-or-later
// Pooled host memory. The point is page reuse: touching the fresh pages of a 72 MB frame costs 40-56 ms, more than many a
// kernel. Pages of a block that nobody touches cost nothing, so encoders may ask for their bound.
#pragma once

#include "engine/devices/block_cache.h"
#include "engine/devices/driver.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace lanewright {

/// Thread-safe. Blocks are aligned to 64 bytes, rounded up by sizeClassOf(), and return here when their buffer goes.
class HostPool : public std::enable_shared_from_this<HostPool> {
public:
    struct Statistics {
        std::size_t live = 0;    ///< bytes of blocks in use
        std::size_t cached = 0;  ///< bytes of free blocks
        std::size_t peakLive = 0;
        std::uint64_t fresh = 0;   ///< blocks that came from the system
        std::uint64_t reused = 0;  ///< blocks that had been used before
    };

    /// `limit` bytes at most in blocks, used and free together.
    static std::shared_ptr<HostPool> create(ByteCount limit) { return std::shared_ptr<HostPool>(new HostPool(limit)); }
    ~HostPool();
    HostPool(const HostPool&) = delete;
    HostPool& operator=(const HostPool&) = delete;

    /// nullptr: beyond the limit even with all free blocks given back, or refused by the system.
    BufferPtr allocate(ByteCount size);
    Statistics statistics() const;

private:
    class HostBuffer;

    explicit HostPool(ByteCount limit) : m_limit(limit.value) {}
    void release(std::byte* block, std::size_t classBytes);
    void makeRoom(std::size_t classBytes);

    mutable std::mutex m_mutex;
    BlockCache<std::byte*> m_free;
    std::size_t m_limit;
    Statistics m_statistics;
};

}  // namespace lanewright
