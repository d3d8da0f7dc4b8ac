// SPDX-License-Identifier: GPL-3.0-or-later
// The stage "resize": changes how many pixels an image has.
#pragma once

#include "kernels/api/stage_kind.h"

#include <memory>

namespace lanewright::resize {

std::unique_ptr<StageKind> makeStage();

}  // namespace lanewright::resize
