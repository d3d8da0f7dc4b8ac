// SPDX-License-Identifier: GPL-3.0-or-later
// Turns values into CBOR and back by the lists in run_fields.h. Reading a hostile file costs time and memory in proportion
// to its size, and ends with the pointer of what is wrong.
#pragma once

#include "engine/trace/cbor.h"
#include "engine/trace/run_fields.h"

#include <array>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lanewright::runfile {

/// Types that have a list in run_fields.h.
struct FieldCounter {
    std::uint64_t count = 0;
    template <class T>
    void operator()(std::string_view, T&) {
        ++count;
    }
};
template <class T>
concept Fielded = requires(FieldCounter& counter, T& value) {
    fields(counter, value);
};

/// Moments farther than three years from the start of a run are damage; sums of those that remain do not overflow.
inline constexpr std::int64_t mostNs = 100'000'000'000'000'000;

class FieldWriter {
public:
    explicit FieldWriter(CborWriter& out) : m_out(out) {}

    template <Fielded T>
    void write(T& value) {
        FieldCounter counter;
        fields(counter, value);
        m_out.head(isTuple<T> ? CborType::array : CborType::map, counter.count);
        FieldWriter inner(m_out);
        inner.m_named = !isTuple<T>;
        fields(inner, value);
    }
    template <class T>
    void operator()(std::string_view key, T& value) {
        if (m_named) m_out.text(key);
        write(value);
    }

    void write(bool& value) { m_out.boolean(value); }
    void write(double& value) { m_out.real(value); }
    void write(std::string& value) { m_out.text(value); }
    void write(Duration& value) { m_out.integer(value.count()); }
    void write(Instant& value) { m_out.integer(toNs(value)); }
    void write(ByteCount& value) { m_out.unsignedInteger(value.value); }
    template <std::signed_integral T>
    void write(T& value) {
        m_out.integer(value);
    }
    template <std::unsigned_integral T>
    void write(T& value) {
        m_out.unsignedInteger(value);
    }
    template <class E>
    requires std::is_enum_v<E>
    void write(E& value) {
        static_assert(enumCount<E> > 0);
        m_out.unsignedInteger(static_cast<std::uint64_t>(value));
    }
    template <class Tag>
    void write(Id<Tag>& value) {
        if (value.valid())
            m_out.unsignedInteger(value.value);
        else
            m_out.null();
    }
    template <class T>
    void write(std::optional<T>& value) {
        if (value)
            write(*value);
        else
            m_out.null();
    }
    template <class T>
    void write(std::vector<T>& values) {
        m_out.head(CborType::array, values.size());
        for (T& value : values) write(value);
    }
    template <class T, std::size_t N>
    void write(std::array<T, N>& values) {
        m_out.head(CborType::array, N);
        for (T& value : values) write(value);
    }

private:
    CborWriter& m_out;
    bool m_named = false;
};

/// Where reading stopped and what should have been there.
struct ReadState {
    std::size_t budget = 0;  ///< bytes of memory that may still be taken for elements of lists
    std::string pointer;
    std::string expected;
};

class FieldReader {
public:
    FieldReader(CborCursor& in, ReadState& state) : m_in(in), m_state(state) {}

    template <Fielded T>
    bool read(T& value) {
        if constexpr (isTuple<T>)
            return readTuple(value);
        else
            return readMap(value);
    }
    /// A field of the map or tuple that is being read.
    template <class T>
    void operator()(std::string_view key, T& value) {
        if (!m_good) return;
        m_good = m_places ? readNamed(key, value) : readNext(value);
        if (!m_good) m_state.pointer.insert(0, "/" + std::string(key));
    }

    bool read(bool& value) { return m_in.boolean(value) || expect("true or false"); }
    bool read(double& value) { return m_in.real(value) || expect("a real number"); }
    bool read(std::string& value) {
        std::string_view text;
        if (!m_in.text(text)) return expect("a text");
        value = text;
        return true;
    }
    bool read(Duration& value) {
        std::int64_t ns = 0;
        if (!m_in.integer(ns) || ns > mostNs || ns < -mostNs) return expect("a time in nanoseconds");
        value = Duration(ns);
        return true;
    }
    bool read(Instant& value) {
        Duration sinceStart{0};
        if (!read(sinceStart)) return false;
        value = Instant(sinceStart);
        return true;
    }
    bool read(ByteCount& value) { return read(value.value); }
    template <std::signed_integral T>
    bool read(T& value) {
        std::int64_t number = 0;
        if (!m_in.integer(number) || !std::in_range<T>(number)) return expect("a whole number");
        value = static_cast<T>(number);
        return true;
    }
    template <std::unsigned_integral T>
    bool read(T& value) {
        std::uint64_t number = 0;
        if (!m_in.head(CborType::unsignedInteger, number) || !std::in_range<T>(number))
            return expect("a whole number of at least 0");
        value = static_cast<T>(number);
        return true;
    }
    template <class E>
    requires std::is_enum_v<E>
    bool read(E& value) {
        std::uint64_t number = 0;
        if (!m_in.head(CborType::unsignedInteger, number) || number >= enumCount<E>) return expect("a known kind");
        value = static_cast<E>(number);
        return true;
    }
    template <class Tag>
    bool read(Id<Tag>& value) {
        if (m_in.isNull()) {
            value = {};
            return m_in.skip();
        }
        return read(value.value);
    }
    template <class T>
    bool read(std::optional<T>& value) {
        if (m_in.isNull()) {
            value.reset();
            return m_in.skip();
        }
        return read(value.emplace());
    }
    template <class T>
    bool read(std::vector<T>& values) {
        std::uint64_t count = 0;
        if (!m_in.head(CborType::array, count) || count > m_in.remaining()) return expect("a list");
        for (std::uint64_t i = 0; i < count; ++i) {
            if (m_state.budget < sizeof(T)) return expect("fewer elements");
            m_state.budget -= sizeof(T);
            if (!read(values.emplace_back())) return inElement(i);
        }
        return true;
    }
    template <class T, std::size_t N>
    bool read(std::array<T, N>& values) {
        std::uint64_t count = 0;
        if (!m_in.head(CborType::array, count) || count != N) return expect("a list of " + std::to_string(N));
        for (std::size_t i = 0; i < N; ++i) {
            if (!read(values[i])) return inElement(i);
        }
        return true;
    }

private:
    using Places = std::vector<std::pair<std::string_view, std::size_t>>;

    bool expect(std::string what) {
        m_state.expected = std::move(what);
        return false;
    }
    bool inElement(std::uint64_t index) {
        m_state.pointer.insert(0, "/" + std::to_string(index));
        return false;
    }

    template <class T>
    bool readMap(T& value) {
        constexpr std::uint64_t mostKeys = 64;
        std::uint64_t count = 0;
        if (!m_in.head(CborType::map, count) || count > mostKeys) return expect("an object");
        Places places;
        for (std::uint64_t i = 0; i < count; ++i) {
            std::string_view key;
            if (!m_in.text(key)) return expect("an object");
            places.emplace_back(key, m_in.position());
            if (!m_in.skip()) return expect("an object");
        }
        FieldReader inner(m_in, m_state);
        inner.m_places = &places;
        fields(inner, value);
        return inner.m_good;
    }

    /// Elements beyond the known ones are those of a later version.
    template <class T>
    bool readTuple(T& value) {
        std::uint64_t count = 0;
        if (!m_in.head(CborType::array, count) || count > m_in.remaining()) return expect("a list");
        FieldReader inner(m_in, m_state);
        inner.m_left = count;
        fields(inner, value);
        for (; inner.m_good && inner.m_left > 0; --inner.m_left) {
            if (!m_in.skip()) return expect("a list");
        }
        return inner.m_good;
    }

    template <class T>
    bool readNamed(std::string_view key, T& value) {
        for (const auto& [name, position] : *m_places) {
            if (name != key) continue;
            CborCursor at = m_in.at(position);
            return FieldReader(at, m_state).read(value);
        }
        return expect("a value");
    }

    template <class T>
    bool readNext(T& value) {
        if (m_left == 0) return expect("a value");
        --m_left;
        return read(value);
    }

    CborCursor& m_in;
    ReadState& m_state;
    const Places* m_places = nullptr;  ///< of the map that is being read; none: a tuple
    std::uint64_t m_left = 0;          ///< elements of the tuple still to come
    bool m_good = true;
};

}  // namespace lanewright::runfile
