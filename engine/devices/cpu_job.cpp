// SPDX-License-Identifier: GPL-3.0-or-later
// A step of CPU kernels. The lane that comes first prepares all images; then each lane computes its rows of each image.
#include "engine/devices/cpu_driver.h"
#include "engine/run/strips.h"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>

namespace lanewright {
namespace {

/// Nothing that a kernel or its library throws passes this.
template <class F>
std::optional<Message> messageOf(const std::string& stage, F&& work) {
    try {
        const Status status = work();
        return status ? std::nullopt : std::optional(status.error());
    } catch (const std::bad_alloc&) {
        return Message{"device.outOfHostMemory", {{"stage", stage}}};
    } catch (const std::exception& error) {
        return Message{"device.exception", {{"stage", stage}, {"what", error.what()}}};
    } catch (...) {
        return Message{"device.exception", {{"stage", stage}, {"what", "unknown"}}};
    }
}

struct ImageWork {
    std::vector<PortShape> inputShapes;
    std::vector<PortShape> outputShapes;
    std::vector<PortView> inputs;
    std::vector<MutablePortView> outputs;
    std::vector<std::size_t> actual;  ///< by output
    std::unique_ptr<CpuKernel::State> state;
    std::vector<RowRange> parts;  ///< by lane of the order; may be fewer
    std::optional<Message> failure;
};

class CpuJob final : public LaneJob {
public:
    CpuJob(WorkOrderPtr order, DriverEvents& events)
        : LaneJob(std::move(order)),
          m_events(events),
          m_kernel(this->order().operation->cpuKernel()),
          m_partsRunning(this->order().lanes.size()) {}

    void run(std::size_t part) override {
        Instant begin = m_events.now();
        const bool first = claim();
        if (first) {
            m_events.started(order().step, begin);
            prepare();
            publish();
        } else {
            awaitPrepared();
            begin = m_events.now();
        }
        const bool computed = compute(part);
        const Instant end = m_events.now();
        if (endPart(part, begin, end, first || computed)) report();
    }

private:
    bool claim() {
        const std::lock_guard lock(m_mutex);
        return !std::exchange(m_claimed, true);
    }

    void publish() {
        const std::lock_guard lock(m_mutex);
        m_prepared = true;
        m_ready.notify_all();
    }

    void awaitPrepared() {
        std::unique_lock lock(m_mutex);
        m_ready.wait(lock, [this] { return m_prepared; });
    }

    void prepare() {
        m_work.resize(order().images.size());
        for (std::size_t i = 0; i < m_work.size(); ++i) {
            m_work[i].failure = messageOf(order().stageId, [&] { return prepareImage(order().images[i], m_work[i]); });
        }
    }

    Status prepareImage(const WorkImage& image, ImageWork& work) {
        work.actual.resize(image.outputs.size());
        for (const BoundPort& port : image.inputs) {
            work.inputShapes.push_back(port.shape);
            work.inputs.push_back(viewOf(port.shape, port.buffer->hostData(), port.actual));
        }
        for (std::size_t i = 0; i < image.outputs.size(); ++i) {
            const BoundPort& port = image.outputs[i];
            work.outputShapes.push_back(port.shape);
            work.outputs.push_back(mutableViewOf(port.shape, port.buffer->hostData(), &work.actual[i]));
        }
        const ProbedImage* probed = image.probed.codec.empty() ? nullptr : &image.probed;
        auto state = m_kernel->begin({*order().parameters, work.inputShapes, work.outputShapes, probed});
        if (!state) return std::move(state).error();
        work.state = std::move(state).value();
        const std::size_t lanes = m_kernel->inOrder() ? 1 : order().lanes.size();
        work.parts = splitRows(rowsOf(work.inputShapes, work.outputShapes), m_kernel->rowAlign(*work.state), lanes);
        return {};
    }

    /// False: nothing to do on this lane.
    bool compute(std::size_t part) {
        bool computed = false;
        for (ImageWork& work : m_work) {
            if (part >= work.parts.size()) continue;
            computed = true;
            auto failure = messageOf(order().stageId, [&] {
                return m_kernel->run(*work.state, work.inputs, work.outputs, work.parts[part]);
            });
            if (!failure) continue;
            const std::lock_guard lock(m_mutex);
            if (!work.failure) work.failure = std::move(failure);
        }
        return computed;
    }

    /// True for the part that ends last.
    bool endPart(std::size_t part, Instant begin, Instant end, bool busy) {
        const std::lock_guard lock(m_mutex);
        if (busy) m_report.parts.push_back({order().lanes[part], begin, end});
        return --m_partsRunning == 0;
    }

    void report() {
        m_report.step = order().step;
        for (ImageWork& work : m_work) {
            if (work.failure) {
                m_report.results.emplace_back(StepFailed{*std::move(work.failure)});
            } else {
                m_report.results.emplace_back(StepDone{ByteCount(work.actual.empty() ? 0 : work.actual.front())});
            }
            m_report.warnings.push_back(work.state ? std::move(work.state->warnings) : std::vector<Message>());
        }
        m_work.clear();
        dropBuffers();
        m_events.finished(std::move(m_report));
    }

    DriverEvents& m_events;
    const CpuKernel* m_kernel;
    std::mutex m_mutex;
    std::condition_variable m_ready;
    bool m_claimed = false;
    bool m_prepared = false;
    std::size_t m_partsRunning;
    std::vector<ImageWork> m_work;
    WorkReport m_report;
};

}  // namespace

LaneJobPtr makeCpuJob(WorkOrderPtr order, DriverEvents& events) {
    return std::make_shared<CpuJob>(std::move(order), events);
}

}  // namespace lanewright
