// SPDX-License-Identifier: GPL-3.0-or-later
// The catalog of texts and the filling of its placeholders.
#include "engine/text/text.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>

namespace lanewright {
namespace text {
extern const std::string_view english;  // resources/texts/en.json
}
namespace {

using Texts = std::unordered_map<std::string, std::string>;

Texts parsed(std::string_view json) {
    Texts texts;
    const auto document = nlohmann::json::parse(json, nullptr, false);
    for (const auto& [id, sentence] : document.items()) {
        if (sentence.is_string()) texts.emplace(id, sentence.get<std::string>());
    }
    return texts;
}

const Texts& textsOf(std::string_view language) {
    static const std::map<std::string, Texts, std::less<>> catalogs = {{"en", parsed(text::english)}};
    const auto found = catalogs.find(language);
    return found == catalogs.end() ? catalogs.find("en")->second : found->second;
}

// A nested message is this mark, then id, keys and values, each as "<length>:<bytes>": any text can be inside.
constexpr char nestedMark = '\x01';
constexpr int deepestNesting = 8;

void appendField(std::string& to, std::string_view field) {
    to += std::to_string(field.size());
    to += ':';
    to += field;
}

std::optional<std::string_view> takeField(std::string_view& from) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), length);
    const auto digits = static_cast<std::size_t>(end - from.data());
    if (error != std::errc{} || digits >= from.size() || from[digits] != ':') return std::nullopt;
    from.remove_prefix(digits + 1);
    if (length > from.size()) return std::nullopt;
    const std::string_view field = from.substr(0, length);
    from.remove_prefix(length);
    return field;
}

std::optional<Message> unnested(std::string_view argument) {
    if (argument.empty() || argument.front() != nestedMark) return std::nullopt;
    argument.remove_prefix(1);
    const auto id = takeField(argument);
    if (!id) return std::nullopt;
    Message message{std::string(*id), {}};
    while (!argument.empty()) {
        const auto key = takeField(argument);
        const auto value = key ? takeField(argument) : std::nullopt;
        if (!value) return std::nullopt;
        message.arguments.emplace_back(*key, *value);
    }
    return message;
}

std::string sentenceOf(const Message& message, const Texts& texts, int depth);

std::string shown(std::string_view argument, const Texts& texts, int depth) {
    const auto message = depth < deepestNesting ? unnested(argument) : std::nullopt;
    if (!message) return escaped(argument);
    std::string sentence = sentenceOf(*message, texts, depth + 1);
    if (sentence.ends_with('.')) sentence.pop_back();
    return sentence;
}

std::string idAndArguments(const Message& message, const Texts& texts, int depth) {
    std::string sentence = escaped(message.id);
    std::string_view separator = ": ";
    for (const auto& [key, value] : message.arguments) {
        sentence += separator;
        sentence += escaped(key) + " = " + shown(value, texts, depth);
        separator = ", ";
    }
    return sentence;
}

/// "{{" and "}}" stand for braces; a placeholder without an argument stays as it is. An empty value (a number without a
/// unit) takes the blank before it along.
std::string filled(std::string_view sentence, const Message& message, const Texts& texts, int depth) {
    std::string result;
    for (std::size_t i = 0; i < sentence.size(); ++i) {
        const char c = sentence[i];
        const bool twice = (c == '{' || c == '}') && i + 1 < sentence.size() && sentence[i + 1] == c;
        const std::size_t end = c == '{' && !twice ? sentence.find('}', i) : std::string_view::npos;
        if (end == std::string_view::npos) {
            result += c;
            if (twice) ++i;
            continue;
        }
        const std::string_view name = sentence.substr(i + 1, end - i - 1);
        bool found = false;
        for (const auto& [key, value] : message.arguments) {
            if (found || key != name) continue;
            result += shown(value, texts, depth);
            if (value.empty() && result.ends_with(' ')) result.pop_back();
            found = true;
        }
        if (!found) result += sentence.substr(i, end - i + 1);
        i = end;
    }
    return result;
}

std::string sentenceOf(const Message& message, const Texts& texts, int depth) {
    const auto found = texts.find(message.id);
    if (found == texts.end()) return idAndArguments(message, texts, depth);
    return filled(found->second, message, texts, depth);
}

}  // namespace

std::string textOf(const Message& message, std::string_view language) {
    return sentenceOf(message, textsOf(language), 0);
}

std::string nested(const Message& message) {
    std::string argument(1, nestedMark);
    appendField(argument, message.id);
    for (const auto& [key, value] : message.arguments) {
        appendField(argument, key);
        appendField(argument, value);
    }
    return argument;
}

}  // namespace lanewright
