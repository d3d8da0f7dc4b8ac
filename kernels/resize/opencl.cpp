// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments and sizes of the OpenCL kernels of "resize".
#include "kernels/api/device_kernel.h"
#include "kernels/common/opencl/launch.h"
#include "kernels/resize/geometry.h"
#include "kernels/resize/kernels.h"

#include <algorithm>
#include <cstring>

namespace lanewright::resize {

extern const std::string_view openClSource;

namespace {

/// Where one plane of one image is, and how its scratch is laid out. An `empty` job is enqueued with its sizes but does
/// nothing.
struct PlaneJob {
    PlaneGeometry geometry;
    DeviceBuffer source;
    DeviceBuffer target;
    DeviceBuffer scratch;
    cl_uint sourceStride;
    cl_uint targetStride;
    bool empty = false;
};

/// What the weights of one output reach at most, without making the table.
std::int32_t mostTaps(const AxisGeometry& axis) {
    constexpr double radius = 3;
    const double width = 2 * radius * std::max(1.0, axis.scale) + 2;
    return static_cast<std::int32_t>(std::min(width, static_cast<double>(axis.inputSize)));
}

/// Columns of scratch: the source's, and for the flat kernels the taps that the last output may reach beyond.
std::size_t scratchStride(const PlaneGeometry& geometry) {
    const std::int32_t beyond = geometry.straightAlpha ? 0 : mostTaps(geometry.x);
    return static_cast<std::size_t>(geometry.x.inputSize + beyond) * static_cast<std::size_t>(geometry.components);
}

std::size_t scratchBytesOf(const PlaneGeometry& geometry) {
    if (geometry.x.filter == ResampleFilter::nearest) return 0;
    const std::size_t sampleBytes = geometry.straightAlpha ? sizeof(cl_float) : sizeof(cl_short);
    const std::size_t rows = roundedUp(static_cast<std::size_t>(geometry.y.outputSize), OpenClShape::mostRows);
    return scratchStride(geometry) * rows * sampleBytes;
}

/// The table as the kernels read it.
std::vector<std::byte> tableBytes(const FilterTable& table) {
    const std::size_t outputs = table.first.size();
    const auto taps = static_cast<std::size_t>(table.taps);
    std::vector<cl_int> windows{static_cast<cl_int>(outputs), table.taps};
    std::vector<cl_float> weights(outputs * taps);
    for (std::size_t i = 0; i < outputs; ++i) {
        windows.push_back(table.first[i]);
        windows.push_back(table.count[i]);
        for (std::size_t k = 0; k < taps; ++k)
            weights[k * outputs + i] = static_cast<cl_float>(table.weights[i * taps + k]);
    }
    std::vector<std::byte> bytes(windows.size() * sizeof(cl_int) + weights.size() * sizeof(cl_float));
    std::memcpy(bytes.data(), windows.data(), windows.size() * sizeof(cl_int));
    std::memcpy(bytes.data() + windows.size() * sizeof(cl_int), weights.data(), weights.size() * sizeof(cl_float));
    return bytes;
}

std::string tableKey(const AxisGeometry& axis) {
    std::string key = "resize ";
    const auto add = [&key](const auto& value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
    add(axis.filter);
    add(axis.antialias);
    add(axis.inputSize);
    add(axis.outputSize);
    add(axis.begin);
    add(axis.scale);
    return key;
}

Result<OpenClRuntime::Table> tableOf(OpenClRuntime& runtime, const AxisGeometry& axis) {
    return runtime.table(tableKey(axis), [&axis] { return tableBytes(makeFilterTable(axis)); });
}

Result<OpenClLaunch> launch(OpenClRuntime& runtime, const char* name) {
    auto kernel = runtime.kernel({"resize/opencl.cl", openClSource}, name);
    if (!kernel) return kernel.error();
    return OpenClLaunch(std::move(*kernel));
}

Status enqueueNearest(OpenClRuntime& runtime, const PlaneJob& job, cl_command_queue queue, std::vector<void*>& events) {
    const auto x = tableOf(runtime, job.geometry.x);
    if (!x) return x.error();
    const auto y = tableOf(runtime, job.geometry.y);
    if (!y) return y.error();
    auto copy = launch(runtime, "copyNearest");
    if (!copy) return copy.error();
    const cl_int columns = job.geometry.x.outputSize * job.geometry.components;
    const cl_int rows = job.geometry.y.outputSize;
    copy->arg(job.source).arg(job.sourceStride).arg((*x)->get()).arg((*y)->get()).arg(job.target).arg(job.targetStride);
    copy->arg(cl_int{job.geometry.components}).arg(job.empty ? 0 : columns).arg(rows);
    return copy->enqueue(queue, static_cast<std::size_t>(columns), static_cast<std::size_t>(rows), events);
}

Status enqueueFilter(OpenClRuntime& runtime, const PlaneJob& job, cl_command_queue queue, std::vector<void*>& events) {
    const auto x = tableOf(runtime, job.geometry.x);
    if (!x) return x.error();
    const auto y = tableOf(runtime, job.geometry.y);
    if (!y) return y.error();
    const bool alpha = job.geometry.straightAlpha;
    const OpenClShape shape = runtime.shape();
    const auto stride = static_cast<cl_uint>(scratchStride(job.geometry));
    const cl_int rows = job.geometry.y.outputSize;
    const std::size_t groups = roundedUp(static_cast<std::size_t>(rows), shape.rows) / shape.rows;
    const cl_int sourceColumns = job.geometry.x.inputSize * job.geometry.components;
    const std::size_t items = roundedUp(static_cast<std::size_t>(sourceColumns), shape.columns) / shape.columns;
    {
        auto vertical = launch(runtime, alpha ? "filterAlphaVertically" : "filterVertically");
        if (!vertical) return vertical.error();
        vertical->arg(job.source).arg(job.sourceStride).arg((*y)->get()).arg(job.scratch).arg(stride);
        vertical->arg(job.empty ? 0 : sourceColumns).arg(rows);
        const Status status = vertical->enqueue(queue, items, groups, events);
        if (!status) return status;
    }
    const cl_int targetColumns = job.geometry.x.outputSize * (alpha ? 1 : job.geometry.components);
    auto horizontal = launch(runtime, alpha ? "filterAlphaHorizontally" : "filterHorizontally");
    if (!horizontal) return horizontal.error();
    horizontal->arg(job.scratch).arg(stride).arg((*x)->get()).arg(job.target).arg(job.targetStride);
    if (!alpha) horizontal->arg(cl_int{job.geometry.components});
    horizontal->arg(job.empty ? 0 : targetColumns).arg(rows);
    return horizontal->enqueue(queue, static_cast<std::size_t>(targetColumns), groups, events);
}

Status enqueuePlane(OpenClRuntime& runtime, const PlaneJob& job, cl_command_queue queue, std::vector<void*>& events) {
    const bool nearest = job.geometry.x.filter == ResampleFilter::nearest;
    return nearest ? enqueueNearest(runtime, job, queue, events) : enqueueFilter(runtime, job, queue, events);
}

std::vector<PlaneGeometry> planesOf(const Parameters& parameters, const DeviceImage& image) {
    const auto& input = std::get<ImageShape>(image.inputs[0].shape);
    const Geometry geometry = geometryOf(settingsTable().bind(parameters), input);
    std::vector<PlaneGeometry> planes;
    for (std::size_t i = 0; i < input.planeCount(); ++i) planes.push_back(planeGeometry(geometry, input, i));
    return planes;
}

class Kernel final : public DeviceKernel {
public:
    ByteCount scratchBytes(const Parameters& parameters, std::span<const DeviceImage> images) const override {
        std::size_t largest = 0;  // the queue is in order: planes and images take turns
        for (const DeviceImage& image : images) {
            for (const PlaneGeometry& plane : planesOf(parameters, image))
                largest = std::max(largest, scratchBytesOf(plane));
        }
        return ByteCount(largest);
    }

    Status prepare(DeviceRuntime& runtime, const Parameters& parameters, const DeviceImage& sample) const override {
        auto& openCl = static_cast<OpenClRuntime&>(runtime);
        auto warmUp = OpenClWarmUp::create(openCl);
        if (!warmUp) return warmUp.error();
        for (const PlaneGeometry& plane : planesOf(parameters, sample)) {
            const PlaneJob job{plane, warmUp->buffer(), warmUp->buffer(), warmUp->buffer(), 1, 1, true};
            const Status status = enqueuePlane(openCl, job, warmUp->queue(), warmUp->events());
            if (!status) return status;
        }
        return warmUp->finish();
    }

    Status enqueue(const DeviceCall& call) const override {
        auto& runtime = static_cast<OpenClRuntime&>(call.runtime);
        for (const DeviceImage& image : call.images) {
            const BufferLayout from = layoutOf(image.inputs[0].shape);
            const BufferLayout to = layoutOf(image.outputs[0].shape);
            const auto planes = planesOf(call.parameters, image);
            for (std::size_t i = 0; i < planes.size(); ++i) {
                const PlaneJob job{planes[i],
                                   planeOf(image.inputs[0].buffer, from, i),
                                   planeOf(image.outputs[0].buffer, to, i),
                                   call.scratch,
                                   static_cast<cl_uint>(from.planes[i].stride),
                                   static_cast<cl_uint>(to.planes[i].stride)};
                const Status status =
                    enqueuePlane(runtime, job, static_cast<cl_command_queue>(call.queue), call.events);
                if (!status) return status;
            }
        }
        return {};
    }
};

}  // namespace

const DeviceKernel* openClKernel() {
    static const Kernel kernel;
    return &kernel;
}

}  // namespace lanewright::resize
