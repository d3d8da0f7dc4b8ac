// SPDX-License-Identifier: GPL-3.0-or-later
// Errors are values: a Result holds a value or a Message, and nothing in kernels or engine throws across a public function.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lanewright {

/// One sentence for a person, by its id in the text catalog (resources/texts/<language>.json) and the values of its
/// placeholders, so that window, command line and reports say the same in each language.
struct Message {
    std::string id;
    std::vector<std::pair<std::string, std::string>> arguments;

    /// The argument's value, or an empty text.
    std::string_view argument(std::string_view name) const {
        for (const auto& [key, value] : arguments) {
            if (key == name) return value;
        }
        return {};
    }
    friend bool operator==(const Message&, const Message&) = default;
};

/// A value or the Message that says why there is none.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Message message) : m_state(std::in_place_index<1>, std::move(message)) {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }
    T& value() & { return std::get<0>(m_state); }
    const T& value() const& { return std::get<0>(m_state); }
    T&& value() && { return std::get<0>(std::move(m_state)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    const Message& error() const& { return std::get<1>(m_state); }
    Message&& error() && { return std::get<1>(std::move(m_state)); }

private:
    std::variant<T, Message> m_state;
};

/// Success, or the Message that says what failed.
class [[nodiscard]] Status {
public:
    Status() = default;
    Status(Message message) : m_error(std::move(message)) {}

    bool ok() const { return !m_error; }
    explicit operator bool() const { return ok(); }
    const Message& error() const { return *m_error; }

private:
    std::optional<Message> m_error;
};

}  // namespace lanewright
