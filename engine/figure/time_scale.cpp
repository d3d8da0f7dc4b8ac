// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/figure/time_scale.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace lanewright {
namespace {

constexpr std::array<std::int64_t, 4> unitNs = {1, 1'000, 1'000'000, 1'000'000'000};
constexpr std::size_t maxTicks = 10'000;  // whoever asks for one tick a pixel still gets an answer

/// The smallest 1, 2 or 5 times a power of ten that is not below `ns`.
std::int64_t roundStep(double ns) {
    constexpr std::int64_t largest = 5'000'000'000'000'000'000;
    std::int64_t power = 1;
    while (true) {
        for (const std::int64_t factor : {1, 2, 5}) {
            if (static_cast<double>(factor * power) >= ns || factor * power == largest) return factor * power;
        }
        power *= 10;
    }
}

/// Decimals needed so that multiples of `step` differ when written in `unit`.
int decimalsOf(std::int64_t step, TimeUnit unit) {
    int decimals = 0;
    for (std::int64_t rest = unitNs[static_cast<std::size_t>(unit)]; rest > 1 && step % rest != 0; rest /= 10)
        ++decimals;
    return decimals;
}

/// The largest unit in which the axis reaches 1 and no label needs more than three decimals.
TimeUnit unitOf(std::int64_t step, std::int64_t largest) {
    for (const TimeUnit unit : {TimeUnit::seconds, TimeUnit::milliseconds, TimeUnit::microseconds}) {
        if (largest >= unitNs[static_cast<std::size_t>(unit)] && decimalsOf(step, unit) <= 3) return unit;
    }
    return TimeUnit::nanoseconds;
}

std::string labelOf(std::int64_t ns, TimeUnit unit, int decimals) {
    std::array<char, 64> text{};
    const double value = static_cast<double>(ns) / static_cast<double>(unitNs[static_cast<std::size_t>(unit)]);
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals).ptr;
    return std::string(text.data(), end) + " " + std::string(timeUnitName(unit));
}

}  // namespace

double pixelAt(Instant when, TimeRange range, double width) {
    if (range.empty() || width <= 0) return 0;
    return static_cast<double>((when - range.begin).count()) / static_cast<double>(range.duration().count()) * width;
}

Instant timeAt(double pixel, TimeRange range, double width) {
    if (range.empty() || width <= 0) return range.begin;
    const double ns = pixel / width * static_cast<double>(range.duration().count());
    constexpr double limit = 4e18;
    return range.begin + Duration(std::llround(std::clamp(ns, -limit, limit)));
}

Duration durationOf(double pixels, TimeRange range, double width) {
    if (range.empty() || width <= 0) return Duration(1);
    const double ns = pixels / width * static_cast<double>(range.duration().count());
    return Duration(std::max<std::int64_t>(1, std::llround(std::min(ns, 4e18))));
}

TimeRange zoomed(TimeRange range, double factor, Instant fixed) {
    if (range.empty() || !(factor > 0)) return range;
    const double before = static_cast<double>((fixed - range.begin).count()) * factor;
    const double after = static_cast<double>((range.end - fixed).count()) * factor;
    constexpr double limit = 1e18;  // some thirty years; no sum of two such moments overflows
    const Instant begin = fixed - Duration(std::llround(std::clamp(before, -limit, limit)));
    const Instant end = fixed + Duration(std::llround(std::clamp(after, -limit, limit)));
    return {begin, std::max(end, begin + Duration(1))};
}

std::string_view timeUnitName(TimeUnit unit) {
    constexpr std::array<std::string_view, 4> names = {"ns", "\u00b5s", "ms", "s"};
    return names[static_cast<std::size_t>(unit)];
}

Ticks ticksOf(TimeRange range, double width, double spacing, Instant origin) {
    Ticks result;
    if (range.empty() || width <= 0) return result;
    const double perPixel = static_cast<double>(range.duration().count()) / width;
    const double smallest = static_cast<double>(range.duration().count()) / static_cast<double>(maxTicks);
    const std::int64_t step = roundStep(std::max({1.0, smallest, perPixel * spacing}));
    const std::int64_t begin = (range.begin - origin).count();
    const std::int64_t end = (range.end - origin).count();
    result.step = Duration(step);
    result.unit = unitOf(step, std::max(std::abs(begin), std::abs(end)));
    result.decimals = decimalsOf(step, result.unit);
    std::int64_t tick = begin / step * step;
    if (tick < begin) tick += step;
    for (; tick <= end; tick += step) {
        const Instant when = origin + Duration(tick);
        result.ticks.push_back({when, pixelAt(when, range, width), labelOf(tick, result.unit, result.decimals)});
        if (tick > std::numeric_limits<std::int64_t>::max() - step) break;
    }
    return result;
}

}  // namespace lanewright
