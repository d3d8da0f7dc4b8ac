// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/figure/palette.h"

#include <nlohmann/json.hpp>

#include <string>

namespace lanewright {
namespace figure {
extern const std::string_view themes;  // resources/themes/report.json
}
namespace {

using Json = nlohmann::json;

/// What the theme file lacks stays black; a test sees to it that it lacks nothing.
Colour colourAt(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) return {};
    return colourFrom(found->get_ref<const std::string&>()).value_or(Colour{});
}

const Json& objectAt(const Json& object, std::string_view key) {
    static const Json none = Json::object();
    const auto found = object.find(key);
    return found != object.end() && found->is_object() ? *found : none;
}

MarkColours markAt(const Json& object, std::string_view key) {
    const Json& mark = objectAt(object, key);
    return {colourAt(mark, "fill"), colourAt(mark, "text"), colourAt(mark, "tint")};
}

FillPattern patternNamed(const std::string& name) {
    for (std::size_t i = 0; i < fillPatternCount; ++i) {
        if (fillPatternName(static_cast<FillPattern>(i)) == name) return static_cast<FillPattern>(i);
    }
    return FillPattern::none;
}

Palette readPalette(const Json& theme) {
    Palette p{};
    p.page = colourAt(theme, "page");
    p.panel = colourAt(theme, "panel");
    p.raised = colourAt(theme, "raised");
    p.line = colourAt(theme, "line");
    p.grid = colourAt(theme, "grid");
    p.ink = colourAt(theme, "ink");
    p.soft = colourAt(theme, "soft");
    p.accent = colourAt(theme, "accent");
    p.good = colourAt(theme, "good");
    p.warning = colourAt(theme, "warning");
    p.bad = colourAt(theme, "bad");
    p.ghost = colourAt(theme, "ghost");
    const Json& stages = objectAt(theme, "stages");
    constexpr std::array<std::string_view, 4> categories = {"decode", "size", "filter", "encode"};
    for (std::size_t i = 0; i < categories.size(); ++i) p.stages[i] = markAt(stages, categories[i]);
    p.copy = markAt(theme, "copy");
    p.file = markAt(theme, "file");
    p.setup = markAt(theme, "setup");
    p.busy = markAt(theme, "busy");
    const Json& reasons = objectAt(theme, "reasons");
    for (std::size_t i = 0; i < idleReasonCount; ++i) {
        const Json& reason = objectAt(reasons, idleReasonName(static_cast<IdleReason>(i)));
        p.reasons[i] = {colourAt(reason, "fill"), patternNamed(reason.value("pattern", std::string()))};
    }
    return p;
}

std::array<Palette, 2> readPalettes() {
    const Json themes = Json::parse(figure::themes, nullptr, false);
    return {readPalette(objectAt(themes, "light")), readPalette(objectAt(themes, "dark"))};
}

}  // namespace

std::string_view fillPatternName(FillPattern pattern) {
    constexpr std::array<std::string_view, fillPatternCount> names = {"none",       "hatch",    "dots",
                                                                      "horizontal", "vertical", "cross"};
    return names[static_cast<std::size_t>(pattern)];
}

const Palette& palette(Theme theme) {
    static const std::array<Palette, 2> palettes = readPalettes();
    return palettes[static_cast<std::size_t>(theme)];
}

}  // namespace lanewright
