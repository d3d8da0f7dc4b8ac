// SPDX-License-Identifier: GPL-3.0-or-later
// What the conformance test tries on a stage: parameter sets from its declarations, plus lists for single stages.
#pragma once

#include "kernels/api/stage_kind.h"

#include <string>
#include <vector>

namespace lanewright::test {

struct ParameterSet {
    std::string text;  ///< "width=61 filter=area", empty: defaults of the test
    Parameters parameters;
    int tolerance = 1;  ///< greatest difference from the reference, in 8-bit steps
};

/// Defaults, then each parameter's extremes and choices one at a time, then the stage's own list. Sizes in pixels are kept
/// small (see saneLimit in the source): what is tried is arithmetic, not memory.
std::vector<ParameterSet> parameterSets(const StageKind& stage);

struct Size {
    std::int32_t width;
    std::int32_t height;
};
std::vector<Size> testSizes();

/// Formats that the stage takes; gray, RGB and RGBA where it takes any.
std::vector<PixelFormat> testFormats(const StageKind& stage, const Parameters& parameters);

}  // namespace lanewright::test
