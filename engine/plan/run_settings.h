// SPDX-License-Identifier: GPL-3.0-or-later
// How a plan is to be run: part of the project file and of the command line.
#pragma once

#include "engine/machine/machine.h"

#include <cstdint>
#include <optional>

namespace lanewright {

enum class Order : std::uint8_t { planned, dynamic };

struct RunSettings {
    Order order = Order::dynamic;
    std::int32_t workers = 0;         ///< CPU workers; 0: the CPUs this process may use
    std::int32_t imagesInFlight = 0;  ///< 0: 2 per CPU worker and 3 batches per other device in use
    std::int32_t batch = 1;           ///< images per step on devices other than the CPU
    std::int32_t repeat = 1;
    CopyKind copyKind = CopyKind::pageable;
    ByteCount hostMemoryLimit;  ///< 0: three quarters of what is there
    friend bool operator==(const RunSettings&, const RunSettings&) = default;
};

}  // namespace lanewright
