// SPDX-License-Identifier: GPL-3.0-or-later
// Units that live in the type: times of a run, sizes in bytes.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace lanewright {

using Duration = std::chrono::nanoseconds;

/// The clock of one run: starts at 0 when the run starts and never goes back. Only the executor and the simulator read it.
struct RunClock {
    using duration = Duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<RunClock>;
    static constexpr bool is_steady = true;
};

/// A moment of a run, in nanoseconds since its start.
using Instant = RunClock::time_point;

constexpr Instant instantFromNs(std::int64_t ns) { return Instant(Duration(ns)); }
constexpr std::int64_t toNs(Instant t) { return t.time_since_epoch().count(); }
constexpr double toMs(Duration d) { return static_cast<double>(d.count()) * 1e-6; }
constexpr double toSeconds(Duration d) { return static_cast<double>(d.count()) * 1e-9; }
constexpr Duration durationFromSeconds(double s) { return Duration(static_cast<std::int64_t>(s * 1e9 + 0.5)); }

/// A size in bytes.
struct ByteCount {
    std::uint64_t value = 0;

    constexpr ByteCount() = default;
    constexpr explicit ByteCount(std::uint64_t bytes) : value(bytes) {}
    constexpr double mebibytes() const { return static_cast<double>(value) / (1024.0 * 1024.0); }
    constexpr ByteCount& operator+=(ByteCount other) {
        value += other.value;
        return *this;
    }
    constexpr ByteCount& operator-=(ByteCount other) {
        value -= other.value;
        return *this;
    }
    friend constexpr ByteCount operator+(ByteCount a, ByteCount b) { return ByteCount(a.value + b.value); }
    friend constexpr ByteCount operator-(ByteCount a, ByteCount b) { return ByteCount(a.value - b.value); }
    friend constexpr auto operator<=>(ByteCount, ByteCount) = default;
};

/// Rows [begin, end) of an image, counted in plane 0.
struct RowRange {
    std::int32_t begin = 0;
    std::int32_t end = 0;

    constexpr std::int32_t count() const { return end - begin; }
    constexpr bool empty() const { return end <= begin; }
    friend constexpr bool operator==(RowRange, RowRange) = default;
};

}  // namespace lanewright
