// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter sets, sizes and formats of the conformance test.
#include "tests/kernels/conformance_cases.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace lanewright::test {
namespace {

// Whole numbers in pixels with a greater range than this are sizes: tried small.
constexpr double saneLimit = 200;

bool isSize(const ParameterDeclaration& declaration) {
    return declaration.type == ParameterType::integer && declaration.unit == "px" && declaration.maximum > saneLimit;
}

Parameters defaults(const StageKind& stage) {
    const auto declarations = stage.description().parameters;
    Parameters parameters(declarations);
    for (std::size_t i = 0; i < declarations.size(); ++i) {
        if (isSize(declarations[i])) parameters.set(i, std::int64_t{60});
    }
    return parameters;
}

std::vector<ParameterValue> valuesOf(const ParameterDeclaration& declaration) {
    if (isSize(declaration)) return {std::int64_t{1}, std::int64_t{37}, std::int64_t{211}};
    switch (declaration.type) {
    case ParameterType::toggle: return {true, false};
    case ParameterType::integer:
        return {static_cast<std::int64_t>(declaration.minimum), static_cast<std::int64_t>(declaration.maximum)};
    case ParameterType::real: return {declaration.minimum, declaration.maximum};
    case ParameterType::choice: break;
    case ParameterType::text:
    case ParameterType::path: return {};
    }
    std::vector<ParameterValue> values;
    for (const auto& choice : declaration.choices) values.emplace_back(std::string(choice.name));
    return values;
}

/// Lists for single stages: "name=value name=value". Exact ones are those that move samples without mixing them.
struct Extra {
    std::string text;
    bool exact = false;
};
const std::map<std::string_view, std::vector<Extra>>& extras() {
    static const std::map<std::string_view, std::vector<Extra>> lists{
        {"resize",
         {{"filter=nearest", true},
          {"filter=nearest fit=exact width=150 height=7", true},
          {"filter=nearest fit=fill width=50 height=50", true},
          {"fit=exact width=5 height=1"},
          {"fit=exact width=1 height=5 filter=area"},
          {"fit=exact width=127 height=61"},
          {"fit=exact width=64 height=64 filter=bicubic"},
          {"fit=exact width=90 height=13 filter=bilinear antialias=false"},
          {"fit=exact width=33 height=17 filter=lanczos3 antialias=false"},
          {"fit=exact width=300 height=200 filter=bicubic"},
          {"fit=exact width=300 height=200 filter=area"},
          {"fit=fill width=41 height=83"},
          {"fit=fill width=83 height=41 filter=bilinear"},
          {"fit=fit width=83 height=41 filter=area"},
          {"fit=exact width=200 height=100 enlarge=false"}}},
        {"gaussian_blur",
         {{"sigma=0.5 edges=reflect"},
          {"sigma=1.4"},
          {"sigma=3.3 edges=reflect"},
          {"sigma=12"},
          {"sigma=50 edges=reflect"}}},
        {"convert", {{"format=gray 8-bit"}, {"format=RGB 8-bit"}, {"format=RGBA 8-bit"}}},
    };
    return lists;
}

/// Values may hold spaces: a word without '=' belongs to the value before it.
ParameterSet parsedSet(const StageKind& stage, const Extra& extra) {
    ParameterSet set{extra.text, defaults(stage), extra.exact ? 0 : 1};
    const auto declarations = stage.description().parameters;
    std::vector<std::string> settings;
    std::istringstream words(extra.text);
    for (std::string word; words >> word;) {
        if (word.find('=') == std::string::npos) {
            settings.back() += " " + word;
        } else {
            settings.push_back(word);
        }
    }
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        const auto index = findParameter(declarations, setting.substr(0, equals));
        if (!index) continue;
        const auto value = parsedParameter(declarations[*index], setting.substr(equals + 1));
        if (value) set.parameters.set(*index, *value);
    }
    return set;
}

}  // namespace

std::vector<ParameterSet> parameterSets(const StageKind& stage) {
    const auto declarations = stage.description().parameters;
    std::vector<ParameterSet> sets{{"", defaults(stage), 1}};
    for (std::size_t i = 0; i < declarations.size(); ++i) {
        for (const ParameterValue& value : valuesOf(declarations[i])) {
            ParameterSet set{std::string(declarations[i].name) + "=" + parameterText(value), defaults(stage), 1};
            set.parameters.set(i, value);
            if (!(set.parameters == sets.front().parameters)) sets.push_back(std::move(set));
        }
    }
    const auto list = extras().find(stage.description().kind);
    if (list == extras().end()) return sets;
    for (const Extra& extra : list->second) sets.push_back(parsedSet(stage, extra));
    return sets;
}

std::vector<Size> testSizes() {
    return {{1, 1}, {1, 13}, {13, 1}, {7, 5}, {16, 16}, {64, 3}, {127, 61}, {4097, 3}, {3, 1031}};
}

std::vector<PixelFormat> testFormats(const StageKind& stage, const Parameters& parameters) {
    std::vector<PixelFormat> formats = stage.inputFormats(0, parameters);
    if (formats.empty()) formats = {gray8, rgb8, rgba8};
    std::erase_if(formats, [](const PixelFormat& format) { return format.sample != SampleType::u8; });
    return formats;
}

}  // namespace lanewright::test
