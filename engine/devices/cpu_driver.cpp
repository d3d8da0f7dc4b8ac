// SPDX-License-Identifier: GPL-3.0-or-later
// The driver of the host's processors: host lanes, the pool of host memory, and the first touch of typical frames.
#include "engine/devices/cpu_driver.h"

#include "engine/devices/host_pool.h"

#include <algorithm>
#include <latch>

namespace lanewright {
namespace {

constexpr std::size_t pageBytes = 4096;

/// Bytes of the blocks that one image goes through: its file, and what each operation makes. Encoders' outputs are left
/// out: they are bounds, hardly touched.
std::vector<ByteCount> typicalBlocks(std::span<const SetupItem> items) {
    std::vector<ByteCount> blocks;
    for (const SetupItem& item : items) {
        for (const PortShape& shape : item.inputs) {
            if (std::holds_alternative<BytesShape>(shape)) blocks.push_back(sizeOf(shape));
        }
        for (const PortShape& shape : item.outputs) {
            if (!std::holds_alternative<BytesShape>(shape)) blocks.push_back(sizeOf(shape));
        }
    }
    return blocks;
}

/// Touches every page of its blocks on its lane.
class TouchJob final : public LaneJob {
public:
    TouchJob(LaneId lane, std::vector<BufferPtr> blocks, DriverEvents& events, SetupSpan& span, std::latch& done)
        : LaneJob(orderFor(lane)), m_blocks(std::move(blocks)), m_events(events), m_span(span), m_done(done) {}

    void run(std::size_t) override {
        m_span = {"first touch", order().lanes.front(), m_events.now(), {}};
        for (const BufferPtr& block : m_blocks) {
            for (std::size_t offset = 0; offset < block->size.value; offset += pageBytes) {
                // volatile: nobody reads it, so the store would go.
                *static_cast<volatile std::byte*>(block->hostData() + offset) = std::byte{0};
            }
        }
        m_blocks.clear();
        m_span.end = m_events.now();
        m_done.count_down();
    }

private:
    static WorkOrderPtr orderFor(LaneId lane) {
        auto order = std::make_shared<WorkOrder>();
        order->lanes = {lane};
        return order;
    }

    std::vector<BufferPtr> m_blocks;
    DriverEvents& m_events;
    SetupSpan& m_span;
    std::latch& m_done;
};

class CpuDriver final : public DeviceDriver {
public:
    CpuDriver(const Machine& machine, DeviceId device)
        : m_lanes(machine.device(device).lanes),
          m_names(laneNames(machine, device)),
          // Dispatch keeps live buffers within the budget; size classes add an eighth at most.
          m_budget(machine.memory(machine.device(device).memory).budget),
          m_pool(HostPool::create(ByteCount(m_budget.value + m_budget.value / 8 + (std::uint64_t{1} << 20)))) {}
    ~CpuDriver() override { close(); }
    CpuDriver(const CpuDriver&) = delete;
    CpuDriver& operator=(const CpuDriver&) = delete;

    Result<std::vector<SetupSpan>> open(DriverEvents& events, std::span<const SetupItem> items) override {
        m_events = &events;
        m_threads = std::make_unique<HostLanes>(m_lanes, m_names);
        std::size_t images = 0;
        for (const SetupItem& item : items) images = std::max(images, item.images);
        return touch(typicalBlocks(items), std::min(images, m_lanes.size()));
    }

    BufferPtr allocate(ByteCount size) override { return m_pool->allocate(size); }
    void submit(WorkOrderPtr order) override { m_threads->submit(makeCpuJob(std::move(order), *m_events)); }
    bool revoke(StepId step) override { return m_threads->revoke(step); }
    void close() override {
        if (m_threads) m_threads->stop();
    }

private:
    /// The frames of as many images as can be worked on at a time become warm; a quarter of the budget at most.
    std::vector<SetupSpan> touch(const std::vector<ByteCount>& blocks, std::size_t lanes) {
        ByteCount each;
        for (const ByteCount block : blocks) each += block;
        if (each.value == 0 || each.value * lanes > m_budget.value / 4) return {};
        std::vector<SetupSpan> spans(lanes);
        std::latch done(static_cast<std::ptrdiff_t>(lanes));
        std::vector<LaneJobPtr> jobs;  // all allocate before the first lets go
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            std::vector<BufferPtr> buffers;
            for (const ByteCount block : blocks) {
                if (auto buffer = m_pool->allocate(block)) buffers.push_back(std::move(buffer));
            }
            jobs.push_back(std::make_shared<TouchJob>(m_lanes[lane], std::move(buffers), *m_events, spans[lane], done));
        }
        for (const LaneJobPtr& job : jobs) m_threads->submit(job);
        jobs.clear();
        done.wait();
        return spans;
    }

    std::vector<LaneId> m_lanes;
    std::vector<std::string> m_names;
    ByteCount m_budget;
    std::shared_ptr<HostPool> m_pool;
    DriverEvents* m_events = nullptr;
    std::unique_ptr<HostLanes> m_threads;
};

}  // namespace

std::unique_ptr<DeviceDriver> makeCpuDriver(const Machine& machine, DeviceId device) {
    return std::make_unique<CpuDriver>(machine, device);
}

std::vector<std::string> laneNames(const Machine& machine, DeviceId device) {
    std::vector<std::string> names;
    for (const LaneId lane : machine.device(device).lanes) names.push_back(machine.lane(lane).name);
    return names;
}

}  // namespace lanewright
