// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/job_options.h"

#include "app/cli/overrides.h"
#include "app/cli/paths.h"

#include <CLI/CLI.hpp>

#include <limits>

namespace lanewright::cli {
namespace {

constexpr std::int32_t largest = 1'000'000;

/// An option that takes one value each time it is written, so that it never swallows what stands behind.
void addRepeatable(CLI::App& app, const char* name, std::vector<std::string>& values, const char* type,
                   const char* help) {
    app.add_option(name, values, help)->type_name(type)->allow_extra_args(false);
}

void addCount(CLI::App& app, const char* name, std::optional<std::int32_t>& value, const char* help) {
    app.add_option(name, value, help)->type_name("N")->check(CLI::Range(1, largest).description(""));
}

}  // namespace

void declareProjectOptions(CLI::App& app, JobOptions& options) {
    addRepeatable(app, "--input", options.inputs, "PATH",
                  "A file, or a folder that is searched, instead of the project's input; can be repeated");
    app.add_option("--output", options.output, "Folder for the outputs, instead of the project's")->type_name("DIR");
    addRepeatable(app, "--set", options.parameters, "STAGE.PARAMETER=VALUE",
                  "Changes a parameter of a stage; can be repeated");
    app.add_option("--images", options.images, "Only the first N images")
        ->type_name("N")
        ->check(CLI::Range(std::size_t{1}, std::size_t{std::numeric_limits<std::int32_t>::max()}).description(""));
}

void declareRunOptions(CLI::App& app, JobOptions& options) {
    addRepeatable(app, "--place", options.placements, "STAGE=DEVICE[@SHARE][,...]",
                  "Places a stage, for example resize=opencl:0; over several devices resize=cpu,opencl:0 (whichever is "
                  "free) or resize=cpu@1,opencl:0@3 (a quarter and three quarters of the images); can be repeated");
    app.add_option("--order", options.order,
                   "planned: order and lanes are fixed beforehand; dynamic: decided as lanes fall free")
        ->type_name("planned|dynamic")
        ->check(CLI::IsMember({"planned", "dynamic"}).description(""));
    addCount(app, "--repeat", options.repeat, "Runs N times");
    addCount(app, "--workers", options.workers, "CPU workers, instead of one for each CPU");
    addCount(app, "--batch", options.batch, "Images in one step on devices other than the CPU");
    addCount(app, "--in-flight", options.inFlight, "At most N images are begun and not finished");
    app.add_option("--machine", options.machine, "A machine file: simulates that machine, writes no outputs")
        ->type_name("FILE");
    app.add_option("--seed", options.seed, "Seed of a simulated run, instead of a random one")->type_name("N");
    app.add_flag("--quiet", options.quiet, "No progress and no summary");
}

Status applyOptions(Project& project, const JobOptions& options) {
    if (!options.inputs.empty()) {
        project.input.synthetic.reset();
        project.input.paths.clear();
        for (const std::string& input : options.inputs) project.input.paths.push_back(absolutePath(input));
    }
    if (!options.output.empty()) project.output.folder = absolutePath(options.output);
    if (options.images) project.input.limit = *options.images;
    RunSettings& settings = project.settings;
    if (options.repeat) settings.repeat = *options.repeat;
    if (options.order) settings.order = *options.order == "planned" ? Order::planned : Order::dynamic;
    if (options.workers) settings.workers = *options.workers;
    if (options.batch) settings.batch = *options.batch;
    if (options.inFlight) settings.imagesInFlight = *options.inFlight;
    for (const std::string& text : options.placements) {
        if (Status placed = applyPlacement(project, text); !placed) return placed;
    }
    for (const std::string& text : options.parameters) {
        if (Status set = applyParameter(project, text); !set) return set;
    }
    return {};
}

}  // namespace lanewright::cli
