// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/trace/chrome_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iterator>

namespace lanewright {
namespace {

using Json = nlohmann::json;

/// Tells how far the parser has read.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, std::size_t* count) : m_at(at), m_count(count) {}
    reference operator*() const { return *m_at; }
    CountingIterator& operator++() {
        ++m_at;
        ++*m_count;
        return *this;
    }
    friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.m_at == b.m_at; }
    friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return a.m_at != b.m_at; }

private:
    const char* m_at;
    std::size_t* m_count;
};

/// What nlohmann's events mean by where they come: depth 1 is the top object, 2 an array or object in it, 3 an event, 4 its
/// arguments.
class Reader : public nlohmann::json_sax<Json> {
public:
    Reader(const std::function<void(const ChromeEvent&)>& event, const std::function<void(ChromeFault)>& fault)
        : m_event(event), m_fault(fault) {}

    std::size_t position = 0;

    bool null() override { return value(Value{}); }
    bool boolean(bool) override { return value(Value{}); }
    bool number_integer(number_integer_t n) override { return value({.number = static_cast<double>(n), .integer = n}); }
    bool number_unsigned(number_unsigned_t n) override {
        const bool fits = n <= static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
        return value({.number = static_cast<double>(n),
                      .integer = fits ? std::optional(static_cast<std::int64_t>(n)) : std::nullopt});
    }
    bool number_float(number_float_t n, const string_t&) override { return value({.number = n}); }
    bool string(string_t& text) override { return value({.text = &text}); }
    bool binary(binary_t&) override { return false; }

    bool start_object(std::size_t) override { return open(true); }
    bool start_array(std::size_t) override { return open(false); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override {
        if (m_depth == 1) topKey(name);
        if (m_depth == 3 && m_inEvents) ++m_current.memberCount;
        if (m_depth <= 4) m_keys[m_depth] = std::move(name);
        return true;
    }

    bool parse_error(std::size_t read, const std::string&, const nlohmann::detail::exception& error) override {
        std::string_view what = error.what();
        if (const std::size_t colon = what.find(": "); colon != std::string_view::npos) what.remove_prefix(colon + 2);
        m_fault({{"trace.syntax", {{"detail", std::string(what)}}}, read > 0 ? read - 1 : 0, ""});
        return false;
    }

    void finish() {
        if (!m_hasEvents) m_fault({{"trace.noEvents", {}}, 0, "/traceEvents"});
        if (!m_hasUnit) m_fault({{"trace.timeUnit", {}}, 0, "/displayTimeUnit"});
    }

private:
    struct Value {
        std::optional<double> number = std::nullopt;
        std::optional<std::int64_t> integer = std::nullopt;
        std::string* text = nullptr;
        bool container = false;
    };

    void fault(std::string id, const std::string& pointer, std::string argument = {}) {
        Message what{std::move(id), {}};
        if (!argument.empty()) what.arguments.emplace_back("key", std::move(argument));
        m_fault({std::move(what), position > 0 ? position - 1 : 0, pointer});
    }

    void topKey(const std::string& name) {
        constexpr std::array<std::string_view, 4> foreign = {"samples", "stackFrames", "nodes", "timeDeltas"};
        if (std::find(foreign.begin(), foreign.end(), name) != foreign.end())
            fault("trace.foreignKey", "/" + name, name);
    }

    bool open(bool object) {
        if (m_depth == 0 && !object) {
            fault("trace.topLevel", "");
            return false;
        }
        if (m_depth == 1)
            openInTop(object);
        else if (m_depth == 2 && m_inEvents)
            startEvent(object);
        else if (m_depth == 2 && m_inMetadata)
            fault("trace.metadataScalar", "/metadata/" + m_keys[2], m_keys[2]);
        else if (m_depth == 3 && m_inEvents && !(object && m_keys[3] == "args"))
            member({.container = true});
        else if (m_depth == 4 && m_inEvents && m_keys[3] == "args")
            argument({.container = true});
        ++m_depth;
        return true;
    }

    void openInTop(bool object) {
        m_inEvents = m_keys[1] == "traceEvents" && !object;
        m_inMetadata = m_keys[1] == "metadata" && object;
        if (m_keys[1] == "traceEvents" && object) fault("trace.topLevel", "/traceEvents");
        if (m_inEvents) m_nextIndex = 0;
    }

    void startEvent(bool object) {
        m_current = {};
        m_current.index = m_nextIndex++;
        m_current.offset = position > 0 ? position - 1 : 0;
        m_current.isObject = object;
        m_hasEvents = true;
    }

    bool close() {
        --m_depth;
        if (m_depth == 2 && m_inEvents) m_event(m_current);
        if (m_depth == 1) m_inEvents = m_inMetadata = false;
        return true;
    }

    bool value(const Value& v) {
        if (m_depth == 0) {
            fault("trace.topLevel", "");
            return false;
        }
        if (m_depth == 1)
            topValue(v);
        else if (m_depth == 2 && m_inEvents) {
            startEvent(false);
            m_event(m_current);
        } else if (m_depth == 3 && m_inEvents && m_current.isObject)
            member(v);
        else if (m_depth == 4 && m_inEvents && m_keys[3] == "args")
            argument(v);
        return true;
    }

    void topValue(const Value& v) {
        if (m_keys[1] == "displayTimeUnit") {
            m_hasUnit = true;
            if (!v.text || (*v.text != "ns" && *v.text != "ms")) fault("trace.timeUnit", "/displayTimeUnit");
        }
        if (m_keys[1] == "traceEvents" || m_keys[1] == "metadata") fault("trace.topLevel", "/" + m_keys[1]);
    }

    void member(const Value& v) {
        const std::string& key = m_keys[3];
        ChromeEvent& e = m_current;
        const std::array<std::pair<std::string_view, std::string*>, 6> texts = {{{"ph", &e.phase},
                                                                                 {"name", &e.name},
                                                                                 {"cat", &e.category},
                                                                                 {"id", &e.id},
                                                                                 {"bp", &e.bindingPoint},
                                                                                 {"s", &e.scope}}};
        for (const auto& [name, target] : texts) {
            if (key != name) continue;
            if (v.text)
                *target = std::move(*v.text);
            else
                e.mistyped.push_back(key);
        }
        const auto number = [&](auto& target, const auto& source) {
            if (source)
                target = source;
            else
                e.mistyped.push_back(key);
        };
        if (key == "pid") number(e.pid, v.integer);
        if (key == "tid") number(e.tid, v.integer);
        if (key == "ts") number(e.time, v.number);
        if (key == "dur") number(e.duration, v.number);
        if (key == "args") e.mistyped.push_back(key);
    }

    void argument(const Value& v) {
        const std::string& key = m_keys[4];
        (v.number ? m_current.numberArguments : m_current.otherArguments).push_back(key);
        if (key == "name" && v.text) m_current.argumentName = *v.text;
        if (key == "sort_index" && v.number) m_current.sortIndex = v.number;
    }

    const std::function<void(const ChromeEvent&)>& m_event;
    const std::function<void(ChromeFault)>& m_fault;
    std::array<std::string, 5> m_keys;  ///< the last key at each depth
    ChromeEvent m_current;
    std::size_t m_depth = 0;
    std::size_t m_nextIndex = 0;
    bool m_inEvents = false;
    bool m_inMetadata = false;
    bool m_hasEvents = false;
    bool m_hasUnit = false;
};

}  // namespace

void readChromeEvents(std::string_view text, const std::function<void(const ChromeEvent&)>& event,
                      const std::function<void(ChromeFault)>& fault) {
    Reader reader(event, fault);
    const CountingIterator first(text.data(), &reader.position);
    const CountingIterator last(text.data() + text.size(), &reader.position);
    if (Json::sax_parse(first, last, &reader)) reader.finish();
}

}  // namespace lanewright
