// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/perform.h"

#include "app/cli/console.h"
#include "app/cli/paths.h"
#include "app/cli/progress.h"
#include "app/cli/run_text.h"
#include "engine/run/job.h"
#include "engine/text/text.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewright::cli {
namespace {

namespace fs = std::filesystem;

/// `run` is about the machine that is here unless --machine says otherwise; a prediction also takes the machine that the
/// project names.
fs::path machineFileOf(const JobTask& task) {
    if (!task.options.machine.empty()) return absolutePath(task.options.machine);
    return task.kind == JobKind::predict ? task.project.machineFile : fs::path();
}

std::string pathsText(const std::vector<fs::path>& paths) {
    std::string text;
    for (const fs::path& path : paths) text += (text.empty() ? "" : ", ") + path.string();
    return text;
}

/// The error with what the command line knows more: which paths held no images, how to do without an absent device.
Message explained(const Message& error, const Project& project) {
    if (error.id == "input.empty" && !project.input.paths.empty()) {
        return {"cli.inputEmpty", {{"paths", pathsText(project.input.paths)}}};
    }
    if (error.id != "plan.absentDevice") return error;
    const std::string file = project.machineFile.empty() ? "FILE" : project.machineFile.string();
    return {"cli.absentDevice",
            {{"problem", nested(error)}, {"stage", std::string(error.argument("stage"))}, {"machine", file}}};
}

Result<Run> perform(const JobTask& task, const Context& context, const JobEvents& events) {
    if (Status free = task.exports.check({task.project.file.native(), task.project.machineFile.native()}); !free) {
        return free.error();
    }
    JobRequest request;
    request.project = task.project;
    request.machineFile = machineFileOf(task);
    request.seed = task.options.seed;
    auto job = prepareJob(std::move(request), context.catalog, events);
    if (!job) return explained(job.error(), task.project);
    std::vector<std::string_view> inputs;
    for (const InputImage& image : job->input->images) inputs.push_back(image.path);
    if (Status free = task.exports.check(inputs); !free) return free.error();
    return task.kind == JobKind::predict ? predictJob(*job, events) : runJob(*job, events);
}

}  // namespace

Result<ExitCode> perform(JobTask task, const Context& context) {
    std::unique_ptr<ProgressDisplay> display;
    if (!task.options.quiet) display = std::make_unique<ProgressDisplay>(task.project.settings.repeat);
    JobEvents events;
    if (display) events = display->events(context.stop);
    events.stop = context.stop;
    auto run = perform(task, context, events);
    display.reset();
    if (!run) return std::move(run).error();

    run->projectName = task.name;
    // First what is to be kept: printing may end the program (a closed pipe).
    const auto errors = task.exports.write(*run);
    if (!task.options.quiet) print(summaryText(*run));
    tellOutcomes(*run);
    for (const Message& error : errors) tellError(error);
    const ExitCode code = exitCodeOf(*run);
    return code == ExitCode::ok && !errors.empty() ? ExitCode::imagesFailed : code;
}

}  // namespace lanewright::cli
