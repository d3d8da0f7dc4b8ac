// SPDX-License-Identifier: GPL-3.0-or-later
// Checks and text forms of parameter values, all in the C locale.
#include "kernels/api/parameters.h"

#include <charconv>
#include <cmath>
#include <optional>

namespace lanewright {
namespace {

std::string numberText(double value) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return {buffer, end};
}

Message rangeError(const ParameterDeclaration& declaration, const std::string& value) {
    return {"parameter.range",
            {{"parameter", std::string(declaration.name)},
             {"value", value},
             {"minimum", numberText(declaration.minimum)},
             {"maximum", numberText(declaration.maximum)},
             {"unit", std::string(declaration.unit)}}};
}

std::string_view typeName(ParameterType type) {
    switch (type) {
    case ParameterType::toggle: return "true or false";
    case ParameterType::integer: return "a whole number";
    case ParameterType::real: return "a number";
    case ParameterType::choice:
    case ParameterType::text:
    case ParameterType::path: return "a text";
    }
    return "";
}

Message typeError(const ParameterDeclaration& declaration, const std::string& value) {
    return {"parameter.type",
            {{"parameter", std::string(declaration.name)},
             {"value", value},
             {"type", std::string(typeName(declaration.type))}}};
}

Message choiceError(const ParameterDeclaration& declaration, const std::string& value) {
    std::string names;
    for (const auto& choice : declaration.choices) names += (names.empty() ? "" : ", ") + std::string(choice.name);
    return {"parameter.choice", {{"parameter", std::string(declaration.name)}, {"value", value}, {"choices", names}}};
}

bool within(const ParameterDeclaration& declaration, double value) {
    return std::isfinite(value) && value >= declaration.minimum && value <= declaration.maximum;
}

Result<ParameterValue> checkedInteger(const ParameterDeclaration& declaration, const ParameterValue& value) {
    std::int64_t number = 0;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        number = *whole;
    } else if (const auto* real = std::get_if<double>(&value);
               real && *real == std::floor(*real) && std::fabs(*real) < 1e15) {
        number = static_cast<std::int64_t>(*real);
    } else {
        return typeError(declaration, parameterText(value));
    }
    if (!within(declaration, static_cast<double>(number))) return rangeError(declaration, parameterText(value));
    return ParameterValue(number);
}

Result<ParameterValue> checkedReal(const ParameterDeclaration& declaration, const ParameterValue& value) {
    double number = 0;
    if (const auto* real = std::get_if<double>(&value)) {
        number = *real;
    } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        number = static_cast<double>(*whole);
    } else {
        return typeError(declaration, parameterText(value));
    }
    if (!within(declaration, number)) return rangeError(declaration, parameterText(value));
    return ParameterValue(number);
}

template <class T>
std::optional<T> parsedNumber(std::string_view text) {
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace

Parameters::Parameters(std::span<const ParameterDeclaration> declarations) {
    for (const auto& declaration : declarations) m_values.push_back(declaration.defaultValue);
}

std::optional<std::size_t> findParameter(std::span<const ParameterDeclaration> declarations, std::string_view name) {
    for (std::size_t i = 0; i < declarations.size(); ++i) {
        if (declarations[i].name == name) return i;
    }
    return std::nullopt;
}

Result<ParameterValue> checkedParameter(const ParameterDeclaration& declaration, const ParameterValue& value) {
    switch (declaration.type) {
    case ParameterType::integer: return checkedInteger(declaration, value);
    case ParameterType::real: return checkedReal(declaration, value);
    case ParameterType::toggle:
        if (!std::holds_alternative<bool>(value)) return typeError(declaration, parameterText(value));
        return value;
    case ParameterType::text:
    case ParameterType::path:
        if (!std::holds_alternative<std::string>(value)) return typeError(declaration, parameterText(value));
        return value;
    case ParameterType::choice: break;
    }
    const auto* name = std::get_if<std::string>(&value);
    if (!name) return typeError(declaration, parameterText(value));
    for (const auto& choice : declaration.choices) {
        if (choice.name == *name) return value;
    }
    return choiceError(declaration, *name);
}

Result<ParameterValue> parsedParameter(const ParameterDeclaration& declaration, std::string_view text) {
    switch (declaration.type) {
    case ParameterType::toggle:
        if (text == "true" || text == "on" || text == "1") return ParameterValue(true);
        if (text == "false" || text == "off" || text == "0") return ParameterValue(false);
        return typeError(declaration, std::string(text));
    case ParameterType::integer:
        if (const auto number = parsedNumber<std::int64_t>(text)) return checkedParameter(declaration, *number);
        return typeError(declaration, std::string(text));
    case ParameterType::real:
        if (const auto number = parsedNumber<double>(text)) return checkedParameter(declaration, *number);
        return typeError(declaration, std::string(text));
    case ParameterType::choice:
    case ParameterType::text:
    case ParameterType::path: break;
    }
    return checkedParameter(declaration, std::string(text));
}

std::string parameterText(const ParameterValue& value) {
    if (const auto* toggle = std::get_if<bool>(&value)) return *toggle ? "true" : "false";
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&value)) return numberText(*real);
    return std::get<std::string>(value);
}

}  // namespace lanewright
