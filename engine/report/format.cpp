// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/format.h"

#include "engine/report/text_sink.h"

#include <array>
#include <cctype>
#include <cmath>

namespace lanewright {
namespace {

/// Three digits that count, but no fewer than those before the point: 2.15, 88.6, 927, 1830.
std::string threeDigits(double value) {
    const double size = std::abs(value);
    return fixedText(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

struct Unit {
    double size;
    std::string_view name;
};

/// In the largest unit in which it is at least 1, the smallest otherwise. A value that rounds up to the next unit takes it.
template <std::size_t N>
std::string scaled(double value, const std::array<Unit, N>& units) {
    for (const Unit& unit : units) {
        const double inUnit = value / unit.size;
        if (std::abs(inUnit) >= 0.9995 || &unit == &units.back())
            return threeDigits(inUnit) + " " + std::string(unit.name);
    }
    return {};
}

bool isIsoTime(std::string_view text) {
    constexpr std::string_view shape = "0000-00-00T00:00";
    if (text.size() < shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
        if (shape[i] == '0' ? !digit : text[i] != shape[i]) return false;
    }
    return true;
}

}  // namespace

std::string durationText(Duration duration) {
    const auto ns = static_cast<double>(duration.count());
    if (std::abs(duration.count()) < 1000) return std::to_string(duration.count()) + " ns";
    return scaled(ns, std::array{Unit{1e9, "s"}, Unit{1e6, "ms"}, Unit{1e3, "\u00b5s"}});
}

std::string bytesText(ByteCount bytes) {
    if (bytes.value < 1024) return std::to_string(bytes.value) + " bytes";
    constexpr double kibi = 1024;
    return scaled(static_cast<double>(bytes.value),
                  std::array{Unit{kibi * kibi * kibi * kibi, "TiB"}, Unit{kibi * kibi * kibi, "GiB"},
                             Unit{kibi * kibi, "MiB"}, Unit{kibi, "KiB"}});
}

std::string rateText(double bytesPerSecond) {
    if (!(bytesPerSecond > 0)) return "\u2013";
    return threeDigits(bytesPerSecond * 1e-9) + " GB/s";
}

std::string percentText(double share) {
    const double percent = share * 100;
    return fixedText(percent, std::abs(percent) >= 9.95 || percent == 0 ? 0 : 1) + " %";
}

std::string signedPercentText(double share) {
    const double percent = std::abs(share) * 100;
    const std::string text = fixedText(percent, percent >= 99.95 ? 0 : 1) + " %";
    return (share < 0 ? "\u2212" : "+") + text;
}

std::string numberText(double value) { return threeDigits(value); }

std::string countText(std::size_t value) {
    std::string text = std::to_string(value);
    if (text.size() <= 4) return text;
    for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, "\u202f");
    return text;
}

std::string startText(std::string_view isoTime) {
    if (!isIsoTime(isoTime)) return std::string(isoTime);
    constexpr std::array months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::size_t month =
        static_cast<std::size_t>(isoTime[5] - '0') * 10 + static_cast<std::size_t>(isoTime[6] - '0');
    if (month < 1 || month > 12) return std::string(isoTime);
    std::string day(isoTime.substr(8, 2));
    if (day[0] == '0') day.erase(0, 1);
    return day + " " + months[month - 1] + " " + std::string(isoTime.substr(0, 4)) + ", " +
           std::string(isoTime.substr(11, 5)) + (isoTime.ends_with('Z') ? " UTC" : "");
}

}  // namespace lanewright
