// SPDX-License-Identifier: GPL-3.0-or-later
// The description of a stage kind: ports, parameters, formats, and how it lowers to operations.
#pragma once

#include "kernels/api/operation.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

/// Where a stage's data come from and go to.
/// source: reads each image's file. constant: reads the file named by its first path parameter, once per run.
/// transform: image to image. sink: its bytes are written to the output folder.
enum class StageRole : std::uint8_t { source, constant, transform, sink };

/// Groups of the palette.
enum class StageCategory : std::uint8_t { decode, size, filter, encode };

struct PortDescription {
    std::string_view name;   ///< in files: "image", "overlay"
    std::string_view label;  ///< English
};

struct StageDescription {
    std::string_view kind;    ///< in files: "gaussian_blur"
    std::string_view label;   ///< English, translated by id stage.<kind>: "Gaussian blur"
    std::string_view letter;  ///< on spans: "F"
    std::string_view help;    ///< one English sentence
    StageCategory category = StageCategory::filter;
    StageRole role = StageRole::transform;
    bool inPalette = true;                 ///< false: made by the planner only (conversions)
    std::vector<PortDescription> inputs;   ///< image inputs; a source's file is not among them
    std::vector<PortDescription> outputs;  ///< image outputs; a sink's bytes are not among them
    std::span<const ParameterDeclaration> parameters;
    double gain = 1;             ///< how much an error of 1 in its input can grow
    bool discontinuous = false;  ///< threshold: see the agreement rules
    bool linear = false;         ///< may run on planar YCbCr
};

/// One operation of a lowered stage: on the device where the stage is placed, or on the host.
struct Phase {
    const Operation* operation = nullptr;
    bool onHost = false;
};

class StageKind : public Operation {
public:
    virtual const StageDescription& description() const = 0;
    std::string_view operationName() const override { return description().kind; }

    /// Formats that input `port` takes, cheapest first; empty: any format of any image.
    virtual std::vector<PixelFormat> inputFormats(std::size_t, const Parameters&) const { return {}; }

    /// The operations that make up the stage on a device kind, in order; the first takes the stage's inputs.
    virtual std::vector<Phase> phases(DeviceKind) const { return {{this, false}}; }

    /// What a chip says below its label: "1024 px, Lanczos3" (English, no unit conversion).
    virtual std::string summary(const Parameters&) const { return {}; }

    /// Sinks: extension of the written file without the dot.
    virtual std::string fileExtension(const Parameters&) const { return {}; }

    /// True when some phase list for `kind` has a kernel for each of its operations.
    bool runsOn(DeviceKind kind) const;
};

}  // namespace lanewright
