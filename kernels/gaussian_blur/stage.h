// SPDX-License-Identifier: GPL-3.0-or-later
// The stage "gaussian_blur": mixes each pixel with its neighbours by a normal distribution.
#pragma once

#include "kernels/api/stage_kind.h"

#include <memory>

namespace lanewright::gaussian_blur {

std::unique_ptr<StageKind> makeStage();

}  // namespace lanewright::gaussian_blur
