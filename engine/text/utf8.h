// SPDX-License-Identifier: GPL-3.0-or-later
// Takes UTF-8 apart, for texts that come from file names, files and drivers and may be anything.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanewright {

struct Utf8Character {
    char32_t code = 0;
    std::uint32_t bytes = 1;
    bool valid = false;  ///< false: `code` is one byte that is not UTF-8
};

/// The character at the front of `text`, which must not be empty. Overlong forms, surrogates and codes above U+10FFFF are
/// not valid.
Utf8Character firstCharacter(std::string_view text);

bool isUtf8(std::string_view text);

}  // namespace lanewright
