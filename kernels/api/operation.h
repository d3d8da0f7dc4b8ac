// SPDX-License-Identifier: GPL-3.0-or-later
// An operation is what one step does to an image: shape rule, work estimate, kernels. A stage is one operation or lowers
// to several.
#pragma once

#include "kernels/api/cpu_kernel.h"
#include "kernels/api/device_kernel.h"

#include <span>
#include <string_view>
#include <vector>

namespace lanewright {

/// An estimate for devices that were never measured: arithmetic operations and bytes moved to and from memory.
struct WorkEstimate {
    double operations = 0;
    double bytes = 0;
};

class Operation {
public:
    virtual ~Operation() = default;

    /// Stable name, unique over all operations: the stage kind, or "<kind>.<phase>".
    virtual std::string_view operationName() const = 0;

    /// The outputs' shapes. Errors: what makes the inputs impossible (shape.* messages).
    virtual Result<std::vector<PortShape>> outputShapes(const OperationCall& call) const = 0;

    /// Work for one image; call.outputs is set.
    virtual WorkEstimate work(const OperationCall& call) const = 0;

    /// Kernels, or nullptr: "not on this device".
    virtual const CpuKernel* cpuKernel() const = 0;
    virtual const DeviceKernel* deviceKernel(DeviceKind) const { return nullptr; }

    /// Plain scalar reference over whole images, the truth of conformance tests.
    virtual Status reference(const OperationCall& call, std::span<const PortView> inputs,
                             std::span<const MutablePortView> outputs) const = 0;
};

}  // namespace lanewright
