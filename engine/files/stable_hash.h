// SPDX-License-Identifier: GPL-3.0-or-later
// A hash of texts that is the same for every build and machine, for names of files.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace lanewright {

/// FNV-1a, 64 bits, as 16 hexadecimal digits.
inline std::string stableHash(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    std::array<char, 20> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
    return digits.data();
}

}  // namespace lanewright
