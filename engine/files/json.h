// SPDX-License-Identifier: GPL-3.0-or-later
// JSON as people write it: parsed with the place of every fault, read value by value with the pointer of what is wrong, and
// written so that a person can read it. Only for .cpp files of formats.
#pragma once

#include "kernels/api/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewright {

using Json = nlohmann::ordered_json;

/// A kind of document and the ids of its messages: syntax (file, line, column, detail), value (file, pointer, expected,
/// found), version (file, version, supported).
struct JsonFormat {
    std::string_view name;  ///< "project", in {"lanewright": {"format": ...}}
    int version = 1;
    std::string_view syntaxId;
    std::string_view valueId;
    std::string_view versionId;
};

/// What was found wrong in one document.
class JsonProblems {
public:
    JsonProblems(const JsonFormat& format, std::string file) : m_format(format), m_file(std::move(file)) {}

    const JsonFormat& format() const { return m_format; }
    const std::string& file() const { return m_file; }
    const std::vector<Message>& messages() const { return m_messages; }
    void add(Message message) { m_messages.push_back(std::move(message)); }
    void addValue(const std::string& pointer, std::string_view expected, std::string_view found);

private:
    const JsonFormat& m_format;
    std::string m_file;
    std::vector<Message> m_messages;
};

/// Strict JSON in UTF-8 (a byte order mark is passed over); none and a problem when it is not. A key that comes twice in one
/// object, nesting deeper than 100 and objects of more than 10,000 keys are value problems.
std::optional<Json> parseJson(std::string_view text, JsonProblems& problems);

/// A value of a document and where it stands. Reading a wrong value adds a problem and gives none.
class JsonNode {
public:
    JsonNode(const Json& value, JsonProblems& problems, std::string pointer = "")
        : m_value(&value), m_problems(&problems), m_pointer(std::move(pointer)) {}

    const Json& value() const { return *m_value; }
    const std::string& pointer() const { return m_pointer; }
    void problem(std::string_view expected) const;

    /// False and a problem when it is something else.
    bool isObject() const;
    bool isArray() const;
    /// The value of a key; none when the key is not there. Must be an object.
    std::optional<JsonNode> find(std::string_view key) const;
    /// As find(), and a problem when the key is not there.
    std::optional<JsonNode> need(std::string_view key, std::string_view expected) const;
    /// Elements of an array; none of anything else.
    std::vector<JsonNode> elements() const;
    /// Keys and values of an object; none of anything else.
    std::vector<std::pair<std::string, JsonNode>> members() const;

    /// Of the top level: {"lanewright": {"format": ..., "version": ...}}; false and a problem when it is another format or a
    /// newer version.
    bool hasHeader() const;

    std::optional<std::string> text(std::string_view expected = "a text") const;
    std::optional<bool> flag() const;
    std::optional<std::int64_t> integer(std::int64_t minimum, std::int64_t maximum) const;
    std::optional<std::uint64_t> unsignedInteger() const;
    /// Finite and within the bounds; whole numbers count.
    std::optional<double> real(double minimum, double maximum) const;

private:
    const Json* m_value;
    JsonProblems* m_problems;
    std::string m_pointer;
};

/// Sets what JsonNode::hasHeader() checks.
void writeHeader(Json& root, const JsonFormat& format);

/// Indented by two; what is short and not deep stands on one line. Bytes that are not UTF-8 come
/// out as U+FFFD. Ends with a line break.
std::string jsonText(const Json& document);

/// At most `longest` characters of the value as JSON.
std::string shortJson(const Json& value, std::size_t longest = 40);

}  // namespace lanewright
