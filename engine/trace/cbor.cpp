// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/trace/cbor.h"

#include <array>
#include <bit>

namespace lanewright {
namespace {

// Simple values and the double, as their "additional information" (RFC 8949, 3.3).
constexpr std::uint8_t falseValue = 20;
constexpr std::uint8_t trueValue = 21;
constexpr std::uint8_t nullValue = 22;
constexpr std::uint8_t doubleValue = 27;
constexpr std::uint8_t largestInline = 23;

constexpr std::uint8_t initialByte(CborType type, std::uint8_t information) {
    return static_cast<std::uint8_t>(static_cast<std::uint8_t>(type) << 5 | information);
}

}  // namespace

void CborWriter::bigEndian(std::uint64_t value, int byteCount) {
    for (int i = byteCount - 1; i >= 0; --i) m_output += static_cast<char>(value >> (8 * i) & 0xff);
}

void CborWriter::head(CborType type, std::uint64_t argument) {
    const auto begin = [this, type](std::uint8_t information) {
        m_output += static_cast<char>(initialByte(type, information));
    };
    if (argument <= largestInline) {
        begin(static_cast<std::uint8_t>(argument));
        return;
    }
    const int log2Bytes = argument <= 0xff ? 0 : argument <= 0xffff ? 1 : argument <= 0xffffffff ? 2 : 3;
    begin(static_cast<std::uint8_t>(24 + log2Bytes));
    bigEndian(argument, 1 << log2Bytes);
}

void CborWriter::integer(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (value >= 0)
        head(CborType::unsignedInteger, bits);
    else
        head(CborType::negativeInteger, ~bits);
}

void CborWriter::real(double value) {
    m_output += static_cast<char>(initialByte(CborType::simple, doubleValue));
    bigEndian(std::bit_cast<std::uint64_t>(value), 8);
}

void CborWriter::boolean(bool value) {
    m_output += static_cast<char>(initialByte(CborType::simple, value ? trueValue : falseValue));
}

void CborWriter::null() { m_output += static_cast<char>(initialByte(CborType::simple, nullValue)); }

void CborWriter::text(std::string_view value) {
    head(CborType::text, value.size());
    m_output += value;
}

void CborWriter::bytes(std::span<const std::byte> value) {
    head(CborType::bytes, value.size());
    m_output.append(reinterpret_cast<const char*>(value.data()), value.size());
}

CborCursor CborCursor::at(std::size_t position) const {
    CborCursor cursor(m_input);
    cursor.m_position = position;
    return cursor;
}

bool CborCursor::anyHead(CborType& type, std::uint8_t& information, std::uint64_t& argument) {
    if (m_failed || m_position >= m_input.size()) return fail();
    const auto initial = std::to_integer<std::uint8_t>(m_input[m_position]);
    type = static_cast<CborType>(initial >> 5);
    information = initial & 31;
    std::size_t extra = 0;
    if (information >= 24) {
        if (information > 27) return fail();  // reserved, or of indefinite length
        extra = std::size_t{1} << (information - 24);
    }
    if (extra > remaining() - 1) return fail();
    ++m_position;
    argument = extra == 0 ? information : 0;
    for (std::size_t i = 0; i < extra; ++i)
        argument = argument << 8 | std::to_integer<std::uint64_t>(m_input[m_position++]);
    return true;
}

bool CborCursor::head(CborType wanted, std::uint64_t& argument) {
    CborType type{};
    std::uint8_t information = 0;
    const std::size_t before = m_position;
    if (!anyHead(type, information, argument)) return false;
    if (type == wanted) return true;
    m_position = before;
    return fail();
}

bool CborCursor::integer(std::int64_t& value) {
    CborType type{};
    std::uint8_t information = 0;
    std::uint64_t argument = 0;
    if (!anyHead(type, information, argument) || argument > 0x7fffffffffffffffU) return fail();
    if (type == CborType::unsignedInteger)
        value = static_cast<std::int64_t>(argument);
    else if (type == CborType::negativeInteger)
        value = -1 - static_cast<std::int64_t>(argument);
    else
        return fail();
    return true;
}

bool CborCursor::real(double& value) {
    CborType type{};
    std::uint8_t information = 0;
    std::uint64_t argument = 0;
    if (!anyHead(type, information, argument) || type != CborType::simple || information != doubleValue) return fail();
    value = std::bit_cast<double>(argument);
    return true;
}

bool CborCursor::boolean(bool& value) {
    std::uint64_t argument = 0;
    if (!head(CborType::simple, argument) || (argument != falseValue && argument != trueValue)) return fail();
    value = argument == trueValue;
    return true;
}

bool CborCursor::isNull() const {
    return !m_failed && remaining() > 0 &&
           std::to_integer<std::uint8_t>(m_input[m_position]) == initialByte(CborType::simple, nullValue);
}

bool CborCursor::block(std::uint64_t length, std::span<const std::byte>& value) {
    if (length > remaining()) return fail();
    value = m_input.subspan(m_position, static_cast<std::size_t>(length));
    m_position += static_cast<std::size_t>(length);
    return true;
}

bool CborCursor::text(std::string_view& value) {
    std::uint64_t length = 0;
    std::span<const std::byte> raw;
    if (!head(CborType::text, length) || !block(length, raw)) return false;
    value = {reinterpret_cast<const char*>(raw.data()), raw.size()};
    return true;
}

bool CborCursor::bytes(std::span<const std::byte>& value) {
    std::uint64_t length = 0;
    return head(CborType::bytes, length) && block(length, value);
}

bool CborCursor::skip() {
    constexpr std::size_t deepest = 32;
    std::array<std::uint64_t, deepest> left{};  // items to come at each level
    std::size_t level = 0;
    left[0] = 1;
    while (true) {
        while (left[level] == 0) {
            if (level == 0) return true;
            --level;
        }
        --left[level];
        CborType type{};
        std::uint8_t information = 0;
        std::uint64_t argument = 0;
        std::span<const std::byte> raw;
        if (!anyHead(type, information, argument)) return false;
        if ((type == CborType::bytes || type == CborType::text) && !block(argument, raw)) return false;
        std::uint64_t items = 0;
        if (type == CborType::array) items = argument;
        if (type == CborType::map) items = argument > remaining() ? remaining() + 1 : argument * 2;
        if (type == CborType::tag) items = 1;
        if (items > remaining()) return fail();  // an item has at least one byte
        if (items == 0) continue;
        if (++level == deepest) return fail();
        left[level] = items;
    }
}

}  // namespace lanewright
