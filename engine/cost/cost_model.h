// SPDX-License-Identifier: GPL-3.0-or-later
// How long a step or a copy takes, and where that figure came from. The simulator and policies ask; runs teach it.
#pragma once

#include "engine/files/cache_folder.h"
#include "engine/machine/machine.h"
#include "engine/plan/plan.h"
#include "kernels/api/operation.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lanewright {

struct Trace;

enum class CostSource : std::uint8_t { measured, interpolated, guessed };

/// `duration` is what the step takes alone on its lanes' full rate; the simulator stretches it by capacity groups.
struct CostEstimate {
    Duration duration{0};
    double relativeSpread = 0;  ///< standard deviation / mean
    CostSource source = CostSource::guessed;
    std::uint32_t samples = 0;
};

/// One image's part of a step on a device.
struct StepQuery {
    const StepTemplate* stepTemplate = nullptr;
    DeviceKind kind = DeviceKind::cpu;
    const Device* device = nullptr;
    OperationCall call;  ///< of operation and conversion: shapes in and out, the probed image for a source
    ByteCount bytes;     ///< of read, write and copy; of a source: of its file
    const Link* link = nullptr;
    CopyKind copyKind = CopyKind::pageable;
};

class CostModel {
public:
    virtual ~CostModel() = default;
    virtual CostEstimate cost(const StepQuery& query) const = 0;
    /// How many bytes an encoder will write for an image of this shape.
    virtual ByteCount encodedBytes(const StepQuery& query) const = 0;
};

/// The query for `image`'s part of a step made from `stepTemplate` on `device`; `scratch` keeps the spans it points to.
struct QueryScratch {
    std::vector<PortShape> inputs;
    std::vector<PortShape> outputs;
    ProbedImage probed;
};
StepQuery makeQuery(const Plan& plan, const StepTemplate& stepTemplate, ImageIndex image, const ImageShapes& shapes,
                    DeviceId device, ByteCount actualBytes, QueryScratch& scratch);

/// Measured times per operation, device and size from earlier runs on this machine; work estimates before any.
class MeasuredCostModel : public CostModel {
public:
    /// Reads what was learned for machine.fingerprint from `folder` (missing or damaged files: starts anew).
    explicit MeasuredCostModel(const Machine& machine, std::filesystem::path folder = {});
    ~MeasuredCostModel() override;
    MeasuredCostModel(MeasuredCostModel&&) noexcept;

    CostEstimate cost(const StepQuery& query) const override;
    ByteCount encodedBytes(const StepQuery& query) const override;

    /// Takes in the spans of a measured trace (first attempts; durations are put back to what the step would have taken
    /// alone in its capacity groups).
    void learn(const Plan& plan, const Trace& trace);
    /// Writes to the folder (temporary name, rename). Errors: file.unwritable.
    Status save() const;

private:
    struct Data;
    std::unique_ptr<Data> m_data;
};

}  // namespace lanewright
