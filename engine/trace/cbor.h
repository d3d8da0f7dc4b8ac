// SPDX-License-Identifier: GPL-3.0-or-later
// The part of CBOR (RFC 8949) that run files use: whole numbers, doubles, texts, byte strings, arrays, maps, true, false,
// null; definite lengths only. Reading never trusts a length: what is not there is not allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lanewright {

enum class CborType : std::uint8_t { unsignedInteger, negativeInteger, bytes, text, array, map, tag, simple };

/// Appends to a string.
class CborWriter {
public:
    void head(CborType type, std::uint64_t argument);
    void integer(std::int64_t value);
    void unsignedInteger(std::uint64_t value) { head(CborType::unsignedInteger, value); }
    void real(double value);
    void boolean(bool value);
    void null();
    void text(std::string_view value);
    void bytes(std::span<const std::byte> value);

    const std::string& output() const { return m_output; }

private:
    void bigEndian(std::uint64_t value, int byteCount);

    std::string m_output;
};

/// Walks over CBOR. After the first fault everything fails and failed() is true.
class CborCursor {
public:
    explicit CborCursor(std::span<const std::byte> input) : m_input(input) {}

    bool failed() const { return m_failed; }
    bool atEnd() const { return m_position == m_input.size(); }
    std::size_t position() const { return m_position; }
    std::size_t remaining() const { return m_input.size() - m_position; }
    /// A cursor over the same input at a position that position() gave.
    CborCursor at(std::size_t position) const;

    /// The argument of the next item, which must be of `type`: a number, a length.
    bool head(CborType type, std::uint64_t& argument);
    bool integer(std::int64_t& value);
    bool real(double& value);
    bool boolean(bool& value);
    bool isNull() const;  ///< the next item is null
    bool text(std::string_view& value);
    bool bytes(std::span<const std::byte>& value);
    /// Passes over the next item, whatever it is; at most 32 levels deep.
    bool skip();

private:
    bool fail() {
        m_failed = true;
        return false;
    }
    bool anyHead(CborType& type, std::uint8_t& information, std::uint64_t& argument);
    bool block(std::uint64_t length, std::span<const std::byte>& value);

    std::span<const std::byte> m_input;
    std::size_t m_position = 0;
    bool m_failed = false;
};

}  // namespace lanewright
