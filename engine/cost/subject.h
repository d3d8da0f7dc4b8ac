// SPDX-License-Identifier: GPL-3.0-or-later
// What a query is about, in words that stay the same from run to run: which work, on what, under which circumstances.
#pragma once

#include "engine/cost/cost_model.h"
#include "engine/cost/statistics.h"

#include <cstdint>
#include <string>

namespace lanewright {

struct CostSubject {
    std::string device;   ///< kind, label and driver of a device, or a link with its copy kind
    std::string work;     ///< operation name, "read", "write", "copy"
    std::string variant;  ///< choices and toggles, codec or pixel format: what changes the code that runs
    CostFeatures features;
};

CostSubject subjectOf(const StepQuery& query);

/// For sizes of encoded outputs: no device; work is megapixels.
CostSubject outputSubjectOf(const StepQuery& query);

/// Equal for queries with equal subjects. Much cheaper than making them, so that answers can be kept by it.
std::uint64_t subjectHash(const StepQuery& query);

/// Bytes of the image that an encoder takes in, uncompressed; of its output's bound when it takes none.
double rawBytesOf(const StepQuery& query);

}  // namespace lanewright
