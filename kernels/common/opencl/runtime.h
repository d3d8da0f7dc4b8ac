// SPDX-License-Identifier: GPL-3.0-or-later
// Programs, kernels and tables of one OpenCL device, shared by all kernels of a run.
#pragma once

#include "kernels/api/device_kernel.h"
#include "kernels/common/opencl/binary_cache.h"
#include "kernels/common/opencl/handles.h"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

/// OpenCL C of one stage. Built behind the shared text of pixels.cl, with options that are the same for all.
struct OpenClSource {
    std::string_view name;  ///< as the compiler's messages name it: "resize/opencl.cl"
    std::string_view text;
};

/// What one work-item computes: COLUMNS and ROWS of pixels.cl.
struct OpenClShape {
    std::size_t columns;
    std::size_t rows;

    static constexpr std::size_t mostRows = 16;
};

/// Where work-items are the lanes of a vector unit, and where each has vector instructions of its own.
inline constexpr OpenClShape gpuShape{4, 1};
inline constexpr OpenClShape cpuShape{16, OpenClShape::mostRows};

class OpenClRuntime final : public DeviceRuntime {
public:
    /// A kernel and its lock: a cl_kernel holds its arguments, so one thread at a time sets and enqueues.
    class Kernel {
    public:
        cl_kernel get() const { return m_kernel; }

    private:
        friend class OpenClRuntime;
        Kernel(cl_kernel kernel, std::mutex& mutex) : m_kernel(kernel), m_lock(mutex) {}
        cl_kernel m_kernel;
        std::unique_lock<std::mutex> m_lock;
    };

    /// With the shape for the type of the device.
    static Result<std::unique_ptr<DeviceRuntime>> create(const DeviceHandles& handles);
    static Result<std::unique_ptr<DeviceRuntime>> create(const DeviceHandles& handles, OpenClShape shape);

    OpenClShape shape() const { return m_shape; }

    /// The program is built, or read from the cache folder, when its first kernel is asked for. Errors: device.compile
    /// (arguments program, device, log), device.openCl.
    Result<Kernel> kernel(const OpenClSource& source, const std::string& name);

    using Table = std::shared_ptr<const ClMemory>;
    /// A read-only buffer with the bytes that `make` returns, kept under `key` while it is among those used last. Commands
    /// already enqueued keep it alive.
    Result<Table> table(const std::string& key, const std::function<std::vector<std::byte>()>& make);

    /// A queue for warming up in prepare(): finish it before the buffers go.
    Result<ClQueue> makeQueue() const;
    Result<ClMemory> makeBuffer(std::size_t bytes) const;

private:
    struct Program {
        ClProgram program;
        std::map<std::string, ClKernel> kernels;
        std::map<std::string, std::mutex> locks;
    };

    OpenClRuntime(const DeviceHandles& handles, OpenClShape shape);
    Result<Program*> program(const OpenClSource& source);
    Result<ClProgram> loadProgram(const std::string& key) const;
    Result<ClProgram> buildProgram(const OpenClSource& source) const;
    void keepBinary(const std::string& key, cl_program program) const;
    std::string deviceText(cl_device_info what) const;

    cl_device_id m_device;
    cl_context m_context;
    OpenClShape m_shape;
    std::string m_options;
    BinaryCache m_cache;
    std::string m_identity;  ///< device, driver and platform
    std::mutex m_mutex;
    std::map<std::string, Program, std::less<>> m_programs;
    std::list<std::pair<std::string, Table>> m_tables;  ///< used last first
};

}  // namespace lanewright
