// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/devices/opencl_device.h"

#include "engine/files/cache_folder.h"

#include <CL/cl.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace lanewright {
namespace {

cl_command_queue queueOf(void* queue) { return static_cast<cl_command_queue>(queue); }
cl_mem memoryOf(const BufferPtr& buffer) { return static_cast<cl_mem>(buffer->deviceBuffer().handle); }

/// Types of their own behind void*: OpenCL's handles are pointers.
std::vector<cl_event> eventsOf(std::span<void* const> events) {
    std::vector<cl_event> list;
    for (void* event : events) list.push_back(static_cast<cl_event>(event));
    return list;
}

std::string codeText(cl_int code) {
    switch (code) {
    case CL_DEVICE_NOT_AVAILABLE: return "CL_DEVICE_NOT_AVAILABLE";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case CL_OUT_OF_RESOURCES: return "CL_OUT_OF_RESOURCES";
    case CL_OUT_OF_HOST_MEMORY: return "CL_OUT_OF_HOST_MEMORY";
    default: return "error " + std::to_string(code);
    }
}

bool lacksMemory(cl_int code) {
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY;
}

Message failure(cl_int code, const char* call) {
    const std::string place = "engine/devices/opencl_device.cpp";
    if (lacksMemory(code))
        return {"device.openClMemory", {{"call", call}, {"error", codeText(code)}, {"place", place}}};
    return {"device.openCl", {{"call", call}, {"error", codeText(code)}, {"place", place}}};
}

std::int64_t stampOf(void* event, cl_profiling_info which, cl_int& code) {
    cl_ulong stamp = 0;
    const cl_int result = clGetEventProfilingInfo(static_cast<cl_event>(event), which, sizeof stamp, &stamp, nullptr);
    if (result != CL_SUCCESS) code = result;
    return static_cast<std::int64_t>(stamp);
}

std::optional<OpenClStamps> stampsOf(void* first, void* last) {
    cl_int code = CL_SUCCESS;
    const OpenClStamps stamps{stampOf(first, CL_PROFILING_COMMAND_QUEUED, code),
                              stampOf(first, CL_PROFILING_COMMAND_START, code),
                              stampOf(last, CL_PROFILING_COMMAND_END, code)};
    if (code != CL_SUCCESS || stamps.end < stamps.start) return std::nullopt;
    return stamps;
}

DeviceImage deviceImageOf(const WorkImage& image) {
    DeviceImage device;
    for (const BoundPort& port : image.inputs)
        device.inputs.push_back({port.shape, port.buffer->deviceBuffer(), port.actual});
    for (const BoundPort& port : image.outputs) device.outputs.push_back({port.shape, port.buffer->deviceBuffer(), 0});
    return device;
}

ImageResult resultOf(const Status& status) {
    if (status) return StepDone{};
    if (status.error().id == "device.refused") return StepRefused{status.error()};
    return StepFailed{status.error()};
}

}  // namespace

Result<std::unique_ptr<OpenClDevice>> OpenClDevice::open(void* device, bool oneQueue, DeviceRuntimeFactory factory,
                                                         ByteCount budget) {
    std::unique_ptr<OpenClDevice> made(new OpenClDevice());
    made->m_oneQueue = oneQueue;
    auto id = static_cast<cl_device_id>(device);
    cl_int code = CL_SUCCESS;
    made->m_context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, &code);
    if (code != CL_SUCCESS) return failure(code, "clCreateContext");
    if (Status queues = made->makeQueues(device); !queues) return queues.error();
    // Dispatch keeps live buffers within the budget; size classes add an eighth at most.
    made->m_memory = OpenClMemory::create(made->m_context, ByteCount(budget.value + budget.value / 8));
    made->m_anchorBuffer = made->m_memory->allocate(ByteCount(64));
    if (!made->m_anchorBuffer) return failure(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer");
    if (factory) {
        auto runtime = factory({device, made->m_context, 0, cacheFolder() / "opencl"});
        if (!runtime) return std::move(runtime).error();
        made->m_runtime = std::move(runtime).value();
    }
    return made;
}

Status OpenClDevice::makeQueues(void* device) {
    cl_int code = CL_SUCCESS;
    const auto make = [&] {
        cl_command_queue queue = clCreateCommandQueue(
            static_cast<cl_context>(m_context), static_cast<cl_device_id>(device), CL_QUEUE_PROFILING_ENABLE, &code);
        return static_cast<void*>(queue);
    };
    for (std::size_t i = 0; i < (m_oneQueue ? 1 : openClQueueCount) && code == CL_SUCCESS; ++i) m_queues[i] = make();
    if (code == CL_SUCCESS) m_anchorQueue = make();
    return code == CL_SUCCESS ? Status() : Status(failure(code, "clCreateCommandQueue"));
}

OpenClDevice::~OpenClDevice() {
    for (void* queue : m_queues) {
        if (queue) clReleaseCommandQueue(queueOf(queue));
    }
    if (m_anchorQueue) clReleaseCommandQueue(queueOf(m_anchorQueue));
    m_runtime.reset();
    m_scratch.reset();
    m_anchorBuffer.reset();
    m_memory.reset();
    if (m_context) clReleaseContext(static_cast<cl_context>(m_context));
}

Status OpenClDevice::prepare(const SetupItem& item) {
    const DeviceKernel* kernel = item.operation->deviceKernel(DeviceKind::openCl);
    if (!kernel || !m_runtime) return {};
    DeviceImage sample;
    for (const PortShape& shape : item.inputs) sample.inputs.push_back({shape, {}, 0});
    for (const PortShape& shape : item.outputs) sample.outputs.push_back({shape, {}, 0});
    try {
        return kernel->prepare(*m_runtime, *item.parameters, sample);
    } catch (const std::exception& error) {
        return Message{"device.exception", {{"stage", item.stageId}, {"what", error.what()}}};
    }
}

Status OpenClDevice::touch(std::span<const BufferPtr> blocks) {
    const cl_uint pattern = 0;
    auto queue = queueOf(queueFor(OpenClQueue::compute));
    for (const BufferPtr& block : blocks) {
        const std::size_t bytes = static_cast<std::size_t>(block->size.value) / sizeof pattern * sizeof pattern;
        if (bytes == 0) continue;
        const cl_int code =
            clEnqueueFillBuffer(queue, memoryOf(block), &pattern, sizeof pattern, 0, bytes, 0, nullptr, nullptr);
        if (code != CL_SUCCESS) return failure(code, "clEnqueueFillBuffer");
    }
    const cl_int code = clFinish(queue);
    return code == CL_SUCCESS ? Status() : Status(failure(code, "clFinish"));
}

OpenClWork OpenClDevice::enqueue(const WorkOrder& order, OpenClQueue queue, std::span<void* const> after,
                                 const DriverEvents& clock) {
    OpenClWork work;
    work.before = clock.now();
    try {
        if (order.kind == TemplateKind::copy) {
            enqueueCopies(order, queueFor(queue), after, work);
        } else {
            enqueueOperation(order, queueFor(queue), after, work);
        }
    } catch (const std::exception& error) {
        const Message reason{"device.exception", {{"stage", order.stageId}, {"what", error.what()}}};
        work.results.assign(order.images.size(), StepFailed{reason});
    }
    clFlush(queueOf(queueFor(queue)));  // else nobody who waits for it on another queue would see it begin
    work.after = clock.now();
    return work;
}

void OpenClDevice::enqueueOperation(const WorkOrder& order, void* queue, std::span<void* const> after,
                                    OpenClWork& work) {
    std::vector<DeviceImage> images;
    for (const WorkImage& image : order.images) images.push_back(deviceImageOf(image));
    if (!after.empty()) {
        const auto list = eventsOf(after);
        const cl_int code =
            clEnqueueBarrierWithWaitList(queueOf(queue), static_cast<cl_uint>(list.size()), list.data(), nullptr);
        if (code != CL_SUCCESS) {
            work.results.assign(images.size(), StepFailed{failure(code, "clEnqueueBarrierWithWaitList")});
            return;
        }
    }
    const Status together = enqueueKernel(order, images, queue, work);
    if (work.outOfMemory) return;
    if (together || images.size() == 1) {
        work.results.assign(images.size(), resultOf(together));
        return;
    }
    // One image spoils the batch: find out which.
    for (const DeviceImage& image : images)
        work.results.push_back(resultOf(enqueueKernel(order, {&image, 1}, queue, work)));
}

Status OpenClDevice::enqueueKernel(const WorkOrder& order, std::span<const DeviceImage> images, void* queue,
                                   OpenClWork& work) {
    const DeviceKernel* kernel = order.operation->deviceKernel(DeviceKind::openCl);
    if (!kernel || !m_runtime) return Message{"device.noKernel", {{"stage", order.stageId}}};
    const ByteCount scratchBytes = kernel->scratchBytes(*order.parameters, images);
    if (scratchBytes.value > 0) {
        work.scratch = scratchOf(scratchBytes);
        work.outOfMemory = !work.scratch;
        if (work.outOfMemory) return failure(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer");
    }
    const DeviceBuffer scratch = work.scratch ? work.scratch->deviceBuffer() : DeviceBuffer{};
    Status status = kernel->enqueue({*m_runtime, *order.parameters, images, scratch, queue, work.events});
    work.outOfMemory = !status && status.error().id == "device.openClMemory";
    return status;
}

BufferPtr OpenClDevice::scratchOf(ByteCount bytes) {
    if (!m_scratch || m_scratch->size < bytes) {
        m_scratch.reset();
        m_scratch = m_memory->allocate(bytes);
    }
    return m_scratch;
}

void OpenClDevice::enqueueCopies(const WorkOrder& order, void* queue, std::span<void* const> after, OpenClWork& work) {
    for (const WorkImage& image : order.images) {
        work.results.push_back(enqueueCopy(order, image, queue, after, work));
        if (work.outOfMemory) return;
    }
}

ImageResult OpenClDevice::enqueueCopy(const WorkOrder& order, const WorkImage& image, void* queue,
                                      std::span<void* const> after, OpenClWork& work) {
    const BoundPort& from = image.inputs.front();
    const BoundPort& to = image.outputs.front();
    const bool encoded = std::holds_alternative<BytesShape>(from.shape);
    const std::size_t bytes = encoded ? from.actual : static_cast<std::size_t>(sizeOf(from.shape).value);
    if (bytes == 0) return StepDone{};
    const auto list = eventsOf(after);
    const auto count = static_cast<cl_uint>(list.size());
    const cl_event* waits = list.empty() ? nullptr : list.data();
    cl_event event = nullptr;
    const cl_int code = order.upload ? clEnqueueWriteBuffer(queueOf(queue), memoryOf(to.buffer), CL_FALSE, 0, bytes,
                                                            from.buffer->hostData(), count, waits, &event)
                                     : clEnqueueReadBuffer(queueOf(queue), memoryOf(from.buffer), CL_FALSE, 0, bytes,
                                                           to.buffer->hostData(), count, waits, &event);
    if (code == CL_SUCCESS) {
        work.events.push_back(static_cast<void*>(event));
        return StepDone{ByteCount(bytes)};
    }
    work.outOfMemory = lacksMemory(code);
    return StepFailed{failure(code, order.upload ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer")};
}

Status OpenClDevice::wait(const OpenClWork& work) const {
    if (work.events.empty()) return {};
    const auto list = eventsOf(work.events);
    const cl_int waited = clWaitForEvents(static_cast<cl_uint>(list.size()), list.data());
    for (cl_event event : list) {
        cl_int status = CL_COMPLETE;
        const cl_int code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
        if (code != CL_SUCCESS) return failure(code, "clGetEventInfo");
        if (status < 0) return failure(status, "command");
    }
    return waited == CL_SUCCESS ? Status() : Status(failure(waited, "clWaitForEvents"));
}

std::optional<OpenClStamps> OpenClDevice::stamps(const OpenClWork& work) const {
    if (work.events.empty()) return std::nullopt;
    return stampsOf(work.events.front(), work.events.back());
}

void OpenClDevice::releaseEvents(OpenClWork& work) const {
    for (void* event : work.events) releaseEvent(event);
    work.events.clear();
}

void* OpenClDevice::retainedEvent(void* event) const {
    if (event) clRetainEvent(static_cast<cl_event>(event));
    return event;
}

void OpenClDevice::releaseEvent(void* event) const {
    if (event) clReleaseEvent(static_cast<cl_event>(event));
}

std::optional<OpenClDevice::Anchor> OpenClDevice::anchor(const DriverEvents& clock) const {
    Anchor anchor;
    cl_event event = nullptr;
    const cl_uint value = 0;
    anchor.before = clock.now();
    cl_int code = clEnqueueWriteBuffer(queueOf(m_anchorQueue), memoryOf(m_anchorBuffer), CL_FALSE, 0, sizeof value,
                                       &value, 0, nullptr, &event);
    if (code != CL_SUCCESS) return std::nullopt;
    anchor.enqueued = clock.now();
    code = clWaitForEvents(1, &event);
    anchor.after = clock.now();
    const auto stamps =
        code == CL_SUCCESS ? stampsOf(static_cast<void*>(event), static_cast<void*>(event)) : std::nullopt;
    clReleaseEvent(event);
    if (!stamps) return std::nullopt;
    anchor.stamps = *stamps;
    return anchor;
}

}  // namespace lanewright
