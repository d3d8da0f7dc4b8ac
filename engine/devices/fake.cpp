// SPDX-License-Identifier: GPL-3.0-or-later
// The scripted device. Its buffers hide their bytes from the host, as a real device's do.
#include "engine/devices/fake.h"

#include "engine/devices/backends.h"
#include "engine/devices/cpu_driver.h"
#include "engine/run/strips.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <thread>

namespace lanewright {
namespace {

class FakeBuffer final : public Buffer {
public:
    FakeBuffer(ByteCount bytes, std::shared_ptr<FakeRecord> record)
        : m_data(new std::byte[std::max<std::uint64_t>(bytes.value, 1)]), m_record(std::move(record)) {
        size = bytes;
    }
    ~FakeBuffer() override { m_record->liveBytes -= size.value; }
    FakeBuffer(const FakeBuffer&) = delete;
    FakeBuffer& operator=(const FakeBuffer&) = delete;

    std::byte* data() { return m_data.get(); }

private:
    std::unique_ptr<std::byte[]> m_data;
    std::shared_ptr<FakeRecord> m_record;
};

std::byte* bytesOf(const BoundPort& port) {
    if (auto* fake = dynamic_cast<FakeBuffer*>(port.buffer.get())) return fake->data();
    return port.buffer->hostData();
}

std::size_t bytesIn(const BoundPort& port) {
    return std::holds_alternative<BytesShape>(port.shape) ? port.actual
                                                          : static_cast<std::size_t>(sizeOf(port.shape).value);
}

Result<ByteCount> computeOnHost(const WorkOrder& order, const WorkImage& image) {
    const CpuKernel& kernel = *order.operation->cpuKernel();
    std::vector<PortShape> inputShapes;
    std::vector<PortShape> outputShapes;
    std::vector<PortView> inputs;
    std::vector<MutablePortView> outputs;
    std::vector<std::size_t> actual(image.outputs.size());
    for (const BoundPort& port : image.inputs) {
        inputShapes.push_back(port.shape);
        inputs.push_back(viewOf(port.shape, bytesOf(port), port.actual));
    }
    for (std::size_t i = 0; i < image.outputs.size(); ++i) {
        outputShapes.push_back(image.outputs[i].shape);
        outputs.push_back(mutableViewOf(outputShapes.back(), bytesOf(image.outputs[i]), &actual[i]));
    }
    const ProbedImage* probed = image.probed.codec.empty() ? nullptr : &image.probed;
    auto state = kernel.begin({*order.parameters, inputShapes, outputShapes, probed});
    if (!state) return std::move(state).error();
    const Status status = kernel.run(**state, inputs, outputs, {0, rowsOf(inputShapes, outputShapes)});
    if (!status) return status.error();
    return ByteCount(actual.empty() ? 0 : actual.front());
}

class FakeDriver final : public DeviceDriver {
public:
    FakeDriver(const Machine& machine, DeviceId device, FakeScript script, std::shared_ptr<FakeRecord> record)
        : m_device(device),
          m_lanes(machine.device(device).lanes),
          m_names(laneNames(machine, device)),
          m_budget(script.memory.value > 0 ? script.memory : machine.memory(machine.device(device).memory).budget),
          m_script(std::move(script)),
          m_record(record ? std::move(record) : std::make_shared<FakeRecord>()) {}
    ~FakeDriver() override { close(); }
    FakeDriver(const FakeDriver&) = delete;
    FakeDriver& operator=(const FakeDriver&) = delete;

    Result<std::vector<SetupSpan>> open(DriverEvents& events, std::span<const SetupItem>) override {
        m_events = &events;
        m_threads = std::make_unique<HostLanes>(m_lanes, m_names);
        return std::vector<SetupSpan>();
    }

    BufferPtr allocate(ByteCount size) override {
        if (m_lost || m_script.failedAllocations.contains(m_record->allocations++)) return nullptr;
        const std::uint64_t live = m_record->liveBytes += size.value;
        if (live > m_budget.value) {
            m_record->liveBytes -= size.value;
            return nullptr;
        }
        for (std::uint64_t peak = m_record->peakBytes;
             live > peak && !m_record->peakBytes.compare_exchange_weak(peak, live);) {}
        return std::make_shared<FakeBuffer>(size, m_record);
    }

    void submit(WorkOrderPtr order) override;
    bool revoke(StepId step) override { return m_threads->revoke(step); }
    void close() override {
        if (m_threads) m_threads->stop();
    }

private:
    friend class FakeJob;

    const DeviceId m_device;
    const std::vector<LaneId> m_lanes;
    const std::vector<std::string> m_names;
    const ByteCount m_budget;
    const FakeScript m_script;
    const std::shared_ptr<FakeRecord> m_record;
    DriverEvents* m_events = nullptr;
    std::mutex m_reporting;  ///< no report may overtake lost()
    std::atomic<bool> m_lost{false};
    std::unique_ptr<HostLanes> m_threads;
};

class FakeJob final : public LaneJob {
public:
    FakeJob(WorkOrderPtr order, FakeDriver& driver) : LaneJob(std::move(order)), m_driver(driver) {}

    void run(std::size_t) override {
        const FakeScript& script = m_driver.m_script;
        const std::size_t step = m_driver.m_record->steps++;
        const Instant begin = m_driver.m_events->now();
        if (script.lostAtStep == step) return lose();
        report([&](DriverEvents& events) { events.started(order().step, begin); });
        if (script.onBegin) script.onBegin(order());
        const bool download = order().kind == TemplateKind::copy && !order().upload;
        if (script.outOfMemorySteps.contains(step) && !download) {
            dropBuffers();
            return report([&](DriverEvents& events) { events.outOfMemory(order().step); });
        }
        WorkReport made;
        made.step = order().step;
        for (const WorkImage& image : order().images) made.results.push_back(runImage(image, step));
        const Duration taken = m_driver.m_events->now() - begin;
        std::this_thread::sleep_for(script.sleepPerStep +
                                    std::chrono::duration_cast<Duration>(taken * (script.slowness - 1)));
        made.parts.push_back({order().lanes.front(), begin, m_driver.m_events->now()});
        dropBuffers();
        report([&](DriverEvents& events) { events.finished(std::move(made)); });
        if (script.lostAfterStep == step) lose();
    }

private:
    ImageResult runImage(const WorkImage& image, std::size_t step) {
        const FakeScript& script = m_driver.m_script;
        const bool copy = order().kind == TemplateKind::copy;
        if (!copy && script.refusedImages.contains(image.image))
            return StepRefused{{"device.refused", {{"reason", "scripted"}}}};
        if (script.failedSteps.contains(step)) return StepFailed{{"fake.failed", {{"step", std::to_string(step)}}}};
        const Result<ByteCount> bytes = copy ? copyImage(image) : computeOnHost(order(), image);
        if (!bytes) return StepFailed{bytes.error()};
        if (script.corruptSteps.contains(step)) corrupt(image);
        return StepDone{*bytes};
    }

    Result<ByteCount> copyImage(const WorkImage& image) {
        ++(order().upload ? m_driver.m_record->uploads : m_driver.m_record->downloads);
        const std::size_t bytes = bytesIn(image.inputs.front());
        std::memcpy(bytesOf(image.outputs.front()), bytesOf(image.inputs.front()), bytes);
        return ByteCount(bytes);
    }

    static void corrupt(const WorkImage& image) {
        for (const BoundPort& port : image.outputs) {
            const std::span<std::byte> bytes(bytesOf(port), static_cast<std::size_t>(sizeOf(port.shape).value));
            for (std::byte& value : bytes) value = ~value;
        }
    }

    template <class F>
    void report(F&& send) {
        const std::lock_guard lock(m_driver.m_reporting);
        if (!m_driver.m_lost) send(*m_driver.m_events);
    }

    void lose() {
        dropBuffers();
        const std::lock_guard lock(m_driver.m_reporting);
        m_driver.m_lost = true;
        m_driver.m_threads->clear();
        m_driver.m_events->lost(m_driver.m_device, {"fake.lost", {}});
    }

    FakeDriver& m_driver;
};

void FakeDriver::submit(WorkOrderPtr order) {
    if (!m_lost) m_threads->submit(std::make_shared<FakeJob>(std::move(order), *this));
}

}  // namespace

DeviceId addFakeDevice(Machine& machine, const FakeShape& shape) {
    Device device;
    device.name = shape.name;
    device.label = "Scripted device";
    device.kind = DeviceKind::fake;
    device.physicalId = shape.name;
    device.synchronous = shape.synchronous;
    device.operationsPerSecond = shape.operationsPerSecond;
    device.bytesPerSecond = shape.copyBytesPerSecond;
    device.memory = addMemory(machine, shape.name, shape.memory);
    const MemoryId memory = device.memory;
    const DeviceId id = addDevice(machine, std::move(device));
    addLane(machine, id, "compute", LaneRole::compute, shape.queueDepth);
    const LaneId upload = addLane(machine, id, "upload", LaneRole::upload, shape.queueDepth);
    const LaneId download = addLane(machine, id, "download", LaneRole::download, shape.queueDepth);
    const double rate = shape.copyBytesPerSecond;
    machine.links.push_back({machine.hostMemory, memory, upload, {rate, rate, 0, 0}, Duration(1000)});
    machine.links.push_back({memory, machine.hostMemory, download, {rate, rate, 0, 0}, Duration(1000)});
    return id;
}

std::unique_ptr<DeviceDriver> makeFakeDriver(const Machine& machine, DeviceId device, FakeScript script,
                                             std::shared_ptr<FakeRecord> record) {
    return std::make_unique<FakeDriver>(machine, device, std::move(script), std::move(record));
}

}  // namespace lanewright
