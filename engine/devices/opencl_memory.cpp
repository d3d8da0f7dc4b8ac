// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/devices/opencl_memory.h"

#include <CL/cl.h>

#include <algorithm>
#include <utility>

namespace lanewright {
namespace {

void* createObject(void* context, std::size_t bytes) {
    cl_int code = CL_SUCCESS;
    cl_mem memory = clCreateBuffer(static_cast<cl_context>(context), CL_MEM_READ_WRITE, bytes, nullptr, &code);
    return code == CL_SUCCESS ? static_cast<void*>(memory) : nullptr;
}

void releaseObject(void* memory) { clReleaseMemObject(static_cast<cl_mem>(memory)); }

}  // namespace

class OpenClMemory::MemoryBuffer : public Buffer {
public:
    MemoryBuffer(std::shared_ptr<OpenClMemory> pool, void* memory, std::size_t classBytes, ByteCount bytes)
        : m_pool(std::move(pool)), m_memory(memory), m_classBytes(classBytes) {
        size = bytes;
    }
    ~MemoryBuffer() override { m_pool->release(m_memory, m_classBytes); }
    MemoryBuffer(const MemoryBuffer&) = delete;
    MemoryBuffer& operator=(const MemoryBuffer&) = delete;

    DeviceBuffer deviceBuffer() override { return {m_memory, 0}; }

private:
    std::shared_ptr<OpenClMemory> m_pool;
    void* m_memory;
    std::size_t m_classBytes;
};

std::shared_ptr<OpenClMemory> OpenClMemory::create(void* context, ByteCount limit) {
    return std::shared_ptr<OpenClMemory>(new OpenClMemory(context, limit));
}

OpenClMemory::OpenClMemory(void* context, ByteCount limit) : m_context(context), m_limit(limit.value) {
    clRetainContext(static_cast<cl_context>(m_context));
}

OpenClMemory::~OpenClMemory() {
    trim();
    clReleaseContext(static_cast<cl_context>(m_context));
}

void OpenClMemory::trim() {
    const std::lock_guard lock(m_mutex);
    while (const auto block = m_free.takeOldest()) releaseObject(block->second);
}

BufferPtr OpenClMemory::allocate(ByteCount size) {
    if (size.value > m_limit) return nullptr;
    const std::size_t classBytes = sizeClassOf(size.value);
    void* memory = nullptr;
    {
        const std::lock_guard lock(m_mutex);
        if (const auto reused = m_free.take(classBytes)) {
            memory = *reused;
        } else {
            const std::size_t cap = poolCap(std::max(m_peak, m_live + classBytes), m_limit);
            while (m_live + m_free.bytes() + classBytes > cap) {
                const auto block = m_free.takeOldest();
                if (!block) break;
                releaseObject(block->second);
            }
            if (m_live + classBytes > m_limit) return nullptr;
            memory = createObject(m_context, classBytes);
            // What is kept free may be just what is missing.
            while (!memory) {
                const auto block = m_free.takeOldest();
                if (!block) return nullptr;
                releaseObject(block->second);
                memory = createObject(m_context, classBytes);
            }
        }
        m_live += classBytes;
        m_peak = std::max(m_peak, m_live);
    }
    return std::make_shared<MemoryBuffer>(shared_from_this(), memory, classBytes, size);
}

void OpenClMemory::release(void* memory, std::size_t classBytes) {
    const std::lock_guard lock(m_mutex);
    m_live -= classBytes;
    m_free.put(classBytes, memory);
}

}  // namespace lanewright
