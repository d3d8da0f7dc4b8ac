// SPDX-License-Identifier: GPL-3.0-or-later
// Small blocks come from operator new, large ones from mmap so that giving them back really gives pages back.
#include "engine/devices/host_pool.h"

#include <algorithm>
#include <new>

#include <sys/mman.h>

namespace lanewright {
namespace {

constexpr std::align_val_t blockAlignment{64};
constexpr std::size_t mappedFrom = std::size_t{256} << 10;
constexpr std::size_t hugePagesFrom = std::size_t{8} << 20;  // halves the cost of the first touch

std::byte* systemAllocate(std::size_t bytes) {
    if (bytes < mappedFrom) return static_cast<std::byte*>(::operator new(bytes, blockAlignment, std::nothrow));
    void* block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return nullptr;
    if (bytes >= hugePagesFrom) ::madvise(block, bytes, MADV_HUGEPAGE);
    return static_cast<std::byte*>(block);
}

void systemFree(std::byte* block, std::size_t bytes) {
    if (bytes < mappedFrom) {
        ::operator delete(block, blockAlignment);
    } else {
        ::munmap(block, bytes);
    }
}

}  // namespace

class HostPool::HostBuffer : public Buffer {
public:
    HostBuffer(std::shared_ptr<HostPool> pool, std::byte* block, std::size_t classBytes, ByteCount bytes)
        : m_pool(std::move(pool)), m_block(block), m_classBytes(classBytes) {
        size = bytes;
    }
    ~HostBuffer() override { m_pool->release(m_block, m_classBytes); }
    HostBuffer(const HostBuffer&) = delete;
    HostBuffer& operator=(const HostBuffer&) = delete;

    std::byte* hostData() override { return m_block; }

private:
    std::shared_ptr<HostPool> m_pool;
    std::byte* m_block;
    std::size_t m_classBytes;
};

HostPool::~HostPool() {
    while (const auto block = m_free.takeOldest()) systemFree(block->second, block->first);
}

BufferPtr HostPool::allocate(ByteCount size) {
    if (size.value > m_limit) return nullptr;
    const std::size_t classBytes = sizeClassOf(size.value);
    std::byte* block = nullptr;
    {
        const std::lock_guard lock(m_mutex);
        if (const auto reused = m_free.take(classBytes)) {
            block = *reused;
            ++m_statistics.reused;
        } else {
            makeRoom(classBytes);
            if (m_statistics.live + m_free.bytes() + classBytes > m_limit) return nullptr;
            block = systemAllocate(classBytes);
            if (!block) return nullptr;
            ++m_statistics.fresh;
        }
        m_statistics.live += classBytes;
        m_statistics.peakLive = std::max(m_statistics.peakLive, m_statistics.live);
    }
    return std::make_shared<HostBuffer>(shared_from_this(), block, classBytes, size);
}

void HostPool::makeRoom(std::size_t classBytes) {
    const std::size_t wanted = m_statistics.live + classBytes;
    const std::size_t cap = poolCap(std::max(m_statistics.peakLive, wanted), m_limit);
    while (wanted + m_free.bytes() > cap) {
        const auto block = m_free.takeOldest();
        if (!block) return;
        systemFree(block->second, block->first);
    }
}

void HostPool::release(std::byte* block, std::size_t classBytes) {
    const std::lock_guard lock(m_mutex);
    m_statistics.live -= classBytes;
    m_free.put(classBytes, block);
}

HostPool::Statistics HostPool::statistics() const {
    const std::lock_guard lock(m_mutex);
    Statistics statistics = m_statistics;
    statistics.cached = m_free.bytes();
    return statistics;
}

}  // namespace lanewright
