// SPDX-License-Identifier: GPL-3.0-or-later
// Work orders for tests of drivers, without plan and Dispatch.
#pragma once

#include "engine/devices/driver.h"
#include "tests/support/test_stages.h"

#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace lanewright::test {

/// A port in a buffer of `driver`.
inline BoundPort makePort(DeviceDriver& driver, PortShape shape) { return {driver.allocate(sizeOf(shape)), shape, 0}; }

/// The same, filled with `value` (for drivers of host memory).
inline BoundPort filledPort(DeviceDriver& driver, PortShape shape, int value) {
    BoundPort port = makePort(driver, shape);
    std::memset(port.buffer->hostData(), value, port.buffer->size.value);
    return port;
}

/// An operation over one image.
inline WorkOrderPtr operationOrder(StepId step, const StageKind& kind, const Parameters& parameters,
                                   std::vector<LaneId> lanes, std::vector<BoundPort> inputs,
                                   std::vector<BoundPort> outputs) {
    auto order = std::make_shared<WorkOrder>();
    order->step = step;
    order->operation = &kind;
    order->parameters = &parameters;
    order->lanes = std::move(lanes);
    order->stageId = std::string(kind.description().kind);
    order->images.push_back({ImageIndex(0), std::move(inputs), std::move(outputs), {}, {}});
    return order;
}

/// A copy of one buffer over a link's lane.
inline WorkOrderPtr copyOrder(StepId step, LaneId lane, bool upload, BoundPort from, BoundPort to) {
    auto order = std::make_shared<WorkOrder>();
    order->step = step;
    order->kind = TemplateKind::copy;
    order->lanes = {lane};
    order->upload = upload;
    order->images.push_back({ImageIndex(0), {std::move(from)}, {std::move(to)}, {}, {}});
    return order;
}

/// Parameters of a test stage with one of them set.
inline Parameters withParameter(const StageKind& kind, std::string_view name, ParameterValue value) {
    Parameters parameters(kind.description().parameters);
    parameters.set(*findParameter(kind.description().parameters, name), std::move(value));
    return parameters;
}

}  // namespace lanewright::test
