// SPDX-License-Identifier: GPL-3.0-or-later
// OpenCL objects that release themselves.
#pragma once

#include <CL/cl.h>

#include <utility>

namespace lanewright {

/// Owns one reference of an OpenCL object.
template <class Object, auto release>
class ClHandle {
public:
    ClHandle() = default;
    explicit ClHandle(Object object) : m_object(object) {}
    ClHandle(ClHandle&& other) noexcept : m_object(std::exchange(other.m_object, nullptr)) {}
    ClHandle& operator=(ClHandle&& other) noexcept {
        std::swap(m_object, other.m_object);
        return *this;
    }
    ~ClHandle() {
        if (m_object) release(m_object);
    }
    Object get() const { return m_object; }
    explicit operator bool() const { return m_object != nullptr; }

private:
    Object m_object = nullptr;
};

using ClContext = ClHandle<cl_context, clReleaseContext>;
using ClQueue = ClHandle<cl_command_queue, clReleaseCommandQueue>;
using ClProgram = ClHandle<cl_program, clReleaseProgram>;
using ClKernel = ClHandle<cl_kernel, clReleaseKernel>;
using ClMemory = ClHandle<cl_mem, clReleaseMemObject>;
using ClEvent = ClHandle<cl_event, clReleaseEvent>;

}  // namespace lanewright
