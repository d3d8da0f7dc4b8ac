// SPDX-License-Identifier: GPL-3.0-or-later
// Parsing into a document, with the faults that nlohmann's own parser does not tell.
#include "engine/files/json.h"
#include "engine/text/utf8.h"

#include <algorithm>
#include <unordered_set>

namespace lanewright {
namespace {

constexpr std::size_t deepestNesting = 100;
constexpr std::size_t mostKeys = 10000;  // an ordered object looks keys up one by one

struct Place {
    std::size_t line = 1;
    std::size_t column = 1;
};

/// Of the byte at `offset`; columns count characters.
Place placeOf(std::string_view text, std::size_t offset) {
    Place place;
    text = text.substr(0, offset);
    while (!text.empty()) {
        const Utf8Character character = firstCharacter(text);
        ++place.column;
        if (character.code == '\n') place = {place.line + 1, 1};
        text.remove_prefix(character.bytes);
    }
    return place;
}

Message syntaxError(const JsonProblems& problems, std::string_view text, std::size_t offset, std::string detail) {
    const Place place = placeOf(text, offset);
    return {std::string(problems.format().syntaxId),
            {{"file", problems.file()},
             {"line", std::to_string(place.line)},
             {"column", std::to_string(place.column)},
             {"detail", std::move(detail)}}};
}

/// "[json.exception...] parse error at line 1, column 2: syntax error while parsing ..." without what we say ourselves.
std::string detailOf(std::string_view what) {
    const std::size_t bracket = what.find("] ");
    if (bracket != std::string_view::npos) what.remove_prefix(bracket + 2);
    const std::size_t column = what.find(", column ");
    const std::size_t colon = column == std::string_view::npos ? column : what.find(": ", column);
    if (colon != std::string_view::npos) what.remove_prefix(colon + 2);
    return std::string(what);
}

/// Builds the document from nlohmann's events and stops at the first fault.
class Builder : public nlohmann::json_sax<Json> {
public:
    Builder(std::string_view text, JsonProblems& problems) : m_text(text), m_problems(problems) {}

    Json document() { return std::move(m_root); }

    bool null() override { return add(Json(nullptr)); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override {
        Level& level = m_levels.back();
        if (level.keys.size() >= mostKeys)
            return fault("at most " + std::to_string(mostKeys) + " keys in one object", "more");
        if (!level.keys.insert(name).second) {
            level.key = std::move(name);
            return fault("each key once in an object", "it twice");
        }
        level.key = std::move(name);
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
        const std::size_t offset = position > 0 ? position - 1 : 0;
        m_problems.add(syntaxError(m_problems, m_text, offset, detailOf(error.what())));
        return false;
    }

private:
    struct Level {
        Json* value = nullptr;
        std::string key;
        std::unordered_set<std::string> keys;
    };

    bool add(Json value) { return place(std::move(value)) != nullptr; }

    Json* place(Json value) {
        if (m_levels.empty()) {
            m_root = std::move(value);
            return &m_root;
        }
        Level& level = m_levels.back();
        if (level.value->is_array()) {
            level.value->push_back(std::move(value));
            return &level.value->back();
        }
        return &((*level.value)[level.key] = std::move(value));
    }

    bool open(Json container) {
        Json* placed = place(std::move(container));
        if (m_levels.size() >= deepestNesting) {
            return fault("nesting no deeper than " + std::to_string(deepestNesting), "more");
        }
        m_levels.push_back({placed, {}, {}});
        return true;
    }

    bool close() {
        m_levels.pop_back();
        return true;
    }

    bool fault(const std::string& expected, std::string_view found) {
        std::string pointer;
        for (const Level& level : m_levels) {
            nlohmann::json_pointer<std::string> step;
            if (level.value->is_array()) {
                step /= level.value->empty() ? 0 : level.value->size() - 1;
            } else {
                step /= level.key;
            }
            pointer += step.to_string();
        }
        m_problems.addValue(pointer, expected, found);
        return false;
    }

    std::string_view m_text;
    JsonProblems& m_problems;
    Json m_root;
    std::vector<Level> m_levels;
};

}  // namespace

std::optional<Json> parseJson(std::string_view text, JsonProblems& problems) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    // nlohmann takes a NUL byte as the end of the text.
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
        problems.add(syntaxError(problems, text, nul, "there is a NUL byte; the file must be a text in UTF-8"));
        return std::nullopt;
    }
    Builder builder(text, problems);
    if (!Json::sax_parse(text, &builder)) return std::nullopt;
    return builder.document();
}

}  // namespace lanewright
