// SPDX-License-Identifier: GPL-3.0-or-later
// Time to pixels and back, and where an axis has its ticks. Free functions, so that every view and report agrees.
#pragma once

#include "kernels/api/units.h"

#include <string>
#include <vector>

namespace lanewright {

/// A stretch of a run, [begin, end).
struct TimeRange {
    Instant begin;
    Instant end;

    constexpr Duration duration() const { return end - begin; }
    constexpr bool empty() const { return end <= begin; }
    friend constexpr bool operator==(const TimeRange&, const TimeRange&) = default;
};

/// Pixels from the left edge of an axis that shows `range` over `width` pixels; moments outside give pixels outside.
/// An empty range or width puts everything at 0. Differences are taken in whole nanoseconds before they become doubles.
double pixelAt(Instant when, TimeRange range, double width);

/// The moment shown at `pixel`, to the nearest nanosecond. timeAt(pixelAt(t)) == t as long as a nanosecond is at least
/// 1e-10 of a pixel wide.
Instant timeAt(double pixel, TimeRange range, double width);

/// How much time `pixels` cover, at least 1 ns.
Duration durationOf(double pixels, TimeRange range, double width);

/// `range` shrunk (factor < 1) or grown about the moment `fixed`, which keeps its pixel. Never shorter than 1 ns.
TimeRange zoomed(TimeRange range, double factor, Instant fixed);

/// Units of an axis and how many decimals its labels need: "0.5 s", "20 ms".
enum class TimeUnit : std::uint8_t { nanoseconds, microseconds, milliseconds, seconds };
std::string_view timeUnitName(TimeUnit unit);  ///< "ns", "us" with the micro sign, "ms", "s"

struct Tick {
    Instant when;
    double x = 0;
    std::string label;  ///< C locale: "120 ms"
};

struct Ticks {
    Duration step{0};
    TimeUnit unit = TimeUnit::milliseconds;
    int decimals = 0;  ///< of the labels, in `unit`
    std::vector<Tick> ticks;
};

/// Ticks in steps of 1, 2 or 5 times a power of ten nanoseconds, at least `spacing` pixels apart, counted from `origin`
/// (the start of the run). An empty range has none.
Ticks ticksOf(TimeRange range, double width, double spacing, Instant origin = {});

}  // namespace lanewright
