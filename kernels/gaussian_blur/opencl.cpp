// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments and sizes of the OpenCL kernels of "gaussian_blur".
#include "kernels/api/device_kernel.h"
#include "kernels/common/gaussian.h"
#include "kernels/common/opencl/launch.h"
#include "kernels/gaussian_blur/kernels.h"

#include <algorithm>
#include <cstring>

namespace lanewright::gaussian_blur {

extern const std::string_view openClSource;

namespace {

/// Where one plane of one image is. An `empty` job is enqueued with its sizes but does nothing.
struct PlaneJob {
    PlaneShape shape;
    PlaneBlur blur;
    bool straightAlpha;
    DeviceBuffer source{};
    DeviceBuffer target{};
    DeviceBuffer scratch{};
    cl_uint sourceStride = 1;
    cl_uint targetStride = 1;
    bool empty = false;

    cl_int columns() const { return shape.width * shape.components; }
    cl_int margin() const { return gaussianRadius(blur.sigmaX) * shape.components; }
    std::size_t scratchStride() const { return static_cast<std::size_t>(columns() + 2 * margin()); }
    std::size_t scratchBytes() const {
        const std::size_t rows = roundedUp(static_cast<std::size_t>(shape.height), OpenClShape::mostRows);
        return scratchStride() * rows * (straightAlpha ? sizeof(cl_float) : sizeof(cl_short));
    }
};

Result<OpenClRuntime::Table> weightsOf(OpenClRuntime& runtime, double sigma) {
    std::string key = "gaussian ";
    key.append(reinterpret_cast<const char*>(&sigma), sizeof sigma);
    return runtime.table(key, [sigma] {
        const std::vector<double> weights = gaussianWeights(sigma);
        const std::vector<cl_float> half(weights.begin() + gaussianRadius(sigma), weights.end());
        std::vector<std::byte> bytes(half.size() * sizeof(cl_float));
        std::memcpy(bytes.data(), half.data(), bytes.size());
        return bytes;
    });
}

Result<OpenClLaunch> launch(OpenClRuntime& runtime, const char* name) {
    auto kernel = runtime.kernel({"gaussian_blur/opencl.cl", openClSource}, name);
    if (!kernel) return kernel.error();
    return OpenClLaunch(std::move(*kernel));
}

Status enqueuePlane(OpenClRuntime& runtime, const PlaneJob& job, cl_command_queue queue, std::vector<void*>& events) {
    const auto x = weightsOf(runtime, job.blur.sigmaX);
    if (!x) return x.error();
    const auto y = weightsOf(runtime, job.blur.sigmaY);
    if (!y) return y.error();
    const OpenClShape shape = runtime.shape();
    const cl_int rows = job.shape.height;
    const std::size_t groups = roundedUp(static_cast<std::size_t>(rows), shape.rows) / shape.rows;
    const std::size_t items = roundedUp(static_cast<std::size_t>(job.columns()), shape.columns) / shape.columns;
    const auto stride = static_cast<cl_uint>(job.scratchStride());
    {
        auto vertical = launch(runtime, job.straightAlpha ? "blurAlphaVertically" : "blurVertically");
        if (!vertical) return vertical.error();
        vertical->arg(job.source).arg(job.sourceStride).arg((*y)->get()).arg(cl_int{gaussianRadius(job.blur.sigmaY)});
        vertical->arg(cl_int{job.blur.edges == Border::reflect}).arg(cl_int{job.shape.components}).arg(job.margin());
        vertical->arg(job.scratch).arg(stride).arg(job.empty ? 0 : job.columns()).arg(rows);
        const std::size_t margins = 2 * static_cast<std::size_t>(job.margin());
        const Status status = vertical->enqueue(queue, items + margins, groups, events);
        if (!status) return status;
    }
    const cl_int columns = job.straightAlpha ? job.shape.width : job.columns();
    auto horizontal = launch(runtime, job.straightAlpha ? "blurAlphaHorizontally" : "blurHorizontally");
    if (!horizontal) return horizontal.error();
    horizontal->arg(job.scratch).arg(stride).arg((*x)->get()).arg(cl_int{gaussianRadius(job.blur.sigmaX)});
    if (!job.straightAlpha) horizontal->arg(cl_int{job.shape.components});
    horizontal->arg(job.target).arg(job.targetStride).arg(job.empty ? 0 : columns).arg(rows);
    return horizontal->enqueue(queue, static_cast<std::size_t>(columns), groups, events);
}

/// The planes of an image, still without their places.
std::vector<PlaneJob> planesOf(const Parameters& parameters, const DeviceImage& image) {
    const auto& input = std::get<ImageShape>(image.inputs[0].shape);
    const Settings settings = settingsTable().bind(parameters);
    std::vector<PlaneJob> jobs;
    for (std::size_t i = 0; i < input.planeCount(); ++i) {
        jobs.push_back(
            {input.plane(i), planeBlur(settings, input.format, i), input.format.alpha == AlphaMode::straight});
    }
    return jobs;
}

class Kernel final : public DeviceKernel {
public:
    ByteCount scratchBytes(const Parameters& parameters, std::span<const DeviceImage> images) const override {
        std::size_t largest = 0;  // the queue is in order: planes and images take turns
        for (const DeviceImage& image : images) {
            for (const PlaneJob& job : planesOf(parameters, image)) largest = std::max(largest, job.scratchBytes());
        }
        return ByteCount(largest);
    }

    Status prepare(DeviceRuntime& runtime, const Parameters& parameters, const DeviceImage& sample) const override {
        auto& openCl = static_cast<OpenClRuntime&>(runtime);
        auto warmUp = OpenClWarmUp::create(openCl);
        if (!warmUp) return warmUp.error();
        for (PlaneJob& job : planesOf(parameters, sample)) {
            job.source = job.target = job.scratch = warmUp->buffer();
            job.empty = true;
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
            auto jobs = planesOf(call.parameters, image);
            for (std::size_t i = 0; i < jobs.size(); ++i) {
                jobs[i].source = planeOf(image.inputs[0].buffer, from, i);
                jobs[i].target = planeOf(image.outputs[0].buffer, to, i);
                jobs[i].scratch = call.scratch;
                jobs[i].sourceStride = static_cast<cl_uint>(from.planes[i].stride);
                jobs[i].targetStride = static_cast<cl_uint>(to.planes[i].stride);
                const Status status =
                    enqueuePlane(runtime, jobs[i], static_cast<cl_command_queue>(call.queue), call.events);
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

}  // namespace lanewright::gaussian_blur
