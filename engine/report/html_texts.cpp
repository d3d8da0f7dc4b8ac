// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/html_texts.h"

#include <algorithm>

namespace lanewright::html {

const Texts& textsFor(std::string_view) {
    static const Texts english;
    return english;
}

std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string>>& values) {
    std::string result;
    while (!text.empty()) {
        const std::size_t open = text.find('{');
        const std::size_t close = text.find('}', open);
        if (open == std::string_view::npos || close == std::string_view::npos) break;
        result += text.substr(0, open);
        const std::string_view name = text.substr(open + 1, close - open - 1);
        const auto value =
            std::find_if(values.begin(), values.end(), [name](const auto& v) { return v.first == name; });
        result += value == values.end() ? std::string(text.substr(open, close - open + 1)) : value->second;
        text.remove_prefix(close + 1);
    }
    return result += text;
}

}  // namespace lanewright::html
