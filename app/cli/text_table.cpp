// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/text_table.h"

#include "engine/text/utf8.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lanewright::cli {
namespace {

/// East Asian wide and fullwidth blocks and emoji (Unicode TR11), coarsely.
bool isWide(char32_t code) {
    struct Range {
        char32_t first, last;
    };
    static constexpr std::array<Range, 9> wide = {{{0x1100, 0x115f},
                                                   {0x2e80, 0x303e},
                                                   {0x3041, 0xa4cf},
                                                   {0xac00, 0xd7a3},
                                                   {0xf900, 0xfaff},
                                                   {0xfe30, 0xfe6f},
                                                   {0xff00, 0xff60},
                                                   {0x1f300, 0x1faff},
                                                   {0x20000, 0x3fffd}}};
    return std::any_of(wide.begin(), wide.end(), [code](Range r) { return code >= r.first && code <= r.last; });
}

}  // namespace

std::size_t displayWidth(const std::string& text) {
    std::size_t width = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const Utf8Character character = firstCharacter(rest);
        width += isWide(character.code) ? 2 : 1;
        rest.remove_prefix(character.bytes);
    }
    return width;
}

std::string TextTable::text(std::size_t indent) const {
    std::vector<std::size_t> widths(m_columns.size(), 0);
    for (const auto& row : m_rows) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], displayWidth(row[i]));
    }
    std::string text;
    for (const auto& row : m_rows) {
        std::string line(indent, ' ');
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - displayWidth(row[i]), ' ');
            if (i > 0) line += "  ";
            line += m_columns[i] == Align::right ? padding + row[i] : row[i] + padding;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

}  // namespace lanewright::cli
