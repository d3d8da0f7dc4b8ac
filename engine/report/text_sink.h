// SPDX-License-Identifier: GPL-3.0-or-later
// Appends text and numbers to a file in large pieces, in the C locale. Reports of a million spans pass through here.
#pragma once

#include "engine/files/files.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace lanewright {

class TextSink {
public:
    explicit TextSink(const PieceWriter& write) : m_write(write) {}
    ~TextSink() { flush(); }
    TextSink(const TextSink&) = delete;
    TextSink& operator=(const TextSink&) = delete;

    TextSink& text(std::string_view text) {
        m_buffer += text;
        if (m_buffer.size() >= pieceBytes) flush();
        return *this;
    }
    TextSink& number(std::int64_t value);
    TextSink& unsignedNumber(std::uint64_t value);
    TextSink& hexadecimal(std::uint64_t value);
    /// With exactly `decimals`; something that is not finite becomes 0.
    TextSink& fixed(double value, int decimals);
    /// The shortest text that reads back as the same value; something that is not finite becomes 0.
    TextSink& shortest(double value);
    /// In quotes, escaped as JSON wants it; bytes that are not UTF-8 become U+FFFD.
    TextSink& jsonString(std::string_view text);
    void flush();

private:
    static constexpr std::size_t pieceBytes = 1 << 16;
    const PieceWriter& m_write;
    std::string m_buffer;
};

/// `text` with every byte that is not UTF-8 replaced by U+FFFD.
std::string withValidUtf8(std::string_view text);

/// As TextSink writes it.
std::string fixedText(double value, int decimals);

}  // namespace lanewright
