// SPDX-License-Identifier: GPL-3.0-or-later
// Pooled buffer objects of one OpenCL context.
#pragma once

#include "engine/devices/block_cache.h"
#include "engine/devices/driver.h"

#include <cstddef>
#include <memory>
#include <mutex>

namespace lanewright {

/// Thread-safe. Buffer objects are rounded up by sizeClassOf() and return here when their Buffer goes.
class OpenClMemory : public std::enable_shared_from_this<OpenClMemory> {
public:
    /// `context` is a cl_context, which stays alive as long as this does. `limit` bytes at most, used and free together.
    static std::shared_ptr<OpenClMemory> create(void* context, ByteCount limit);
    ~OpenClMemory();
    OpenClMemory(const OpenClMemory&) = delete;
    OpenClMemory& operator=(const OpenClMemory&) = delete;

    /// nullptr: beyond the limit, or refused by the device.
    BufferPtr allocate(ByteCount size);
    /// Gives free buffer objects back to the device.
    void trim();

private:
    class MemoryBuffer;

    OpenClMemory(void* context, ByteCount limit);
    void release(void* memory, std::size_t classBytes);

    void* m_context;
    std::size_t m_limit;
    std::mutex m_mutex;
    BlockCache<void*> m_free;
    std::size_t m_live = 0;
    std::size_t m_peak = 0;
};

}  // namespace lanewright
