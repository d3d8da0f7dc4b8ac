// SPDX-License-Identifier: GPL-3.0-or-later
// Sets the arguments of a kernel and enqueues it, always with one local size: PoCL compiles again for each new one.
#pragma once

#include "kernels/common/opencl/error.h"
#include "kernels/common/opencl/runtime.h"

#include <cstddef>
#include <vector>

namespace lanewright {

constexpr std::size_t roundedUp(std::size_t value, std::size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/// Where plane `plane` of a block laid out by layoutOf() begins.
inline DeviceBuffer planeOf(const DeviceBuffer& block, const BufferLayout& layout, std::size_t plane) {
    return {block.handle, block.offset + layout.planes[plane].offset};
}

class OpenClLaunch {
public:
    explicit OpenClLaunch(OpenClRuntime::Kernel kernel) : m_kernel(std::move(kernel)) {}

    /// The next argument, as the kernel declares it (cl_int, cl_uint, cl_ulong, cl_float, cl_mem).
    template <class T>
    OpenClLaunch& arg(const T& value) {
        return raw(&value, sizeof value);
    }
    /// Two arguments: the buffer object and, as ulong, the offset in it in bytes.
    OpenClLaunch& arg(const DeviceBuffer& buffer) {
        return arg(static_cast<cl_mem>(buffer.handle)).arg(static_cast<cl_ulong>(buffer.offset));
    }

    /// Enqueues at least width x height work-items (kernels return where they are beyond). Appends the event to `events`.
    Status enqueue(cl_command_queue queue, std::size_t width, std::size_t height, std::vector<void*>& events) {
        constexpr std::size_t local[2] = {localWidth, 1};
        const std::size_t global[2] = {(width + localWidth - 1) / localWidth * localWidth, height};
        if (m_code != CL_SUCCESS) return openClError(m_code, "clSetKernelArg");
        cl_event event = nullptr;
        const cl_int code =
            clEnqueueNDRangeKernel(queue, m_kernel.get(), 2, nullptr, global, local, 0, nullptr, &event);
        if (code != CL_SUCCESS) return openClError(code, "clEnqueueNDRangeKernel");
        events.push_back(static_cast<void*>(event));
        return {};
    }

private:
    static constexpr std::size_t localWidth = 64;

    OpenClLaunch& raw(const void* value, std::size_t size) {
        const cl_int code = clSetKernelArg(m_kernel.get(), m_next++, size, value);
        if (m_code == CL_SUCCESS) m_code = code;
        return *this;
    }

    OpenClRuntime::Kernel m_kernel;
    cl_uint m_next = 0;
    cl_int m_code = CL_SUCCESS;
};

/// A queue and a small buffer for prepare(): kernels are enqueued once with the sizes they will have, but told that the
/// image is empty, so that they return at once.
class OpenClWarmUp {
public:
    static Result<OpenClWarmUp> create(const OpenClRuntime& runtime) {
        auto queue = runtime.makeQueue();
        if (!queue) return queue.error();
        auto buffer = runtime.makeBuffer(bufferBytes);
        if (!buffer) return buffer.error();
        return OpenClWarmUp(std::move(*queue), std::move(*buffer));
    }

    cl_command_queue queue() const { return m_queue.get(); }
    DeviceBuffer buffer() const { return {static_cast<void*>(m_buffer.get()), 0}; }
    std::vector<void*>& events() { return m_events; }
    Status finish() {
        const cl_int code = clFinish(m_queue.get());
        for (void* event : m_events) clReleaseEvent(static_cast<cl_event>(event));
        m_events.clear();
        return openClStatus(code, "clFinish");
    }

private:
    static constexpr std::size_t bufferBytes = 4096;
    OpenClWarmUp(ClQueue queue, ClMemory buffer) : m_queue(std::move(queue)), m_buffer(std::move(buffer)) {}

    ClQueue m_queue;
    ClMemory m_buffer;
    std::vector<void*> m_events;
};

}  // namespace lanewright
