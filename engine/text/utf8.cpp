// SPDX-License-Identifier: GPL-3.0-or-later
// UTF-8 by the rules of RFC 3629, and the escaping of what a terminal or a line of a report should not be sent.
#include "engine/text/utf8.h"

#include "engine/text/text.h"

#include <array>
#include <cstdio>

namespace lanewright {
namespace {

std::uint32_t lengthOf(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead < 0xe0) return 2;
    if (lead >= 0xe0 && lead < 0xf0) return 3;
    if (lead >= 0xf0 && lead < 0xf5) return 4;
    return 0;
}

/// C0, DEL, C1, line and paragraph separators, and the marks that let text show in another order than it has.
bool isUnsafe(char32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 || code == 0x200e ||
           code == 0x200f || code == 0x061c || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

std::string escapeOf(char32_t code) {
    switch (code) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
    }
    std::array<char, 16> buffer{};
    std::snprintf(buffer.data(), buffer.size(), code < 0x80 ? "\\x%02x" : "\\u{%x}", static_cast<unsigned>(code));
    return buffer.data();
}

}  // namespace

Utf8Character firstCharacter(std::string_view text) {
    constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
    constexpr std::array<unsigned, 5> leadMask = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const auto lead = static_cast<unsigned char>(text.front());
    const std::uint32_t length = lengthOf(lead);
    if (length == 0 || length > text.size()) return {lead, 1, false};
    char32_t code = lead & leadMask[length];
    for (std::uint32_t i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xc0) != 0x80) return {lead, 1, false};
        code = code << 6 | (next & 0x3f);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    if (code < smallest[length] || code > 0x10ffff || surrogate) return {lead, 1, false};
    return {code, length, true};
}

bool isUtf8(std::string_view text) {
    while (!text.empty()) {
        const Utf8Character character = firstCharacter(text);
        if (!character.valid) return false;
        text.remove_prefix(character.bytes);
    }
    return true;
}

std::string escaped(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const Utf8Character character = firstCharacter(text);
        if (!character.valid) {
            std::array<char, 8> buffer{};
            std::snprintf(buffer.data(), buffer.size(), "\\x%02x", static_cast<unsigned>(character.code));
            result += buffer.data();
        } else if (isUnsafe(character.code)) {
            result += escapeOf(character.code);
        } else {
            result += text.substr(0, character.bytes);
        }
        text.remove_prefix(character.bytes);
    }
    return result;
}

}  // namespace lanewright
