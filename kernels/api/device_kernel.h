// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel interface of devices with a memory and queues of their own. Vendor objects travel as void*: CUDA and OpenCL
// headers stay out of here; kernels/common/<device kind> gives them their types back.
#pragma once

#include "kernels/api/cpu_kernel.h"

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace lanewright {

/// Kinds of device. Adding one: this list, its name in deviceKindName(), its driver in engine/devices.
enum class DeviceKind : std::uint8_t { cpu, cuda, openCl, storage, fake };

std::string_view deviceKindName(DeviceKind kind);  ///< "cpu", "cuda", "opencl", "storage", "fake"

/// A vendor's device and context, owned by the driver. OpenCL: cl_device_id, cl_context. CUDA: ordinal in `ordinal`.
struct DeviceHandles {
    void* device = nullptr;
    void* context = nullptr;
    int ordinal = 0;
    std::filesystem::path cacheFolder;  ///< for compiled programs; empty: keep none
};

/// Compiled programs and tables of one device, made once per run by the factory of its kind and used by its kernels.
class DeviceRuntime {
public:
    virtual ~DeviceRuntime() = default;
};

/// A place in device memory: a buffer object (cl_mem) and an offset in it, or a pointer.
struct DeviceBuffer {
    void* handle = nullptr;
    std::size_t offset = 0;
};

/// One port of one image in device memory, laid out by layoutOf(shape).
struct DevicePort {
    PortShape shape;
    DeviceBuffer buffer;
    std::size_t actual = 0;  ///< bytes there, for a BytesShape
};

struct DeviceImage {
    std::vector<DevicePort> inputs;
    std::vector<DevicePort> outputs;
};

/// One step: `images` of mixed sizes with the same parameters, on one in-order queue (cl_command_queue, cudaStream_t).
/// The kernel appends the vendor events of what it enqueued to `events` (the driver owns and releases them).
struct DeviceCall {
    DeviceRuntime& runtime;
    const Parameters& parameters;
    std::span<const DeviceImage> images;
    DeviceBuffer scratch;
    void* queue = nullptr;
    std::vector<void*>& events;
};

class DeviceKernel {
public:
    virtual ~DeviceKernel() = default;

    /// Scratch bytes of device memory for a step over images of these shapes.
    virtual ByteCount scratchBytes(const Parameters& parameters, std::span<const DeviceImage> images) const = 0;

    /// Set-up before the timed part: compile and warm what enqueue() will use. Errors: device.compile (with the log).
    virtual Status prepare(DeviceRuntime& runtime, const Parameters& parameters, const DeviceImage& sample) const = 0;

    /// Enqueues without waiting. Errors: device.refused (this image cannot be done here, the CPU can), others.
    virtual Status enqueue(const DeviceCall& call) const = 0;
};

using DeviceRuntimeFactory = Result<std::unique_ptr<DeviceRuntime>> (*)(const DeviceHandles& handles);

}  // namespace lanewright
