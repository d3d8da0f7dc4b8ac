// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/convert_project.h"

#include "app/cli/overrides.h"
#include "app/cli/paths.h"
#include "engine/pipeline/edits.h"
#include "kernels/codecs/codec.h"

#include <algorithm>
#include <cctype>
#include <system_error>
#include <utility>
#include <vector>

namespace lanewright::cli {
namespace {

namespace fs = std::filesystem;

/// The codec with that name or extension (any case), or nullptr.
const Codec* codecFor(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const Codec* codec : codecs()) {
        const auto& extensions = codec->extensions;
        if (codec->name == text || std::find(extensions.begin(), extensions.end(), text) != extensions.end()) {
            return codec;
        }
    }
    return nullptr;
}

std::string formatNames() {
    std::string names;
    for (const Codec* codec : codecs()) names += (names.empty() ? "" : ", ") + std::string(codec->extensions.front());
    return names;
}

/// The format asked for, or that of the output's name; nullptr: none was said.
Result<const Codec*> chosenCodec(const ConvertOptions& options, bool outIsFile) {
    const Codec* asked = nullptr;
    if (!options.format.empty()) {
        asked = codecFor(options.format);
        if (!asked) return Message{"cli.convertFormat", {{"format", options.format}, {"formats", formatNames()}}};
    }
    if (!outIsFile) return asked;
    std::string extension = fs::path(options.out).extension().string();
    if (!extension.empty()) extension.erase(0, 1);
    const Codec* named = codecFor(extension);
    if (asked && named && asked != named) {
        return Message{"cli.convertMismatch", {{"file", options.out}, {"format", options.format}}};
    }
    if (!asked && !named) {
        return Message{"cli.convertExtension", {{"file", options.out}, {"formats", formatNames()}}};
    }
    return asked ? asked : named;
}

/// A template that makes `name` whatever the image.
std::string literalTemplate(const std::string& name) {
    std::string text;
    for (const char c : name) text += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
    return text;
}

/// Where IN is read and OUT is written: one file, or a folder.
Result<const Codec*> settlePaths(const ConvertOptions& options, Project& project) {
    std::error_code ignored;
    const fs::path in = absolutePath(options.in);
    const fs::path out = absolutePath(options.out);
    const bool fromFolder = fs::is_directory(in, ignored);
    const bool outIsFolder = fs::is_directory(out, ignored);
    if (fromFolder && !outIsFolder && fs::exists(out, ignored)) {
        return Message{"cli.convertFolder", {{"in", options.in}, {"out", options.out}}};
    }
    const bool toFolder = fromFolder || outIsFolder || options.out.ends_with('/');
    project.input.paths = {in};
    project.output.folder = toFolder ? out : out.parent_path();
    if (!toFolder) project.output.nameTemplate = literalTemplate(out.filename().string());
    auto codec = chosenCodec(options, !toFolder);
    if (codec && !*codec) return codecs().front();
    return codec;
}

/// A chain of stages with their parameters as typed.
class Chain {
public:
    explicit Chain(const Catalog& catalog) : m_catalog(catalog) {}

    void add(std::string_view kind, std::string_view id, std::vector<std::pair<std::string, std::string>> parameters) {
        const StageKind* found = m_catalog.find(kind);
        if (!found && m_status.ok()) m_status = Message{"cli.noStageKind", {{"kind", std::string(kind)}}};
        if (!m_status) return;
        take(addStage(m_pipeline, *found, id));
        const StageIndex stage(m_pipeline.stages.size() - 1);
        if (stage.index() > 0) take(connect(m_pipeline, {StageIndex(stage.index() - 1), 0, stage, 0}));
        for (const auto& [name, value] : parameters) take(setParameterText(m_pipeline, stage, name, value));
    }

    Result<Pipeline> finish() && {
        if (!m_status) return m_status.error();
        return std::move(m_pipeline);
    }

private:
    void take(Result<Pipeline> edited) {
        if (!m_status) return;
        if (edited) {
            m_pipeline = std::move(edited).value();
        } else {
            m_status = edited.error();
        }
    }

    const Catalog& m_catalog;
    Pipeline m_pipeline;
    Status m_status;
};

std::vector<std::pair<std::string, std::string>> resizeParameters(const std::string& text) {
    const std::size_t times = text.find('x');
    if (times == std::string::npos) return {{"fit", "longest_side"}, {"width", text}};
    return {{"fit", "fit"}, {"width", text.substr(0, times)}, {"height", text.substr(times + 1)}};
}

/// Digits, or digits x digits: what the stage would say of anything else does not name the option.
bool isSize(const std::string& text) {
    const std::size_t times = std::min(text.find('x'), text.size());
    const auto digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    return digits(std::string_view(text).substr(0, times)) &&
           (times == text.size() || digits(std::string_view(text).substr(times + 1)));
}

}  // namespace

Result<Project> convertProject(const ConvertOptions& options, const Catalog& catalog) {
    Project project;
    const auto codec = settlePaths(options, project);
    if (!codec) return codec.error();
    if (!options.resize.empty() && !isSize(options.resize)) {
        return Message{"cli.convertResize", {{"size", options.resize}}};
    }
    Chain chain(catalog);
    chain.add("decode", "decode", {});
    if (!options.resize.empty()) chain.add("resize", "resize", resizeParameters(options.resize));
    if (options.blur) chain.add("gaussian_blur", "blur", {{"sigma", parameterText(*options.blur)}});
    std::vector<std::pair<std::string, std::string>> encoding = {{"format", std::string((*codec)->name)}};
    if (options.quality) encoding.emplace_back("quality", std::to_string(*options.quality));
    chain.add("encode", "encode", std::move(encoding));
    auto pipeline = std::move(chain).finish();
    if (!pipeline) return pipeline.error();
    project.pipeline = std::move(pipeline).value();
    project.placement.stages.resize(project.pipeline.stages.size());
    return project;
}

}  // namespace lanewright::cli
