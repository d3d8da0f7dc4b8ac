// SPDX-License-Identifier: GPL-3.0-or-later
// Files as a device with two lanes, read and write, a thread each; it has no board row.
#include "engine/devices/backends.h"
#include "engine/devices/checksum.h"
#include "engine/devices/cpu_driver.h"
#include "engine/devices/file_io.h"

#include <exception>

namespace lanewright {
namespace {

/// Guess for files that are in the page cache or on a fast disk.
constexpr double bytesPerSecondOfFiles = 1.5e9;

class StorageJob final : public LaneJob {
public:
    StorageJob(WorkOrderPtr order, DriverEvents& events) : LaneJob(std::move(order)), m_events(events) {}

    void run(std::size_t) override {
        const Instant begin = m_events.now();
        m_events.started(order().step, begin);
        WorkReport report;
        report.step = order().step;
        report.checksums.resize(order().images.size());
        for (std::size_t i = 0; i < order().images.size(); ++i) {
            report.results.push_back(transfer(order().images[i], report.checksums[i]));
        }
        report.parts.push_back({order().lanes.front(), begin, m_events.now()});
        dropBuffers();
        m_events.finished(std::move(report));
    }

private:
    ImageResult transfer(const WorkImage& image, std::uint64_t& checksum) {
        const bool reads = order().kind == TemplateKind::read;
        const BoundPort& port = reads ? image.outputs.front() : image.inputs.front();
        const std::size_t bytes = reads ? static_cast<std::size_t>(sizeOf(port.shape).value) : port.actual;
        const std::span<std::byte> block(port.buffer->hostData(), bytes);
        try {
            const Status status = reads ? readWholeFile(image.file, block) : writeWholeFile(image.file, block);
            if (!status) return StepFailed{status.error()};
        } catch (const std::exception& error) {  // of the paths' allocations
            return StepFailed{{"device.exception", {{"stage", order().stageId}, {"what", error.what()}}}};
        }
        if (!reads) checksum = checksumOf(block);
        return StepDone{ByteCount(bytes)};
    }

    DriverEvents& m_events;
};

class StorageDriver final : public DeviceDriver {
public:
    StorageDriver(const Machine& machine, DeviceId device)
        : m_lanes(machine.device(device).lanes), m_names(laneNames(machine, device)) {}

    Result<std::vector<SetupSpan>> open(DriverEvents& events, std::span<const SetupItem>) override {
        m_events = &events;
        m_threads = std::make_unique<HostLanes>(m_lanes, m_names);
        return std::vector<SetupSpan>();
    }
    BufferPtr allocate(ByteCount) override {
        return nullptr;
    }  // its memory is the host's, which the CPU's driver gives
    void submit(WorkOrderPtr order) override {
        m_threads->submit(std::make_shared<StorageJob>(std::move(order), *m_events));
    }
    bool revoke(StepId step) override { return m_threads->revoke(step); }
    void close() override {
        if (m_threads) m_threads->stop();
    }

private:
    std::vector<LaneId> m_lanes;
    std::vector<std::string> m_names;
    DriverEvents* m_events = nullptr;
    std::unique_ptr<HostLanes> m_threads;
};

void discover(Machine& machine, const Catalog&, const DiscoveryOptions&) {
    Device device;
    device.name = "storage";
    device.label = "Files";
    device.kind = DeviceKind::storage;
    device.memory = machine.hostMemory;
    device.bytesPerSecond = bytesPerSecondOfFiles;
    machine.storageDevice = addDevice(machine, std::move(device));
    addLane(machine, machine.storageDevice, "read", LaneRole::read, 2);
    addLane(machine, machine.storageDevice, "write", LaneRole::write, 2);
}

Result<std::unique_ptr<DeviceDriver>> makeDriver(const Machine& machine, DeviceId device, const Catalog&) {
    return std::unique_ptr<DeviceDriver>(std::make_unique<StorageDriver>(machine, device));
}

}  // namespace

DeviceBackend storageBackend() { return {DeviceKind::storage, &discover, &makeDriver}; }

}  // namespace lanewright
