// SPDX-License-Identifier: GPL-3.0-or-later
// Writes HTML. What comes from names, files and drivers goes through text(), which escapes it; markup() is for literals.
#pragma once

#include "engine/report/text_sink.h"

#include <string>
#include <string_view>

namespace lanewright::html {

/// `text` for elements and quoted attributes: control characters, marks that reorder text and bytes that are not UTF-8 made
/// visible, then the five characters of markup replaced.
std::string escapedHtml(std::string_view text);

class HtmlSink {
public:
    explicit HtmlSink(const PieceWriter& write) : m_out(write) {}

    HtmlSink& markup(std::string_view literal) {
        m_out.text(literal);
        return *this;
    }
    HtmlSink& text(std::string_view text) {
        m_out.text(escapedHtml(text));
        return *this;
    }
    /// A length or percentage: at most three decimals, none of them a trailing zero.
    HtmlSink& number(double value);

private:
    TextSink m_out;
};

}  // namespace lanewright::html
