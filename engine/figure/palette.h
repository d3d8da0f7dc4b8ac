// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of reports and figures, read from resources/themes/report.json. Colour is never alone: stages have letters,
// copies and idle reasons patterns.
#pragma once

#include "engine/analysis/idle.h"
#include "engine/figure/colour.h"
#include "kernels/api/stage_kind.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace lanewright {

enum class Theme : std::uint8_t { light, dark };

/// `text` is readable on `fill`; `tint` is a light ground on which the theme's ink is.
struct MarkColours {
    Colour fill;
    Colour text;
    Colour tint;
};

enum class FillPattern : std::uint8_t { none, hatch, dots, horizontal, vertical, cross };
inline constexpr std::size_t fillPatternCount = 6;
std::string_view fillPatternName(FillPattern pattern);

struct ReasonStyle {
    Colour fill;
    FillPattern pattern = FillPattern::none;
};

struct Palette {
    Colour page, panel, raised, line, grid;  ///< grounds, from the outside in; borders; lines of an axis
    Colour ink, soft;                        ///< text, and text that stands back
    Colour accent, good, warning, bad;       ///< as text on page and panel
    Colour ghost;                            ///< outlines of predicted spans
    std::array<MarkColours, 4> stages;       ///< by StageCategory
    MarkColours copy, file, setup;
    MarkColours busy;
    std::array<ReasonStyle, idleReasonCount> reasons;

    const MarkColours& stage(StageCategory category) const { return stages[static_cast<std::size_t>(category)]; }
    const ReasonStyle& reason(IdleReason reason) const { return reasons[static_cast<std::size_t>(reason)]; }
};

const Palette& palette(Theme theme);

}  // namespace lanewright
