// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel interface of host CPUs. One kernel serves whole images, row-parallel images, strips and fused groups.
#pragma once

#include "kernels/api/image_meta.h"
#include "kernels/api/parameters.h"
#include "kernels/api/views.h"

#include <memory>
#include <span>
#include <vector>

namespace lanewright {

/// What an operation is asked to do with one image: shapes are final, `image` is set for operations on its file.
struct OperationCall {
    const Parameters& parameters;
    std::span<const PortShape> inputs;
    std::span<const PortShape> outputs;  ///< empty while the shape rule is being asked
    const ProbedImage* image = nullptr;
};

class CpuKernel {
public:
    /// What one image needs between run() calls (filter tables, a codec's decompressor).
    class State {
    public:
        virtual ~State() = default;
        std::vector<Message> warnings;  ///< the image came out, but its file was damaged
    };

    virtual ~CpuKernel() = default;

    /// Prepares one image. Errors: what makes this image impossible.
    virtual Result<std::unique_ptr<State>> begin(const OperationCall& call) const = 0;

    /// Computes `rows` of the outputs. Rows count in plane 0 of output 0; of input 0 where the output is bytes. Calls on
    /// disjoint rows may come at the same time from several lanes unless inOrder(). Inputs hold the rows that rowsNeeded()
    /// names (views may be rings).
    virtual Status run(State& state, std::span<const PortView> inputs, std::span<const MutablePortView> outputs,
                       RowRange rows) const = 0;

    /// The rows of plane 0 of input `port` that run(rows) reads; the whole range of bytes inputs is (0, 0).
    virtual RowRange rowsNeeded(const State& state, std::size_t port, RowRange rows) const = 0;

    /// Row ranges handed to run() begin at multiples of this (JPEG: the height of an MCU).
    virtual std::int32_t rowAlign(const State&) const { return 1; }

    /// Sources and sinks: rows come in order, from one lane at a time, all of them.
    virtual bool inOrder() const { return false; }

    /// Host bytes that begin() and run() allocate beside inputs and outputs.
    virtual ByteCount scratchBytes(const OperationCall&) const { return {}; }
};

}  // namespace lanewright
