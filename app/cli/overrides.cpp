// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/overrides.h"

#include "app/cli/paths.h"
#include "engine/pipeline/edits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace lanewright::cli {
namespace {

Result<StageIndex> stageNamed(const Pipeline& pipeline, std::string_view id) {
    if (const auto stage = pipeline.find(id)) return *stage;
    std::string stages;
    for (const Stage& stage : pipeline.stages) stages += (stages.empty() ? "" : ", ") + stage.id;
    return Message{"cli.noStage", {{"stage", std::string(id)}, {"stages", stages}}};
}

std::optional<double> positiveNumber(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if (!std::isfinite(number) || number <= 0) return std::nullopt;
    return number;
}

/// One DEVICE[@SHARE] of `text`.
Status addDevice(StagePlacement& placement, std::string_view item, std::string_view text) {
    const std::size_t at = item.rfind('@');
    const std::string device(item.substr(0, at));
    if (device.empty()) return Message{"cli.placeSyntax", {{"text", std::string(text)}}};
    if (std::find(placement.devices.begin(), placement.devices.end(), device) != placement.devices.end()) {
        return Message{"cli.deviceTwice", {{"text", std::string(text)}, {"device", device}}};
    }
    placement.devices.push_back(device);
    if (at == std::string_view::npos) return {};
    const auto share = positiveNumber(item.substr(at + 1));
    if (!share) {
        return Message{"cli.share", {{"text", std::string(text)}, {"share", std::string(item.substr(at + 1))}}};
    }
    placement.shares.push_back(*share);
    return {};
}

}  // namespace

Status applyPlacement(Project& project, std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return Message{"cli.placeSyntax", {{"text", std::string(text)}}};
    const auto stage = stageNamed(project.pipeline, text.substr(0, equals));
    if (!stage) return stage.error();
    StagePlacement placement;
    std::string_view rest = text.substr(equals + 1);
    for (;;) {
        const std::size_t comma = rest.find(',');
        if (Status added = addDevice(placement, rest.substr(0, comma), text); !added) return added;
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    if (!placement.shares.empty() && placement.shares.size() != placement.devices.size()) {
        return Message{"cli.someShares", {{"text", std::string(text)}}};
    }
    project.placement.stages.resize(project.pipeline.stages.size());
    project.placement.stages[stage->index()] = std::move(placement);
    return {};
}

Status applyParameter(Project& project, std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::size_t dot = text.substr(0, equals).rfind('.');
    if (equals == std::string_view::npos || dot == std::string_view::npos) {
        return Message{"cli.setSyntax", {{"text", std::string(text)}}};
    }
    const auto stage = stageNamed(project.pipeline, text.substr(0, dot));
    if (!stage) return stage.error();
    const std::string_view name = text.substr(dot + 1, equals - dot - 1);
    std::string value(text.substr(equals + 1));
    const auto declarations = project.pipeline.stage(*stage).kind->description().parameters;
    const auto parameter = findParameter(declarations, name);
    if (parameter && declarations[*parameter].type == ParameterType::path && !value.empty()) {
        value = absolutePath(value).string();
    }
    auto edited = setParameterText(project.pipeline, *stage, name, value);
    if (!edited) return edited.error();
    project.pipeline = std::move(edited).value();
    return {};
}

}  // namespace lanewright::cli
