// SPDX-License-Identifier: GPL-3.0-or-later
// What the executor asks of a kind of device. One driver per device; the executor owns the rules, drivers own the vendor.
#pragma once

#include "engine/machine/machine.h"
#include "engine/run/step.h"
#include "kernels/api/catalog.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lanewright {

/// One block of memory of a device or of the host. Freed (back to its pool) when the last owner lets go.
class Buffer {
public:
    virtual ~Buffer() = default;
    virtual std::byte* hostData() { return nullptr; }  ///< nullptr: not addressable by the host
    virtual DeviceBuffer deviceBuffer() { return {}; }
    ByteCount size;
};
using BufferPtr = std::shared_ptr<Buffer>;

/// A buffer with the shape of what it holds; `actual` bytes of a BytesShape.
struct BoundPort {
    BufferPtr buffer;
    PortShape shape;
    std::size_t actual = 0;
};

/// One image of a step, ready to run.
struct WorkImage {
    ImageIndex image;
    std::vector<BoundPort> inputs;
    std::vector<BoundPort> outputs;
    ProbedImage probed;          ///< of operations on the image's file; codec empty: none
    std::filesystem::path file;  ///< of read and write steps
};

/// Everything a driver needs to run a step, without Dispatch or plan. Kept alive by the driver until it has reported.
struct WorkOrder {
    StepId step;
    TemplateKind kind = TemplateKind::operation;
    const Operation* operation = nullptr;
    const Parameters* parameters = nullptr;
    std::vector<WorkImage> images;
    std::vector<LaneId> lanes;
    std::vector<StepId> after;  ///< of this device, submitted before; a step that has been reported counts as ended
    std::string stageId;
    bool upload = false;  ///< a copy: host to device, else device to host
};
using WorkOrderPtr = std::shared_ptr<WorkOrder>;

/// When a part of a step ran on a lane.
struct PartTime {
    LaneId lane;
    Instant begin;
    Instant end;
};

/// How a step ended. `warnings` (may be empty) and `checksums` (of write steps: XXH64 of the file) by image. `returned`:
/// when the vendor's call came back, where that was after submit(); else 0.
struct WorkReport {
    StepId step;
    std::vector<ImageResult> results;
    std::vector<std::vector<Message>> warnings;
    std::vector<std::uint64_t> checksums;
    std::vector<PartTime> parts;
    Instant returned;
};

/// Where drivers report; callable from any thread, never from inside submit().
class DriverEvents {
public:
    virtual ~DriverEvents() = default;
    virtual Instant now() const = 0;
    virtual void started(StepId step, Instant when) = 0;
    virtual void finished(WorkReport report) = 0;
    virtual void outOfMemory(StepId step) = 0;
    virtual void lost(DeviceId device, Message reason) = 0;  ///< after this, no report of a step in flight there
};

/// A span of set-up work: compile, allocation, first touch.
struct SetupSpan {
    std::string name;
    LaneId lane;
    Instant begin;
    Instant end;
};

/// One operation that will run on the device, with a typical image, to be compiled and warmed before the timed part.
struct SetupItem {
    const Operation* operation = nullptr;
    const Parameters* parameters = nullptr;
    std::vector<PortShape> inputs;
    std::vector<PortShape> outputs;
    std::string stageId;
    std::size_t images = 1;  ///< how many will go through it at most
};

class DeviceDriver {
public:
    virtual ~DeviceDriver() = default;
    /// Compiles, warms, allocates, anchors its clock. Errors: the device cannot be used.
    virtual Result<std::vector<SetupSpan>> open(DriverEvents& events, std::span<const SetupItem> items) = 0;
    /// nullptr: out of memory.
    virtual BufferPtr allocate(ByteCount size) = 0;
    /// Queues without waiting; reports through DriverEvents.
    virtual void submit(WorkOrderPtr order) = 0;
    /// True: it had not begun and never will (no report follows).
    virtual bool revoke(StepId step) = 0;
    /// Largest error of its times on the run's clock.
    virtual Duration clockUncertainty() const { return Duration(0); }
    /// Waits for what is in flight and stops its threads.
    virtual void close() = 0;
};

struct DiscoveryOptions {
    int workers = 0;  ///< 0: the CPUs this process may use (affinity mask and cgroup quota)
};

/// Finds devices of one kind and makes their drivers. One entry of the device list.
struct DeviceBackend {
    DeviceKind kind;
    /// Adds its devices, memories, lanes, links and groups (absent ones with the reason).
    void (*discover)(Machine& machine, const Catalog& catalog, const DiscoveryOptions& options);
    /// A driver for `device`, or the reason.
    Result<std::unique_ptr<DeviceDriver>> (*makeDriver)(const Machine& machine, DeviceId device,
                                                        const Catalog& catalog);
};
std::span<const DeviceBackend> deviceBackends();

/// The machine that is here.
Machine discoverMachine(const Catalog& catalog, const DiscoveryOptions& options = {});

}  // namespace lanewright
