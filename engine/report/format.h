// SPDX-License-Identifier: GPL-3.0-or-later
// Figures for people, in the units of the screen: three digits that count, C locale.
#pragma once

#include "kernels/api/units.h"

#include <string>
#include <string_view>

namespace lanewright {

std::string durationText(Duration duration);      ///< "2.15 s", "88.6 ms", "12.3 µs", "950 ns"
std::string bytesText(ByteCount bytes);           ///< "1.21 GiB", "927 MiB", "12 KiB", "300 bytes"
std::string rateText(double bytesPerSecond);      ///< "5.24 GB/s"; an en dash for 0
std::string percentText(double share);            ///< "38 %", "0.4 %"
std::string signedPercentText(double share);      ///< "+1.4 %", "−1.4 %" with the minus sign
std::string numberText(double value);             ///< "18.1", "1830"
std::string countText(std::size_t value);         ///< "1 234 567" with thin spaces
std::string startText(std::string_view isoTime);  ///< "31 Jan 2025, 12:34 UTC"; what is no ISO time as it is

}  // namespace lanewright
