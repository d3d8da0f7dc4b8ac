// SPDX-License-Identifier: GPL-3.0-or-later
// Messages become one line each; every message of the sources has a sentence in the catalog, whose placeholders the code
// fills, and the catalog has no sentence that nothing says.
#include "engine/text/text.h"
#include "engine/text/utf8.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

namespace lanewright {
namespace {

namespace fs = std::filesystem;

std::string fileText(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// C++ with blanks in place of comments, characters, raw texts and what is escaped in texts: a comment that names an id
/// does not count as a use, and a quote is always the begin or end of a text.
class Cleaner {
public:
    explicit Cleaner(std::string code) : m_code(std::move(code)) {}

    std::string clean() {
        for (std::size_t i = 0; i < m_code.size();) i = pass(i);
        return std::move(m_code);
    }

private:
    bool startsAt(std::size_t i, std::string_view text) const { return m_code.compare(i, text.size(), text) == 0; }

    /// Blanks from `begin` up to the end of `ending`, where the code goes on.
    std::size_t blank(std::size_t begin, std::string_view ending) {
        const std::size_t found = m_code.find(ending, begin + 1);
        const std::size_t end = found == std::string::npos ? m_code.size() : found + ending.size();
        for (std::size_t i = begin; i < end; ++i) {
            if (m_code[i] != '\n') m_code[i] = ' ';
        }
        return end;
    }

    std::size_t pass(std::size_t i) {
        if (startsAt(i, "//")) return blank(i, "\n");
        if (startsAt(i, "/*")) return blank(i, "*/");
        if (startsAt(i, "R\"(")) return blank(i, ")\"");
        const bool afterDigit = i > 0 && std::isalnum(static_cast<unsigned char>(m_code[i - 1]));
        if (m_code[i] == '\'' && !afterDigit) return blank(startsAt(i, "'\\''") ? i + 2 : i, "'");
        if (m_code[i] != '"') return i + 1;
        for (++i; i < m_code.size() && m_code[i] != '"'; ++i) {
            if (m_code[i] == '\\') m_code[i] = m_code[i + 1] = ' ';
        }
        return i + 1;
    }

    std::string m_code;
};

std::string withoutComments(std::string code) { return Cleaner(std::move(code)).clean(); }

/// "part.part" with parts in camelCase.
bool looksLikeId(std::string_view text) {
    bool dot = false;
    char before = '.';
    for (const char c : text) {
        if (c == '.' && before == '.') return false;
        if (before == '.' && !std::islower(static_cast<unsigned char>(c))) return false;
        if (c != '.' && !std::isalnum(static_cast<unsigned char>(c))) return false;
        dot = dot || c == '.';
        before = c;
    }
    return dot && before != '.';
}

std::size_t afterBlanks(const std::string& code, std::size_t at) {
    while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at]))) ++at;
    return at;
}

/// The text literal at `at` and where it ends; none when something else stands there.
std::optional<std::pair<std::string, std::size_t>> literalAt(const std::string& code, std::size_t at) {
    if (at >= code.size() || code[at] != '"') return std::nullopt;
    const std::size_t end = code.find('"', at + 1);
    if (end == std::string::npos) return std::nullopt;
    return std::pair(code.substr(at + 1, end - at - 1), end + 1);
}

/// Keys of `{{"key", value}, ...}` at `at`; none when arguments are not written there.
std::optional<std::set<std::string>> keysAt(const std::string& code, std::size_t at) {
    if (at >= code.size() || code[at] != '{') return std::nullopt;
    std::set<std::string> keys;
    int depth = 0;
    for (; at < code.size(); ++at) {
        if (code[at] == '}' && --depth == 0) return keys;
        if (code[at] == '{' && ++depth == 2) {
            if (const auto key = literalAt(code, afterBlanks(code, at + 1))) keys.insert(key->first);
        }
        if (const auto literal = literalAt(code, at)) at = literal->second - 1;
    }
    return std::nullopt;
}

struct Use {
    std::string place;
    std::string id;
    std::optional<std::set<std::string>> keys;  ///< of the arguments, where they are written beside the id
    bool message = false;                       ///< `{"id"`: the beginning of a Message
};

void collectUses(const std::string& name, const std::string& code, std::vector<Use>& uses) {
    char before = ' ';
    for (std::size_t i = 0; i < code.size(); ++i) {
        const auto literal = literalAt(code, i);
        if (literal) {
            if (looksLikeId(literal->first)) {
                const auto line = std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(i), '\n') + 1;
                const std::size_t next = afterBlanks(code, literal->second);
                Use use{name + ":" + std::to_string(line), literal->first, std::nullopt, before == '{'};
                if (next < code.size() && code[next] == ',') use.keys = keysAt(code, afterBlanks(code, next + 1));
                uses.push_back(std::move(use));
            }
            i = literal->second - 1;
        }
        if (!std::isspace(static_cast<unsigned char>(code[i]))) before = code[i];
    }
}

std::vector<Use> usesInSources() {
    std::vector<Use> uses;
    for (const char* folder : {"kernels", "engine", "app"}) {
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(LANEWRIGHT_SOURCE_DIR) / folder)) {
            const std::string extension = entry.path().extension().string();
            if (extension != ".cpp" && extension != ".h" && extension != ".cu") continue;
            collectUses(entry.path().lexically_relative(LANEWRIGHT_SOURCE_DIR).string(),
                        withoutComments(fileText(entry.path())), uses);
        }
    }
    return uses;
}

std::map<std::string, std::string> catalog() {
    const fs::path file = fs::path(LANEWRIGHT_SOURCE_DIR) / "resources/texts/en.json";
    return nlohmann::json::parse(fileText(file)).get<std::map<std::string, std::string>>();
}

/// Names in braces; "{{" is a brace. "?" when braces do not match.
std::set<std::string> placeholders(const std::string& sentence) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < sentence.size(); ++i) {
        if (sentence[i] != '{' && sentence[i] != '}') continue;
        if (i + 1 < sentence.size() && sentence[i + 1] == sentence[i]) {
            ++i;
            continue;
        }
        const std::size_t end = sentence.find('}', i);
        if (sentence[i] == '}' || end == std::string::npos) return {"?"};
        names.insert(sentence.substr(i + 1, end - i - 1));
        i = end;
    }
    return names;
}

/// Literals that look like the beginning of a Message and are something else.
const std::set<std::string> notMessages = {};

TEST(Texts, EveryMessageInTheSourcesHasASentence) {
    const auto sentences = catalog();
    const auto uses = usesInSources();
    for (const Use& use : uses) {
        if (!use.message || notMessages.contains(use.id)) continue;
        EXPECT_TRUE(sentences.contains(use.id)) << use.place << ": resources/texts/en.json has no \"" << use.id << "\"";
    }
    EXPECT_GT(std::count_if(uses.begin(), uses.end(), [](const Use& use) { return use.message; }), 40);
}

TEST(Texts, EverySentenceIsSaidSomewhere) {
    std::set<std::string> used;
    for (const Use& use : usesInSources()) used.insert(use.id);
    for (const auto& [id, sentence] : catalog()) EXPECT_TRUE(used.contains(id)) << id << " is used nowhere";
}

TEST(Texts, PlaceholdersAreAmongTheArguments) {
    const auto sentences = catalog();
    int checked = 0;
    for (const Use& use : usesInSources()) {
        const auto sentence = sentences.find(use.id);
        if (!use.message || !use.keys || sentence == sentences.end()) continue;
        for (const std::string& name : placeholders(sentence->second)) {
            EXPECT_TRUE(use.keys->contains(name)) << use.place << ": " << use.id << " has no argument {" << name << "}";
        }
        ++checked;
    }
    EXPECT_GT(checked, 30) << "the reader of arguments finds too few";
}

TEST(Texts, SentencesAreSentences) {
    for (const auto& [id, sentence] : catalog()) {
        EXPECT_TRUE(looksLikeId(id)) << id;
        EXPECT_TRUE(sentence.ends_with('.')) << id;
        EXPECT_EQ(sentence.find("  "), std::string::npos) << id;
        EXPECT_EQ(escaped(sentence), sentence) << id;
        for (const std::string& name : placeholders(sentence)) {
            const bool word =
                !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalpha(c); });
            EXPECT_TRUE(word) << id << ": {" << name << "}";
        }
    }
}

TEST(Texts, TheReaderOfSourcesSeesWhatItShould) {
    std::vector<Use> uses;
    collectUses(
        "f",
        withoutComments("// {\"a.comment\"\n/* {\"a.block\"} */ return {\"a.b\", {{\"x\", {1, 2}}, {\"y\", z}}};\n"
                        "m.id = \"a.c\"; char q = '\"', r = '\\''; x = R\"({\"a.raw\")\"; y = \"\\\"{\"; f({\"a.d\", "
                        "{}}, {\"a.e\", more}, \"a/b.c\", \"A.b\");"),
        uses);
    ASSERT_EQ(uses.size(), 4U);
    EXPECT_EQ(uses[0].place, "f:2");
    EXPECT_EQ(uses[0].id, "a.b");
    EXPECT_TRUE(uses[0].message);
    EXPECT_EQ(uses[0].keys, (std::set<std::string>{"x", "y"}));
    EXPECT_FALSE(uses[1].message);
    EXPECT_EQ(uses[2].keys, std::set<std::string>{});
    EXPECT_TRUE(uses[3].message);
    EXPECT_FALSE(uses[3].keys);
    EXPECT_EQ(placeholders("a {b} {{c}} {d}"), (std::set<std::string>{"b", "d"}));
    EXPECT_EQ(placeholders("a {b"), std::set<std::string>{"?"});
}

TEST(TextOf, FillsPlaceholders) {
    const Message message{
        "parameter.range",
        {{"parameter", "sigma"}, {"value", "-1"}, {"minimum", "0"}, {"maximum", "50"}, {"unit", "px"}}};
    EXPECT_EQ(textOf(message), "Parameter sigma cannot be -1; it goes from 0 to 50 px.");
    EXPECT_EQ(textOf(message, "xx"), textOf(message));
    Message bare = message;
    bare.arguments.back().second = "";
    EXPECT_EQ(textOf(bare), "Parameter sigma cannot be -1; it goes from 0 to 50.");
    bare.arguments.pop_back();
    EXPECT_EQ(textOf(bare), "Parameter sigma cannot be -1; it goes from 0 to 50 {unit}.");
}

TEST(TextOf, AnUnknownIdIsShownWithItsArguments) {
    EXPECT_EQ(textOf({"no.such", {}}), "no.such");
    EXPECT_EQ(textOf({"no.such", {{"a", "1"}, {"b", "x\ny"}}}), "no.such: a = 1, b = x\\ny");
}

TEST(TextOf, IsAlwaysOneCleanLine) {
    const std::string nasty = "a\nb\r\t\x1b[31m\x7f\xc2\x85\xe2\x80\xa8\xe2\x80\xae\xff\xc3";
    const std::string text = textOf({"pipeline.noKind", {{"stage", nasty}}});
    EXPECT_EQ(text, "Stage a\\nb\\r\\t\\x1b[31m\\x7f\\u{85}\\u{2028}\\u{202e}\\xff\\xc3 has no stage kind.");
    EXPECT_EQ(textOf({"pipeline.noKind", {{"stage", std::string("a\0b", 3)}}}), "Stage a\\x00b has no stage kind.");
    EXPECT_EQ(textOf({"pipeline.noKind", {{"stage", "{stage} {{"}}}), "Stage {stage} {{ has no stage kind.");
}

TEST(TextOf, NestedMessagesBecomeSentences) {
    const Message inner{"image.damaged", {{"detail", "line\nbreak 3:abc"}}};
    const Message middle{"plan.constant", {{"stage", "logo"}, {"file", "a.png"}, {"reason", nested(inner)}}};
    EXPECT_EQ(textOf(middle), "Stage logo: a.png cannot be used: The file is damaged: line\\nbreak 3:abc.");
    const Message outer{"plan.absentDevice", {{"stage", "s"}, {"device", "d"}, {"reason", nested(middle)}}};
    EXPECT_EQ(textOf(outer), "Stage s is placed on d, which cannot be used here: " + textOf(middle));
}

TEST(TextOf, WhatOnlyLooksNestedIsText) {
    for (const std::string broken : {"\x01", "\x01x",
                                     "\x01"
                                     "9:a",
                                     "\x01"
                                     "3:a.b1:k",
                                     "\x01"
                                     "99999999999999999999:a"}) {
        EXPECT_EQ(textOf({"pipeline.noKind", {{"stage", broken}}}), "Stage " + escaped(broken) + " has no stage kind.");
    }
    Message deep{"image.empty", {}};
    for (int i = 0; i < 40; ++i) deep = {"image.damaged", {{"detail", nested(deep)}}};
    EXPECT_EQ(textOf(deep).find('\n'), std::string::npos);
}

TEST(Utf8, KnowsWhatIsValid) {
    for (const char* good : {"", "abc", "\xc3\xa4", "\xe4\xb8\xad\xe6\x96\x87", "\xf0\x9f\x8e\x9e"}) {
        EXPECT_TRUE(isUtf8(good));
        EXPECT_EQ(escaped(good), good);
    }
    for (const char* bad :
         {"\x80", "\xc0\x80", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88"}) {
        EXPECT_FALSE(isUtf8(bad));
    }
}

}  // namespace
}  // namespace lanewright
