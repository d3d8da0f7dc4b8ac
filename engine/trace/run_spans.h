// SPDX-License-Identifier: GPL-3.0-or-later
// Spans as they lie in run files: 64 bytes each, little-endian, in the order of Span's members.
#pragma once

#include "engine/trace/trace.h"

#include <cstddef>
#include <span>
#include <string>

namespace lanewright::runfile {

inline constexpr std::size_t spanBytes = 64;

std::string packed(const SpanChunk& spans);
/// `bytes` must be a multiple of spanBytes long.
SpanChunk unpacked(std::span<const std::byte> bytes);

}  // namespace lanewright::runfile
