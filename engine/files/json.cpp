// SPDX-License-Identifier: GPL-3.0-or-later
// Reading of values with their pointers, and writing for people.
#include "engine/files/json.h"

#include "engine/text/utf8.h"

#include <algorithm>
#include <cmath>

namespace lanewright {
namespace {

std::string childPointer(const std::string& parent, std::string_view key) {
    std::string pointer = parent + "/";
    for (const char c : key) {
        if (c == '~') {
            pointer += "~0";
        } else if (c == '/') {
            pointer += "~1";
        } else {
            pointer += c;
        }
    }
    return pointer;
}

std::string numberText(double value) { return Json(value).dump(); }

std::string dumped(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

int depthOf(const Json& value) {
    if (!value.is_structured() || value.empty()) return 0;
    int deepest = 0;
    for (const Json& element : value) deepest = std::max(deepest, depthOf(element));
    return deepest + 1;
}

std::string oneLine(const Json& value) {
    if (!value.is_structured() || value.empty()) return dumped(value);
    std::string text(1, value.is_array() ? '[' : '{');
    for (const auto& [key, element] : value.items()) {
        if (text.size() > 1) text += ", ";
        if (value.is_object()) text += dumped(key) + ": ";
        text += oneLine(element);
    }
    return text + (value.is_array() ? ']' : '}');
}

void append(std::string& to, const Json& value, std::size_t indent, std::size_t column) {
    constexpr std::size_t longestLine = 100;
    constexpr int deepestLine = 2;
    if (depthOf(value) <= deepestLine) {
        const std::string line = oneLine(value);
        if (!value.is_structured() || column + line.size() <= longestLine) {
            to += line;
            return;
        }
    }
    to += value.is_array() ? "[\n" : "{\n";
    const std::string blanks(indent + 2, ' ');
    std::size_t left = value.size();
    for (const auto& [key, element] : value.items()) {
        const std::string name = value.is_object() ? dumped(key) + ": " : std::string();
        to += blanks + name;
        append(to, element, indent + 2, indent + 2 + name.size());
        to += --left > 0 ? ",\n" : "\n";
    }
    to += std::string(indent, ' ') + (value.is_array() ? ']' : '}');
}

}  // namespace

void JsonProblems::addValue(const std::string& pointer, std::string_view expected, std::string_view found) {
    add({std::string(m_format.valueId),
         {{"file", m_file},
          {"pointer", pointer.empty() ? std::string("the top level") : pointer},
          {"expected", std::string(expected)},
          {"found", std::string(found)}}});
}

void JsonNode::problem(std::string_view expected) const {
    m_problems->addValue(m_pointer, expected, shortJson(*m_value));
}

bool JsonNode::isObject() const {
    if (m_value->is_object()) return true;
    problem("an object {...}");
    return false;
}

bool JsonNode::isArray() const {
    if (m_value->is_array()) return true;
    problem("a list [...]");
    return false;
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
    const auto found = m_value->find(key);
    if (found == m_value->end()) return std::nullopt;
    return JsonNode(*found, *m_problems, childPointer(m_pointer, key));
}

std::optional<JsonNode> JsonNode::need(std::string_view key, std::string_view expected) const {
    auto found = find(key);
    if (!found) m_problems->addValue(childPointer(m_pointer, key), expected, "nothing");
    return found;
}

std::vector<JsonNode> JsonNode::elements() const {
    std::vector<JsonNode> nodes;
    if (!m_value->is_array()) return nodes;
    for (std::size_t i = 0; i < m_value->size(); ++i) {
        nodes.emplace_back((*m_value)[i], *m_problems, m_pointer + "/" + std::to_string(i));
    }
    return nodes;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
    std::vector<std::pair<std::string, JsonNode>> nodes;
    if (!m_value->is_object()) return nodes;
    for (const auto& [key, value] : m_value->items()) {
        nodes.emplace_back(key, JsonNode(value, *m_problems, childPointer(m_pointer, key)));
    }
    return nodes;
}

std::optional<std::string> JsonNode::text(std::string_view expected) const {
    if (m_value->is_string()) return m_value->get<std::string>();
    problem(expected);
    return std::nullopt;
}

std::optional<bool> JsonNode::flag() const {
    if (m_value->is_boolean()) return m_value->get<bool>();
    problem("true or false");
    return std::nullopt;
}

std::optional<std::int64_t> JsonNode::integer(std::int64_t minimum, std::int64_t maximum) const {
    const bool fits =
        m_value->is_number_unsigned() ? m_value->get<std::uint64_t>() <= INT64_MAX : m_value->is_number_integer();
    if (fits) {
        const auto number = m_value->get<std::int64_t>();
        if (number >= minimum && number <= maximum) return number;
    }
    problem("a whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum));
    return std::nullopt;
}

std::optional<std::uint64_t> JsonNode::unsignedInteger() const {
    if (m_value->is_number_unsigned()) return m_value->get<std::uint64_t>();
    problem("a whole number that is not negative");
    return std::nullopt;
}

std::optional<double> JsonNode::real(double minimum, double maximum) const {
    if (m_value->is_number()) {
        const auto number = m_value->get<double>();
        if (std::isfinite(number) && number >= minimum && number <= maximum) return number;
    }
    problem("a number from " + numberText(minimum) + " to " + numberText(maximum));
    return std::nullopt;
}

bool JsonNode::hasHeader() const {
    if (!isObject()) return false;
    const JsonFormat& format = m_problems->format();
    const std::string name(format.name);
    const std::string expected = R"({"format": ")" + name + R"(", "version": )" + std::to_string(format.version) + "}";
    const auto header = need("lanewright", expected);
    if (!header || !header->isObject()) return false;
    const auto own = header->need("format", "\"" + name + "\"");
    const auto version = header->need("version", "the version of the format, " + std::to_string(format.version));
    if (!own || !version) return false;
    if (own->value() != name) {
        own->problem("\"" + name + "\"");
        return false;
    }
    const auto number = version->integer(1, INT32_MAX);
    if (number && *number > format.version) {
        m_problems->add({std::string(format.versionId),
                         {{"file", m_problems->file()},
                          {"version", std::to_string(*number)},
                          {"supported", std::to_string(format.version)}}});
    }
    return number && *number <= format.version;
}

void writeHeader(Json& root, const JsonFormat& format) {
    Json& header = root["lanewright"];
    if (!header.is_object()) header = Json::object();
    header["format"] = std::string(format.name);
    header["version"] = format.version;
}

std::string jsonText(const Json& document) {
    std::string text;
    append(text, document, 0, 0);
    return text + "\n";
}

std::string shortJson(const Json& value, std::size_t longest) {
    const std::string text = dumped(value);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < longest && bytes < text.size(); ++i) {
        bytes += firstCharacter(std::string_view(text).substr(bytes)).bytes;
    }
    return bytes < text.size() ? text.substr(0, bytes) + "..." : text;
}

}  // namespace lanewright
