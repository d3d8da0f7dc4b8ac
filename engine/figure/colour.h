// SPDX-License-Identifier: GPL-3.0-or-later
// Colours as numbers: contrast of text, how different two colours look, and how they look to people who see fewer of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanewright {

/// sRGB, 8 bits a component.
struct Colour {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
    friend constexpr bool operator==(const Colour&, const Colour&) = default;
};

/// "#rrggbb"; none for anything else.
std::optional<Colour> colourFrom(std::string_view text);
std::string colourText(Colour colour);

/// Contrast ratio of WCAG 2.1, 1..21. Text needs 4.5.
double contrast(Colour a, Colour b);

enum class Vision : std::uint8_t { normal, protanopia, deuteranopia, tritanopia, grey };

/// As a person of that vision sees it: Machado, Oliveira, Fernandes 2009, severity 1, in linear light; grey: luminance only.
Colour seenAs(Colour colour, Vision vision);

/// CIEDE2000 difference under D65. 1 is just noticeable side by side; figures far apart need about 10.
double distance(Colour a, Colour b);

/// `share` of `b` in `a`, mixed as sRGB values.
Colour mixed(Colour a, Colour b, double share);

}  // namespace lanewright
