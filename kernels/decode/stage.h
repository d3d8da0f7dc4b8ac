// SPDX-License-Identifier: GPL-3.0-or-later
// The stage kind `decode`.
#pragma once

#include "kernels/api/stage_kind.h"

#include <memory>

namespace lanewright::decode {

std::unique_ptr<StageKind> makeStage();

}  // namespace lanewright::decode
