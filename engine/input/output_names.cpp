// SPDX-License-Identifier: GPL-3.0-or-later
// Templates of names, and the checks that make a run safe to start.
#include "engine/input/output_names.h"

#include "engine/pipeline/checks.h"
#include "engine/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <sys/stat.h>

namespace lanewright {
namespace {

namespace fs = std::filesystem;

/// Calls `text(std::string_view)` and `placeholder(std::string_view)` for the parts of a template; false when braces do not
/// match.
template <class Text, class Placeholder>
bool forEachPart(std::string_view nameTemplate, Text text, Placeholder placeholder) {
    for (std::size_t i = 0; i < nameTemplate.size();) {
        const char c = nameTemplate[i];
        if (c != '{' && c != '}') {
            const std::size_t end = std::min(nameTemplate.find_first_of("{}", i), nameTemplate.size());
            text(nameTemplate.substr(i, end - i));
            i = end;
        } else if (i + 1 < nameTemplate.size() && nameTemplate[i + 1] == c) {
            text(nameTemplate.substr(i, 1));
            i += 2;
        } else {
            const std::size_t end = nameTemplate.find('}', i);
            if (c == '}' || end == std::string_view::npos) return false;
            placeholder(nameTemplate.substr(i + 1, end - i - 1));
            i = end + 1;
        }
    }
    return true;
}

bool uses(std::string_view nameTemplate, std::string_view name) {
    bool found = false;
    forEachPart(
        nameTemplate, [](std::string_view) {}, [&](std::string_view used) { found = found || used == name; });
    return found;
}

std::string paddedIndex(std::size_t index, int digits) {
    std::string text = std::to_string(index);
    if (text.size() < static_cast<std::size_t>(digits))
        text.insert(0, static_cast<std::size_t>(digits) - text.size(), '0');
    return text;
}

/// So that sinks do not write one file: "{name}.{ext}" becomes "{name}_{stage}.{ext}".
std::string withStage(std::string_view nameTemplate) {
    std::string text(nameTemplate);
    return text.insert(std::min(text.rfind('.'), text.size()), "_{stage}");
}

std::vector<StageIndex> sinksOf(const Pipeline& pipeline) {
    std::vector<StageIndex> sinks;
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        const StageKind* kind = pipeline.stages[i].kind;
        if (kind && kind->description().role == StageRole::sink) sinks.emplace_back(i);
    }
    return sinks;
}

struct FileIdentity {
    dev_t device;
    ino_t node;
    friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};

std::optional<FileIdentity> identityOf(const fs::path& path, bool* isFolder = nullptr) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    if (isFolder) *isFolder = S_ISDIR(status.st_mode);
    return FileIdentity{status.st_dev, status.st_ino};
}

/// All planned outputs, checked against each other and against what is on the disk.
class OutputCheck {
public:
    OutputCheck(const OutputNames& names, const InputSet& input, const Pipeline& pipeline, const fs::path& folder,
                std::span<const std::string> otherInputs)
        : m_names(names),
          m_input(input),
          m_pipeline(pipeline),
          m_folder(folder),
          m_otherInputs(otherInputs),
          m_sinks(sinksOf(pipeline)) {}

    Status check() {
        for (const auto step : {&OutputCheck::checkLengths, &OutputCheck::checkCollisions, &OutputCheck::checkFolders,
                                &OutputCheck::checkTargets}) {
            if (const Status status = (this->*step)(); !status) return status;
        }
        return {};
    }

private:
    /// Calls f(ImageIndex, StageIndex) for every output until one fails.
    template <class F>
    Status forEachOutput(F f) const {
        for (std::size_t i = 0; i < m_input.images.size(); ++i) {
            if (m_input.images[i].error) continue;
            for (const StageIndex sink : m_sinks) {
                if (const Status status = f(ImageIndex(i), sink); !status) return status;
            }
        }
        return {};
    }

    const std::string& inputPath(ImageIndex image) const { return m_input.image(image).path; }

    Status checkLengths() const {
        constexpr std::size_t longestName = 255;  // bytes, of every usual file system
        return forEachOutput([&](ImageIndex image, StageIndex sink) -> Status {
            const std::string name = m_names.path(image, sink).filename().string();
            if (name.size() <= longestName) return {};
            return Message{"output.nameTooLong", {{"input", inputPath(image)}, {"name", name}}};
        });
    }

    struct Output {
        std::size_t hash;
        ImageIndex image;
        StageIndex sink;
    };

    Status checkCollisions() const {
        std::vector<Output> outputs;
        outputs.reserve(m_input.images.size() * m_sinks.size());
        const Status listed = forEachOutput([&](ImageIndex image, StageIndex sink) -> Status {
            outputs.push_back({std::hash<std::string>{}(m_names.path(image, sink).native()), image, sink});
            return {};
        });
        std::stable_sort(outputs.begin(), outputs.end(),
                         [](const Output& a, const Output& b) { return a.hash < b.hash; });
        for (std::size_t begin = 0; begin < outputs.size();) {
            std::size_t end = begin + 1;
            while (end < outputs.size() && outputs[end].hash == outputs[begin].hash) ++end;
            if (end - begin > 1) {
                if (const Status status = compareEqualHashes({outputs.data() + begin, end - begin}); !status)
                    return status;
            }
            begin = end;
        }
        return listed;
    }

    Status compareEqualHashes(std::span<const Output> outputs) const {
        std::map<fs::path, Output> known;
        for (const Output& output : outputs) {
            const fs::path path = m_names.path(output.image, output.sink);
            const auto [found, isNew] = known.try_emplace(path, output);
            if (isNew) continue;
            const Output& first = found->second;
            if (first.image == output.image) {
                return Message{"output.sinkCollision",
                               {{"first", m_pipeline.stage(first.sink).id},
                                {"second", m_pipeline.stage(output.sink).id},
                                {"output", path.string()}}};
            }
            return Message{
                "output.collision",
                {{"first", inputPath(first.image)}, {"second", inputPath(output.image)}, {"output", path.string()}}};
        }
        return {};
    }

    /// "a" cannot be written where "a/b" needs a folder.
    Status checkFolders() const {
        std::set<fs::path> folders;
        const Status listed = forEachOutput([&](ImageIndex image, StageIndex sink) -> Status {
            fs::path parent = m_names.path(image, sink).parent_path();
            while (!parent.empty() && folders.insert(parent).second) parent = parent.parent_path();
            return {};
        });
        if (folders.empty()) return listed;
        return forEachOutput([&](ImageIndex image, StageIndex sink) -> Status {
            const fs::path path = m_names.path(image, sink);
            if (!folders.contains(path)) return {};
            return Message{"output.isFolder", {{"output", (m_folder / path).string()}}};
        });
    }

    /// The files of all inputs, by what they are and not by how they are spelled.
    std::vector<std::pair<FileIdentity, std::string>> inputFiles() const {
        std::vector<std::pair<FileIdentity, std::string>> files;
        const auto add = [&](const std::string& path) {
            if (const auto identity = identityOf(path)) files.emplace_back(*identity, path);
        };
        for (const InputImage& image : m_input.images) add(image.path);
        for (const std::string& path : m_otherInputs) add(path);
        std::sort(files.begin(), files.end());
        return files;
    }

    Status checkTargets() const {
        if (!identityOf(m_folder)) return {};  // nothing is there that could be replaced
        const auto inputs = inputFiles();
        return forEachOutput([&](ImageIndex image, StageIndex sink) -> Status {
            const fs::path target = m_folder / m_names.path(image, sink);
            bool isFolder = false;
            const auto identity = identityOf(target, &isFolder);
            if (!identity) return {};
            if (isFolder) return Message{"output.isFolder", {{"output", target.string()}}};
            const auto found =
                std::lower_bound(inputs.begin(), inputs.end(), *identity,
                                 [](const auto& input, const FileIdentity& id) { return input.first < id; });
            if (found == inputs.end() || found->first != *identity) return {};
            return Message{"output.overwritesInput", {{"input", found->second}, {"output", target.string()}}};
        });
    }

    const OutputNames& m_names;
    const InputSet& m_input;
    const Pipeline& m_pipeline;
    const fs::path& m_folder;
    std::span<const std::string> m_otherInputs;
    std::vector<StageIndex> m_sinks;
};

}  // namespace

fs::path OutputNames::path(ImageIndex image, StageIndex sink) const {
    const fs::path input = m_input->relativePath(image);
    const Sink& to = m_sinks[sink.index()];
    std::string name;
    forEachPart(
        m_template, [&](std::string_view text) { name += text; },
        [&](std::string_view placeholder) {
            if (placeholder == "name") name += input.stem().string();
            if (placeholder == "stage") name += to.stage;
            if (placeholder == "ext") name += to.extension;
            if (placeholder == "index") name += paddedIndex(image.index() + 1, m_indexDigits);
        });
    return input.parent_path() / name;
}

Status checkNameTemplate(std::string_view nameTemplate) {
    const auto error = [&](std::string reason) {
        return Message{"output.template", {{"template", std::string(nameTemplate)}, {"reason", std::move(reason)}}};
    };
    std::string unknown;
    const bool matched = forEachPart(
        nameTemplate, [](std::string_view) {},
        [&](std::string_view name) {
            if (name != "name" && name != "stage" && name != "ext" && name != "index") unknown = name;
            if (name.empty()) unknown = "{}";
        });
    if (nameTemplate.empty()) return error("it is empty");
    if (!matched) return error("its braces do not match");
    if (!unknown.empty()) return error("there is no placeholder \"" + unknown + "\"");
    if (nameTemplate.find_first_of("/\\") != std::string_view::npos)
        return error("it names a folder; say that as the output folder");
    if (nameTemplate.front() == '.') return error("it begins with a dot, which hides files");
    const bool control =
        std::any_of(nameTemplate.begin(), nameTemplate.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (control || !isUtf8(nameTemplate)) return error("it has characters that names of files should not have");
    return {};
}

Result<OutputNames> planOutputNames(std::shared_ptr<const InputSet> input, const Pipeline& pipeline,
                                    const fs::path& folder, std::string_view nameTemplate,
                                    std::span<const std::string> otherInputs) {
    if (const Status status = checkNameTemplate(nameTemplate); !status) return status.error();
    OutputNames names;
    names.m_input = std::move(input);
    const auto sinks = sinksOf(pipeline);
    const bool apart = sinks.size() <= 1 || uses(nameTemplate, "stage");
    names.m_template = apart ? std::string(nameTemplate) : withStage(nameTemplate);
    names.m_sinks.resize(pipeline.stages.size());
    for (const StageIndex sink : sinks) {
        const Stage& stage = pipeline.stage(sink);
        if (!isStageId(stage.id)) return Message{"pipeline.stageId", {{"stage", stage.id}}};
        names.m_sinks[sink.index()] = {stage.id, stage.kind->fileExtension(stage.parameters)};
    }
    const std::size_t digits = std::to_string(names.m_input->images.size()).size();
    names.m_indexDigits = std::max(names.m_indexDigits, static_cast<int>(digits));
    if (const Status status = OutputCheck(names, *names.m_input, pipeline, folder, otherInputs).check(); !status)
        return status.error();
    return names;
}

}  // namespace lanewright
