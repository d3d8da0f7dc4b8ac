// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/html_sink.h"

#include "engine/text/text.h"

namespace lanewright::html {

std::string escapedHtml(std::string_view text) {
    std::string result;
    for (const char c : escaped(text)) {
        switch (c) {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        case '\'': result += "&#39;"; break;
        default: result += c;
        }
    }
    return result;
}

HtmlSink& HtmlSink::number(double value) {
    std::string text = fixedText(value, 3);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    m_out.text(text == "-0" ? "0" : text);
    return *this;
}

}  // namespace lanewright::html
