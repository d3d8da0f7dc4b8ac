// SPDX-License-Identifier: GPL-3.0-or-later
// One OpenCL device with its context, queues and programs: enqueues steps, waits for them, reads their time stamps. All
// OpenCL calls of the driver are behind this; its threads are in opencl_driver.cpp.
#pragma once

#include "engine/devices/driver.h"
#include "engine/devices/opencl_memory.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewright {

/// Queues by what runs on them. A device of CPU type has one queue for all: PoCL starts a copy only when the running kernel
/// has ended, but a kernel beside a copy; one queue makes that exclusive, as its capacity group says.
enum class OpenClQueue : std::uint8_t { compute, upload, download };
inline constexpr std::size_t openClQueueCount = 3;

/// What was enqueued for one step. `events` are cl_event, owned. Where `failure` is set nothing more was enqueued.
struct OpenClWork {
    std::vector<void*> events;
    std::vector<ImageResult> results;
    bool outOfMemory = false;
    BufferPtr scratch;
    Instant before;  ///< run clock around the enqueueing
    Instant after;
};

/// Stamps of a finished step on the device's clock, in ns.
struct OpenClStamps {
    std::int64_t queued = 0;  ///< of the first command
    std::int64_t start = 0;
    std::int64_t end = 0;
};

class OpenClDevice {
public:
    /// `device` is a cl_device_id. Errors: device.openCl, those of the runtime.
    static Result<std::unique_ptr<OpenClDevice>> open(void* device, bool oneQueue, DeviceRuntimeFactory factory,
                                                      ByteCount budget);
    ~OpenClDevice();
    OpenClDevice(const OpenClDevice&) = delete;
    OpenClDevice& operator=(const OpenClDevice&) = delete;

    OpenClMemory& memory() { return *m_memory; }
    bool oneQueue() const { return m_oneQueue; }

    /// Compiles and warms an operation. Errors: device.compile, device.openCl.
    Status prepare(const SetupItem& item);
    /// Writes all of `blocks`, so that later steps find their pages there.
    Status touch(std::span<const BufferPtr> blocks);

    /// Enqueues behind `after` (cl_event of other steps). Nothing waits here, but a driver may take its time.
    OpenClWork enqueue(const WorkOrder& order, OpenClQueue queue, std::span<void* const> after,
                       const DriverEvents& clock);
    /// Waits for the commands. Errors: what the device says of the first that failed.
    Status wait(const OpenClWork& work) const;
    std::optional<OpenClStamps> stamps(const OpenClWork& work) const;
    void releaseEvents(OpenClWork& work) const;
    void* retainedEvent(void* event) const;
    void releaseEvent(void* event) const;

    /// A tiny command on a queue of its own, waited for: its stamps lie between the readings of the run's clock. None: the
    /// device does not answer any more.
    struct Anchor {
        OpenClStamps stamps;
        Instant before;
        Instant enqueued;
        Instant after;
    };
    std::optional<Anchor> anchor(const DriverEvents& clock) const;

private:
    OpenClDevice() = default;
    void* queueFor(OpenClQueue queue) const { return m_queues[m_oneQueue ? 0 : static_cast<std::size_t>(queue)]; }
    Status makeQueues(void* device);
    void enqueueOperation(const WorkOrder& order, void* queue, std::span<void* const> after, OpenClWork& work);
    Status enqueueKernel(const WorkOrder& order, std::span<const DeviceImage> images, void* queue, OpenClWork& work);
    void enqueueCopies(const WorkOrder& order, void* queue, std::span<void* const> after, OpenClWork& work);
    ImageResult enqueueCopy(const WorkOrder& order, const WorkImage& image, void* queue, std::span<void* const> after,
                            OpenClWork& work);
    BufferPtr scratchOf(ByteCount bytes);

    bool m_oneQueue = false;
    void* m_context = nullptr;
    std::array<void*, openClQueueCount> m_queues{};
    void* m_anchorQueue = nullptr;
    std::shared_ptr<OpenClMemory> m_memory;
    BufferPtr m_anchorBuffer;
    BufferPtr m_scratch;  ///< the compute queue is in order, so its steps share one
    std::unique_ptr<DeviceRuntime> m_runtime;
};

}  // namespace lanewright
