// SPDX-License-Identifier: GPL-3.0-or-later
// Where outputs go: a name for each image and sink from a template, subfolders as in the input, and a refusal before the
// run when two outputs would be one file or an output would replace an input.
#pragma once

#include "engine/input/input_set.h"
#include "engine/pipeline/pipeline.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

/// Names as values of a function: nothing is kept per image.
class OutputNames {
public:
    /// Relative to the output folder. `sink` must be a sink of the pipeline.
    std::filesystem::path path(ImageIndex image, StageIndex sink) const;

    /// The template in use: with several sinks "_{stage}" is put before the extension of one that does not tell them apart.
    const std::string& nameTemplate() const { return m_template; }

private:
    friend Result<OutputNames> planOutputNames(std::shared_ptr<const InputSet> input, const Pipeline& pipeline,
                                               const std::filesystem::path& folder, std::string_view nameTemplate,
                                               std::span<const std::string> otherInputs);
    struct Sink {
        std::string stage;
        std::string extension;
    };

    std::shared_ptr<const InputSet> m_input;
    std::string m_template;
    std::vector<Sink> m_sinks;  ///< by StageIndex
    int m_indexDigits = 4;
};

/// {name} (of the input file, without extension), {stage}, {ext}, {index} (from 1, with leading zeros); "{{" is a brace.
/// Errors: output.template (template, reason).
Status checkNameTemplate(std::string_view nameTemplate);

/// `folder` need not exist. Looks at every name and at the files that are there already: O(images), nothing is written.
/// Images that have an error make no output and do not count; that no output replaces one of them does, nor one of
/// `otherInputs` (files of constants, the project). Errors:
/// output.template, output.nameTooLong (input, name), output.collision (first, second, output), output.sinkCollision
/// (first and second stage, output), output.overwritesInput (input, output), output.isFolder (output).
Result<OutputNames> planOutputNames(std::shared_ptr<const InputSet> input, const Pipeline& pipeline,
                                    const std::filesystem::path& folder, std::string_view nameTemplate,
                                    std::span<const std::string> otherInputs = {});

}  // namespace lanewright
