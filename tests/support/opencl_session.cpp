// SPDX-License-Identifier: GPL-3.0-or-later
// OpenCL: the first device of the first platform that has one (LANEWRIGHT_TEST_OPENCL names another by a part of its
// platform's name).
#include "tests/support/opencl_session.h"
#include "kernels/common/opencl/error.h"
#include "kernels/common/opencl/runtime.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace lanewright::test {
namespace {

constexpr std::size_t guardBytes = 256;
constexpr std::byte guard{0xC3};

std::string platformName(cl_platform_id platform) {
    char name[256] = {};
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
    return name;
}

class Session final : public DeviceSession {
public:
    Status open(const OpenClTestDevice& device, OpenClShape shape) {
        cl_int code = CL_SUCCESS;
        m_context = ClContext(clCreateContext(nullptr, 1, &device.device, nullptr, nullptr, &code));
        if (code != CL_SUCCESS) return openClError(code, "clCreateContext");
        m_queue = ClQueue(clCreateCommandQueue(m_context.get(), device.device, CL_QUEUE_PROFILING_ENABLE, &code));
        if (code != CL_SUCCESS) return openClError(code, "clCreateCommandQueue");
        DeviceHandles handles;
        handles.device = static_cast<void*>(device.device);
        handles.context = static_cast<void*>(m_context.get());
        auto runtime = OpenClRuntime::create(handles, shape);
        if (!runtime) return runtime.error();
        m_runtime = std::move(*runtime);
        return {};
    }

    Status run(const DeviceKernel& kernel, const Parameters& parameters, std::span<const DeviceJob> jobs) override {
        m_buffers.clear();
        std::vector<DeviceImage> images(jobs.size());
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            for (GuardedBlock* block : jobs[i].inputs) {
                if (const Status status = addPort(*block, images[i].inputs); !status) return status;
            }
            for (GuardedBlock* block : jobs[i].outputs) {
                if (const Status status = addPort(*block, images[i].outputs); !status) return status;
            }
        }
        const auto scratchBytes = static_cast<std::size_t>(kernel.scratchBytes(parameters, images).value);
        auto scratch = makeBuffer(scratchBytes + 2 * guardBytes);
        if (!scratch) return scratch.error();
        if (const Status status = kernel.prepare(*m_runtime, parameters, images[0]); !status) return status;

        std::vector<void*> events;
        const DeviceBuffer scratchPlace{static_cast<void*>(scratch->get()), guardBytes};
        const DeviceCall call{*m_runtime, parameters, images, scratchPlace, static_cast<void*>(m_queue.get()), events};
        Status status = kernel.enqueue(call);
        if (status) status = openClStatus(clFinish(m_queue.get()), "clFinish");
        if (status && events.empty()) status = Message{"test.events", {{"error", "no event was appended"}}};
        for (void* event : events) clReleaseEvent(static_cast<cl_event>(event));
        if (!status) return status;
        if (status = checkGuards(scratch->get(), scratchBytes); !status) return status;

        std::size_t next = 0;
        for (const DeviceJob& job : jobs) {
            next += job.inputs.size();
            for (GuardedBlock* block : job.outputs) {
                if (status = fetch(m_buffers[next++].get(), *block); !status) return status;
            }
        }
        return {};
    }

private:
    /// Filled with guard bytes.
    Result<ClMemory> makeBuffer(std::size_t bytes) {
        std::vector<std::byte> fill(bytes, guard);
        cl_int code = CL_SUCCESS;
        ClMemory memory(
            clCreateBuffer(m_context.get(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, fill.data(), &code));
        if (code != CL_SUCCESS) return openClError(code, "clCreateBuffer");
        return memory;
    }

    Status addPort(GuardedBlock& block, std::vector<DevicePort>& ports) {
        auto memory = makeBuffer(block.size() + 2 * guardBytes);
        if (!memory) return memory.error();
        ports.push_back({block.shape(), {static_cast<void*>(memory->get()), guardBytes}, 0});
        const cl_int code = clEnqueueWriteBuffer(m_queue.get(), memory->get(), CL_TRUE, guardBytes, block.size(),
                                                 block.data(), 0, nullptr, nullptr);
        m_buffers.push_back(std::move(*memory));
        return openClStatus(code, "clEnqueueWriteBuffer");
    }

    Status fetch(cl_mem memory, GuardedBlock& block) {
        const cl_int code = clEnqueueReadBuffer(m_queue.get(), memory, CL_TRUE, guardBytes, block.size(), block.data(),
                                                0, nullptr, nullptr);
        if (code != CL_SUCCESS) return openClError(code, "clEnqueueReadBuffer");
        return checkGuards(memory, block.size());
    }

    Status checkGuards(cl_mem memory, std::size_t bytes) {
        for (const std::size_t offset : {std::size_t{0}, guardBytes + bytes}) {
            std::vector<std::byte> around(guardBytes);
            const cl_int code = clEnqueueReadBuffer(m_queue.get(), memory, CL_TRUE, offset, guardBytes, around.data(),
                                                    0, nullptr, nullptr);
            if (code != CL_SUCCESS) return openClError(code, "clEnqueueReadBuffer");
            if (std::any_of(around.begin(), around.end(), [](std::byte b) { return b != guard; })) {
                return Message{"test.guard", {{"error", "wrote outside its block on the device"}}};
            }
        }
        return {};
    }

    ClContext m_context;
    ClQueue m_queue;
    std::unique_ptr<DeviceRuntime> m_runtime;
    std::vector<ClMemory> m_buffers;
};

}  // namespace

Result<OpenClTestDevice> openClTestDevice() {
    cl_uint count = 0;
    std::vector<cl_platform_id> platforms(16);
    if (clGetPlatformIDs(static_cast<cl_uint>(platforms.size()), platforms.data(), &count) != CL_SUCCESS) count = 0;
    const char* wanted = std::getenv("LANEWRIGHT_TEST_OPENCL");
    for (cl_uint i = 0; i < std::min(count, static_cast<cl_uint>(platforms.size())); ++i) {
        if (wanted && platformName(platforms[i]).find(wanted) == std::string::npos) continue;
        OpenClTestDevice found;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &found.device, nullptr) == CL_SUCCESS) return found;
    }
    return Message{"test.noDevice", {{"reason", "no OpenCL device here"}}};
}

Result<std::unique_ptr<DeviceSession>> openSession(OpenClShape shape) {
    const auto device = openClTestDevice();
    if (!device) return device.error();
    auto session = std::make_unique<Session>();
    if (const Status status = session->open(*device, shape); !status) return status.error();
    return std::unique_ptr<DeviceSession>(std::move(session));
}

Result<std::unique_ptr<DeviceSession>> openOpenClCpuSession() { return openSession(cpuShape); }

Result<std::unique_ptr<DeviceSession>> openOpenClGpuSession() { return openSession(gpuShape); }

}  // namespace lanewright::test
