// SPDX-License-Identifier: GPL-3.0-or-later
// A stage declares its parameters once, bound to the members of a plain struct; form, command line, files, checks and
// docs come from the declarations, kernels use the struct.
#pragma once

#include "kernels/api/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lanewright {

enum class ParameterType : std::uint8_t { toggle, integer, real, choice, text, path };

/// toggle: bool; integer: int64; real: double; choice (its name), text and path (UTF-8): string.
using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

struct ParameterChoice {
    std::string_view name;   ///< in files and on the command line: "lanczos3"
    std::string_view label;  ///< English; translated by id stage.<kind>.<parameter>.<name>
};

struct ParameterDeclaration {
    std::string_view name;    ///< in files and on the command line: "sigma"
    std::string_view label;   ///< English; translated by id stage.<kind>.<name>
    std::string_view unit{};  ///< "px", "%" or empty
    std::string_view help;    ///< one English sentence
    ParameterType type = ParameterType::integer;
    ParameterValue defaultValue{};
    double minimum = 0;  ///< of integer and real, inclusive
    double maximum = 0;
    double step = 1;  ///< of a slider or spin box
    std::vector<ParameterChoice> choices{};
};

/// The values of one stage, in the order of its declarations.
class Parameters {
public:
    Parameters() = default;
    explicit Parameters(std::span<const ParameterDeclaration> declarations);

    std::size_t size() const { return m_values.size(); }
    const ParameterValue& at(std::size_t index) const { return m_values[index]; }
    /// Sets without a check; see checkedParameter().
    void set(std::size_t index, ParameterValue value) { m_values[index] = std::move(value); }
    friend bool operator==(const Parameters&, const Parameters&) = default;

private:
    std::vector<ParameterValue> m_values;
};

/// Index of the declaration named `name`, or none.
std::optional<std::size_t> findParameter(std::span<const ParameterDeclaration> declarations, std::string_view name);

/// `value` in the declared type and within its range. Errors: parameter.type, parameter.range, parameter.choice
/// (arguments parameter, value, minimum, maximum, unit or choices).
Result<ParameterValue> checkedParameter(const ParameterDeclaration& declaration, const ParameterValue& value);

/// `text` as typed on a command line, read in the C locale ("1.5", "true", "lanczos3"). Errors as checkedParameter().
Result<ParameterValue> parsedParameter(const ParameterDeclaration& declaration, std::string_view text);

/// The value as parsedParameter() reads it back.
std::string parameterText(const ParameterValue& value);

/// Declarations bound to the members of `T`; T{} must hold the defaults.
template <class T>
class ParameterTable {
public:
    ParameterTable& toggle(ParameterDeclaration declaration, bool T::*member) {
        declaration.type = ParameterType::toggle;
        declaration.defaultValue = ParameterValue(T{}.*member);
        return add(std::move(declaration), [member](T& t, const ParameterValue& v) { t.*member = std::get<bool>(v); });
    }
    ParameterTable& integer(ParameterDeclaration declaration, std::int32_t T::*member) {
        declaration.type = ParameterType::integer;
        declaration.defaultValue = std::int64_t{T{}.*member};
        return add(std::move(declaration), [member](T& t, const ParameterValue& v) {
            t.*member = static_cast<std::int32_t>(std::get<std::int64_t>(v));
        });
    }
    ParameterTable& real(ParameterDeclaration declaration, double T::*member) {
        declaration.type = ParameterType::real;
        declaration.defaultValue = ParameterValue(T{}.*member);
        return add(std::move(declaration),
                   [member](T& t, const ParameterValue& v) { t.*member = std::get<double>(v); });
    }
    ParameterTable& text(ParameterDeclaration declaration, std::string T::*member) {
        declaration.type = ParameterType::text;
        return addText(std::move(declaration), member);
    }
    ParameterTable& path(ParameterDeclaration declaration, std::string T::*member) {
        declaration.type = ParameterType::path;
        return addText(std::move(declaration), member);
    }
    /// `declaration.choices[i]` stands for the enumerator with value i.
    template <class E>
    ParameterTable& choice(ParameterDeclaration declaration, E T::*member) {
        declaration.type = ParameterType::choice;
        declaration.defaultValue = std::string(declaration.choices[static_cast<std::size_t>(T{}.*member)].name);
        auto choices = declaration.choices;
        return add(std::move(declaration), [member, choices](T& t, const ParameterValue& v) {
            const auto& name = std::get<std::string>(v);
            for (std::size_t i = 0; i < choices.size(); ++i) {
                if (choices[i].name == name) t.*member = static_cast<E>(i);
            }
        });
    }

    std::span<const ParameterDeclaration> declarations() const { return m_declarations; }

    /// `parameters` must be in the order of declarations() and checked.
    T bind(const Parameters& parameters) const {
        T values;
        for (std::size_t i = 0; i < m_setters.size() && i < parameters.size(); ++i)
            m_setters[i](values, parameters.at(i));
        return values;
    }

private:
    using Setter = std::function<void(T&, const ParameterValue&)>;

    ParameterTable& addText(ParameterDeclaration declaration, std::string T::*member) {
        declaration.defaultValue = ParameterValue(T{}.*member);
        return add(std::move(declaration),
                   [member](T& t, const ParameterValue& v) { t.*member = std::get<std::string>(v); });
    }
    ParameterTable& add(ParameterDeclaration declaration, Setter setter) {
        m_declarations.push_back(std::move(declaration));
        m_setters.push_back(std::move(setter));
        return *this;
    }

    std::vector<ParameterDeclaration> m_declarations;
    std::vector<Setter> m_setters;
};

}  // namespace lanewright
