// SPDX-License-Identifier: GPL-3.0-or-later
// The checksum of output files: XXH64 with seed 0, so that `xxhsum -H1` on the file gives the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lanewright {

std::uint64_t checksumOf(std::span<const std::byte> bytes);

}  // namespace lanewright
