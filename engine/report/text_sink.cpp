// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/text_sink.h"

#include "engine/text/utf8.h"

#include <array>
#include <charconv>
#include <cmath>

namespace lanewright {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

void appendJson(std::string& out, char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(c);
    switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    default: break;
    }
    if (code >= 0x20 && code != 0x7f) {
        out += c;
        return;
    }
    out += "\\u00";
    out += digits[code >> 4];
    out += digits[code & 15];
}

template <class... Format>
void appendNumber(std::string& out, Format... format) {
    std::array<char, 400> text{};  // the largest double has 309 digits before the point
    out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), format...).ptr);
}

}  // namespace

TextSink& TextSink::number(std::int64_t value) {
    appendNumber(m_buffer, value);
    return *this;
}

TextSink& TextSink::unsignedNumber(std::uint64_t value) {
    appendNumber(m_buffer, value);
    return *this;
}

TextSink& TextSink::hexadecimal(std::uint64_t value) {
    appendNumber(m_buffer, value, 16);
    return *this;
}

TextSink& TextSink::fixed(double value, int decimals) {
    appendNumber(m_buffer, std::isfinite(value) ? value : 0.0, std::chars_format::fixed, decimals);
    return *this;
}

TextSink& TextSink::shortest(double value) {
    appendNumber(m_buffer, std::isfinite(value) ? value : 0.0);
    return *this;
}

TextSink& TextSink::jsonString(std::string_view text) {
    m_buffer += '"';
    while (!text.empty()) {
        if (static_cast<unsigned char>(text.front()) < 0x80) {
            appendJson(m_buffer, text.front());
            text.remove_prefix(1);
            continue;
        }
        const Utf8Character character = firstCharacter(text);
        m_buffer += character.valid ? text.substr(0, character.bytes) : replacement;
        text.remove_prefix(character.bytes);
    }
    m_buffer += '"';
    return *this;
}

void TextSink::flush() {
    m_write(m_buffer);
    m_buffer.clear();
}

std::string withValidUtf8(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const Utf8Character character = firstCharacter(text);
        result += character.valid ? text.substr(0, character.bytes) : replacement;
        text.remove_prefix(character.bytes);
    }
    return result;
}

std::string fixedText(double value, int decimals) {
    std::string text;
    appendNumber(text, std::isfinite(value) ? value : 0.0, std::chars_format::fixed, decimals);
    return text;
}

}  // namespace lanewright
