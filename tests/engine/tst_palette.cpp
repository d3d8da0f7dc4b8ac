// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of reports: text can be read, and what differs looks different, also to people who see fewer colours.
#include "engine/figure/palette.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace lanewright {
namespace {

constexpr std::array visions = {Vision::normal, Vision::protanopia, Vision::deuteranopia, Vision::tritanopia,
                                Vision::grey};
constexpr double readable = 4.5;

Colour colour(const char* text) { return colourFrom(text).value(); }

TEST(Colour, ReadsAndWritesHex) {
    EXPECT_EQ(colourFrom("#1f5fae"), (Colour{0x1f, 0x5f, 0xae}));
    EXPECT_EQ(colourText({0x1f, 0x5f, 0xae}), "#1f5fae");
    for (const char* bad : {"", "1f5fae", "#1f5fa", "#1f5fag", "#1f5fae0", "#+1f5fa"})
        EXPECT_FALSE(colourFrom(bad)) << bad;
}

TEST(Colour, ContrastIsThatOfWcag) {
    EXPECT_NEAR(contrast(colour("#000000"), colour("#ffffff")), 21, 1e-9);
    EXPECT_NEAR(contrast(colour("#777777"), colour("#ffffff")), 4.48, 0.005);
    EXPECT_DOUBLE_EQ(contrast(colour("#123456"), colour("#123456")), 1);
}

/// CIEDE2000 of sRGB colours, from the reference implementation of Sharma, Wu and Dalal.
TEST(Colour, DistanceIsCiede2000) {
    EXPECT_NEAR(distance(colour("#ff0000"), colour("#00ff00")), 86.61, 0.05);
    EXPECT_NEAR(distance(colour("#0000ff"), colour("#000000")), 39.67, 0.1);
    EXPECT_NEAR(distance(colour("#ffffff"), colour("#000000")), 100, 0.05);
    EXPECT_DOUBLE_EQ(distance(colour("#abcdef"), colour("#abcdef")), 0);
}

TEST(Colour, FewerColoursAreSeen) {
    // Red and a dark olive are hard to tell for a protanope; blue and green for a tritanope.
    const double red =
        distance(seenAs(colour("#d0021b"), Vision::protanopia), seenAs(colour("#4a3c10"), Vision::protanopia));
    EXPECT_LT(red, distance(colour("#d0021b"), colour("#4a3c10")) / 3);
    EXPECT_EQ(seenAs(colour("#777777"), Vision::grey), colour("#777777"));
    for (const Vision vision : visions) EXPECT_LT(distance(seenAs(colour("#ffffff"), vision), colour("#ffffff")), 1);
}

class PaletteOf : public testing::TestWithParam<Theme> {};
INSTANTIATE_TEST_SUITE_P(Themes, PaletteOf, testing::Values(Theme::light, Theme::dark));

TEST_P(PaletteOf, TextIsReadable) {
    const Palette& p = palette(GetParam());
    for (const Colour ground : {p.page, p.panel, p.raised}) {
        for (const Colour text : {p.ink, p.soft, p.accent, p.good, p.warning, p.bad})
            EXPECT_GE(contrast(text, ground), readable) << colourText(text) << " on " << colourText(ground);
    }
    for (const MarkColours* mark :
         {&p.stages[0], &p.stages[1], &p.stages[2], &p.stages[3], &p.copy, &p.file, &p.setup, &p.busy})
        EXPECT_GE(contrast(mark->text, mark->fill), readable) << colourText(mark->fill);
    for (const MarkColours& stage : p.stages) EXPECT_GE(contrast(p.ink, stage.tint), readable);
    for (const ReasonStyle& reason : p.reasons)
        EXPECT_GE(contrast(p.ink, reason.fill), readable) << colourText(reason.fill);
}

TEST_P(PaletteOf, StagesDifferForEveryone) {
    const Palette& p = palette(GetParam());
    for (const Vision vision : visions) {
        const double least = vision == Vision::grey ? 5 : 10;
        for (std::size_t a = 0; a < p.stages.size(); ++a) {
            for (std::size_t b = a + 1; b < p.stages.size(); ++b) {
                EXPECT_GE(distance(seenAs(p.stages[a].fill, vision), seenAs(p.stages[b].fill, vision)), least)
                    << a << " and " << b << ", vision " << static_cast<int>(vision);
            }
        }
    }
}

TEST_P(PaletteOf, IdleReasonsDifferByPatternOrForEveryone) {
    const Palette& p = palette(GetParam());
    std::vector<ReasonStyle> styles(p.reasons.begin(), p.reasons.end());
    styles.push_back({p.busy.fill, FillPattern::none});
    for (const Vision vision : visions) {
        const double least = vision == Vision::grey ? 3 : 7;
        for (std::size_t a = 0; a < styles.size(); ++a) {
            for (std::size_t b = a + 1; b < styles.size(); ++b) {
                if (styles[a].pattern != styles[b].pattern) continue;
                EXPECT_GE(distance(seenAs(styles[a].fill, vision), seenAs(styles[b].fill, vision)), least)
                    << a << " and " << b << ", vision " << static_cast<int>(vision);
            }
        }
    }
}

TEST_P(PaletteOf, MarksStandOutFromTheirGround) {
    const Palette& p = palette(GetParam());
    for (const MarkColours& stage : p.stages) EXPECT_GE(distance(stage.fill, p.panel), 25);
    EXPECT_GE(contrast(p.ghost, p.panel), 3);
}

TEST(ThemeFile, LacksNothing) {
    std::ifstream stream(std::string(LANEWRIGHT_SOURCE_DIR) + "/resources/themes/report.json");
    const auto themes = nlohmann::json::parse(stream);
    for (const char* theme : {"light", "dark"}) {
        EXPECT_EQ(themes[theme]["reasons"].size(), idleReasonCount);
        for (std::size_t i = 0; i < idleReasonCount; ++i)
            EXPECT_TRUE(themes[theme]["reasons"].contains(idleReasonName(static_cast<IdleReason>(i))));
        for (const auto& [name, reason] : themes[theme]["reasons"].items()) {
            EXPECT_TRUE(colourFrom(reason["fill"].get<std::string>())) << name;
            bool known = false;
            for (std::size_t i = 0; i < fillPatternCount; ++i)
                known = known || fillPatternName(static_cast<FillPattern>(i)) == reason["pattern"];
            EXPECT_TRUE(known) << name;
        }
        for (const auto& [name, value] : themes[theme].items()) {
            if (!value.is_string()) continue;
            EXPECT_TRUE(colourFrom(value.get<std::string>())) << name;
        }
        EXPECT_EQ(themes[theme].size(), 18U);
    }
}

}  // namespace
}  // namespace lanewright
