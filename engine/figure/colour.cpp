// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/figure/colour.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

namespace lanewright {
namespace {

using Triple = std::array<double, 3>;

double linear(std::uint8_t value) {
    const double c = value / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

std::uint8_t encoded(double value) {
    const double c = std::clamp(value, 0.0, 1.0);
    const double s = c <= 0.0031308 ? c * 12.92 : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(s * 255));
}

Triple linear(Colour colour) { return {linear(colour.red), linear(colour.green), linear(colour.blue)}; }

double luminance(Colour colour) {
    const Triple c = linear(colour);
    return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

Triple times(const std::array<Triple, 3>& matrix, const Triple& v) {
    Triple result{};
    for (std::size_t row = 0; row < 3; ++row)
        result[row] = matrix[row][0] * v[0] + matrix[row][1] * v[1] + matrix[row][2] * v[2];
    return result;
}

/// CIELAB of an sRGB colour, white point D65.
Triple labOf(Colour colour) {
    constexpr std::array<Triple, 3> toXyz = {Triple{0.4124564, 0.3575761, 0.1804375},
                                             Triple{0.2126729, 0.7151522, 0.0721750},
                                             Triple{0.0193339, 0.1191920, 0.9503041}};
    constexpr Triple white = {0.95047, 1.0, 1.08883};
    Triple f = times(toXyz, linear(colour));
    for (std::size_t i = 0; i < 3; ++i) {
        const double t = f[i] / white[i];
        f[i] = t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    }
    return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

constexpr double pi = std::numbers::pi;

double degrees(double a, double b) {
    if (a == 0 && b == 0) return 0;
    const double angle = std::atan2(b, a) * 180 / pi;
    return angle < 0 ? angle + 360 : angle;
}

double cosine(double angle) { return std::cos(angle * pi / 180); }

/// The mean of two hues on the circle.
double meanHue(double h1, double h2, double chromaProduct) {
    if (chromaProduct == 0) return h1 + h2;
    if (std::abs(h1 - h2) <= 180) return (h1 + h2) / 2;
    return h1 + h2 < 360 ? (h1 + h2 + 360) / 2 : (h1 + h2 - 360) / 2;
}

/// Sharma, Wu, Dalal 2005, with the weights kL = kC = kH = 1.
double ciede2000(const Triple& lab1, const Triple& lab2) {
    const double meanC = (std::hypot(lab1[1], lab1[2]) + std::hypot(lab2[1], lab2[2])) / 2;
    const double power = std::pow(meanC, 7);
    const double g = 0.5 * (1 - std::sqrt(power / (power + std::pow(25.0, 7))));
    const double a1 = (1 + g) * lab1[1];
    const double a2 = (1 + g) * lab2[1];
    const double c1 = std::hypot(a1, lab1[2]);
    const double c2 = std::hypot(a2, lab2[2]);
    const double h1 = degrees(a1, lab1[2]);
    const double h2 = degrees(a2, lab2[2]);
    double dh = c1 * c2 == 0 ? 0 : h2 - h1;
    if (dh > 180) dh -= 360;
    if (dh < -180) dh += 360;
    const double deltaH = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2 * pi / 180);
    const double l = (lab1[0] + lab2[0]) / 2;
    const double c = (c1 + c2) / 2;
    const double h = meanHue(h1, h2, c1 * c2);
    const double t =
        1 - 0.17 * cosine(h - 30) + 0.24 * cosine(2 * h) + 0.32 * cosine(3 * h + 6) - 0.20 * cosine(4 * h - 63);
    const double sl = 1 + 0.015 * (l - 50) * (l - 50) / std::sqrt(20 + (l - 50) * (l - 50));
    const double sc = 1 + 0.045 * c;
    const double sh = 1 + 0.015 * c * t;
    const double cPower = std::pow(c, 7);
    const double rotation = -2 * std::sqrt(cPower / (cPower + std::pow(25.0, 7))) *
                            std::sin(60 * std::exp(-std::pow((h - 275) / 25, 2)) * pi / 180);
    const double dl = (lab2[0] - lab1[0]) / sl;
    const double dc = (c2 - c1) / sc;
    const double dH = deltaH / sh;
    return std::sqrt(dl * dl + dc * dc + dH * dH + rotation * dc * dH);
}

}  // namespace

std::optional<Colour> colourFrom(std::string_view text) {
    if (text.size() != 7 || text[0] != '#') return std::nullopt;
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), value, 16);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return Colour{static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8 & 0xff),
                  static_cast<std::uint8_t>(value & 0xff)};
}

std::string colourText(Colour colour) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "#";
    for (const std::uint8_t c : {colour.red, colour.green, colour.blue}) {
        text += digits[c >> 4];
        text += digits[c & 15];
    }
    return text;
}

double contrast(Colour a, Colour b) {
    const double la = luminance(a) + 0.05;
    const double lb = luminance(b) + 0.05;
    return std::max(la, lb) / std::min(la, lb);
}

Colour seenAs(Colour colour, Vision vision) {
    constexpr std::array<std::array<Triple, 3>, 3> machado = {{
        {Triple{0.152286, 1.052583, -0.204868}, Triple{0.114503, 0.786281, 0.099216},
         Triple{-0.003882, -0.048116, 1.051998}},
        {Triple{0.367322, 0.860646, -0.227968}, Triple{0.280085, 0.672501, 0.047413},
         Triple{-0.011820, 0.042940, 0.968881}},
        {Triple{1.255528, -0.076749, -0.178779}, Triple{-0.078411, 0.930809, 0.147602},
         Triple{0.004733, 0.691367, 0.303900}},
    }};
    if (vision == Vision::normal) return colour;
    if (vision == Vision::grey) {
        const std::uint8_t grey = encoded(luminance(colour));
        return {grey, grey, grey};
    }
    const Triple seen = times(machado[static_cast<std::size_t>(vision) - 1], linear(colour));
    return {encoded(seen[0]), encoded(seen[1]), encoded(seen[2])};
}

double distance(Colour a, Colour b) { return ciede2000(labOf(a), labOf(b)); }

Colour mixed(Colour a, Colour b, double share) {
    const auto mix = [share](std::uint8_t from, std::uint8_t to) {
        return static_cast<std::uint8_t>(std::lround(from + (to - from) * std::clamp(share, 0.0, 1.0)));
    };
    return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

}  // namespace lanewright
