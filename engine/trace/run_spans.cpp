// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/trace/run_spans.h"

#include <concepts>

namespace lanewright::runfile {
namespace {

class Packer {
public:
    explicit Packer(std::string& to) : m_to(to) {}
    template <std::unsigned_integral T>
    void operator()(T value) {
        for (std::size_t i = 0; i < sizeof(T); ++i) m_to += static_cast<char>(value >> (8 * i) & 0xff);
    }
    void operator()(Instant when) { (*this)(static_cast<std::uint64_t>(toNs(when))); }
    void operator()(ByteCount bytes) { (*this)(bytes.value); }
    template <class Tag>
    void operator()(Id<Tag> id) {
        (*this)(id.value);
    }

private:
    std::string& m_to;
};

class Unpacker {
public:
    explicit Unpacker(const std::byte* at) : m_at(at) {}
    template <std::unsigned_integral T>
    void operator()(T& value) {
        value = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i)
            value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(*m_at++) << (8 * i)));
    }
    void operator()(Instant& when) {
        std::uint64_t bits = 0;
        (*this)(bits);
        when = instantFromNs(static_cast<std::int64_t>(bits));
    }
    void operator()(ByteCount& bytes) { (*this)(bytes.value); }
    template <class Tag>
    void operator()(Id<Tag>& id) {
        (*this)(id.value);
    }

private:
    const std::byte* m_at;
};

/// The one list of a span's members, for both directions.
template <class A, class S>
void members(A& a, S& span) {
    a(span.ready);
    a(span.submitted);
    a(span.returned);
    a(span.begin);
    a(span.end);
    a(span.bytes);
    a(span.step);
    a(span.image);
    a(span.cause);
    a(span.stepTemplate);
    a(span.lane);
}

}  // namespace

std::string packed(const SpanChunk& spans) {
    std::string bytes;
    bytes.reserve(spans.size() * spanBytes);
    Packer packer(bytes);
    for (const Span& span : spans) members(packer, span);
    return bytes;
}

SpanChunk unpacked(std::span<const std::byte> bytes) {
    SpanChunk spans(bytes.size() / spanBytes);
    for (std::size_t i = 0; i < spans.size(); ++i) {
        Unpacker unpacker(bytes.data() + i * spanBytes);
        members(unpacker, spans[i]);
    }
    return spans;
}

}  // namespace lanewright::runfile
