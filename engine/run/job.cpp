// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/job.h"

#include "engine/files/files.h"
#include "engine/input/output_names.h"
#include "engine/machine/machine_file.h"
#include "engine/plan/make_plan.h"
#include "engine/run/run_records.h"
#include "engine/run/simulator.h"

#include "build_features.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace lanewright {
namespace {

void tell(const JobEvents& events, JobPhase phase) {
    if (events.phase) events.phase(phase);
}

Result<std::shared_ptr<const Machine>> machineFor(const JobRequest& request, const Catalog& catalog) {
    if (request.machine) return request.machine;
    if (request.machineFile.empty()) {
        return std::shared_ptr<const Machine>(
            std::make_shared<Machine>(discoverMachine(catalog, {.workers = request.project.settings.workers})));
    }
    auto machine = readMachine(request.machineFile);
    if (!machine) return std::move(machine).error();
    return std::shared_ptr<const Machine>(std::make_shared<Machine>(std::move(machine).value()));
}

Result<std::shared_ptr<const InputSet>> inputFor(const JobRequest& request, const Catalog& catalog,
                                                 std::stop_token stop) {
    if (request.input) return request.input;
    auto input = collectInput(request.project.input, catalog, request.project.output.folder, stop);
    if (!input) return std::move(input).error();
    return std::shared_ptr<const InputSet>(std::make_shared<InputSet>(std::move(input).value()));
}

Result<std::shared_ptr<const Plan>> planFor(const Job& job) {
    PlanRequest request;
    request.pipeline = std::make_shared<const Pipeline>(job.project.pipeline);
    request.input = job.input;
    request.machine = job.machine;
    request.placement = job.project.placement;
    request.settings = job.project.settings;
    request.catalog = job.catalog;
    request.baseFolder = job.project.file.parent_path();
    auto plan = makePlan(request);
    if (!plan) return std::move(plan).error();
    if (plan->settings.order == Order::planned) {
        if (Status frozen = freeze(*plan, *job.costs); !frozen) return frozen.error();
    }
    return std::shared_ptr<const Plan>(std::make_shared<Plan>(std::move(plan).value()));
}

std::uint64_t randomSeed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

/// Files beside the images that are read: no output may replace them.
std::vector<std::string> otherInputs(const Job& job) {
    std::vector<std::string> files;
    for (const InputImage& file : job.plan->constantFiles) {
        if (!file.path.empty()) files.push_back(file.path);
    }
    for (const auto& file : {job.project.file, job.project.machineFile}) {
        if (!file.empty()) files.push_back(file.string());
    }
    return files;
}

/// Whether files can be made in `folder`, which need not exist: its first ancestor that does decides. Errors:
/// file.unwritable.
Status checkWritable(const std::filesystem::path& folder) {
    std::filesystem::path existing = folder;
    struct stat status {};
    while (::stat(existing.c_str(), &status) != 0) {
        if (errno != ENOENT || existing == existing.parent_path()) return fileError("file.unwritable", folder, errno);
        existing = existing.parent_path();
    }
    if (!S_ISDIR(status.st_mode)) return fileError("file.unwritable", folder, ENOTDIR);
    if (::access(existing.c_str(), W_OK | X_OK) != 0) return fileError("file.unwritable", folder, errno);
    return {};
}

/// Where outputs go. Errors: output.* and file.unwritable, before anything is started.
Status settleOutputs(const Job& job, ExecutionOptions& options) {
    const OutputDescription& output = job.project.output;
    auto names = planOutputNames(job.input, *job.plan->pipeline, output.folder, output.nameTemplate, otherInputs(job));
    if (!names) return std::move(names).error();
    if (Status writable = checkWritable(output.folder); !writable) return writable;
    options.outputFolder = output.folder;
    options.outputName = [names = std::move(names).value()](ImageIndex image, StageIndex sink) {
        return names.path(image, sink);
    };
    return {};
}

/// What every run of the job says, whatever comes of it.
Run describedRun(const Job& job) {
    Run run;
    run.projectName = job.project.file.stem().string();
    run.startedAt = utcNow();
    run.version = programVersion;
    run.machine = job.machine;
    run.settings = job.plan->settings;
    run.stages = stageRecords(*job.plan);
    run.megapixels = inputMegapixels(*job.input);
    return run;
}

Result<std::shared_ptr<const Trace>> simulated(const Job& job, std::optional<std::uint64_t> seed,
                                               const std::stop_token& stop) {
    auto trace = simulate(*job.plan, *job.costs, {.seed = seed, .stop = stop});
    if (!trace) return std::move(trace).error();
    return std::shared_ptr<const Trace>(std::make_shared<Trace>(std::move(trace).value()));
}

/// Repeats on a machine that is not here.
Status simulateRepeats(const Job& job, const JobEvents& events, Run& run) {
    for (std::int32_t repeat = 0; repeat < job.plan->settings.repeat; ++repeat) {
        if (events.repeat) events.repeat(repeat);
        auto trace = simulated(job, job.seed + static_cast<std::uint64_t>(repeat), events.stop);
        if (!trace && events.stop.stop_requested()) {
            run.interrupted = true;
            return {};
        }
        if (!trace) return trace.error();
        run.images = simulatedRecords(*job.plan, **trace);
        run.measured.push_back(std::move(trace).value());
    }
    return {};
}

void keepMessages(Run& run, const std::vector<Message>& messages) {
    for (const Message& message : messages) {
        if (std::find(run.messages.begin(), run.messages.end(), message) == run.messages.end()) {
            run.messages.push_back(message);
        }
    }
}

/// Repeats on the machine that is here.
Status executeRepeats(const Job& job, const JobEvents& events, const ExecutionOptions& options, Run& run) {
    auto executor = Executor::open(job.plan, *job.catalog, options);
    if (!executor) return std::move(executor).error();
    for (std::int32_t repeat = 0; repeat < job.plan->settings.repeat && !run.interrupted; ++repeat) {
        if (events.repeat) events.repeat(repeat);
        auto result = (*executor)->execute();
        if (!result) return std::move(result).error();
        run.interrupted = result->interrupted;
        run.images = std::move(result->images);
        keepMessages(run, result->messages);
        if (!result->interrupted) job.costs->learn(*job.plan, result->trace);
        run.measured.push_back(std::make_shared<const Trace>(std::move(result->trace)));
    }
    if (Status saved = job.costs->save(); !saved) keepMessages(run, {saved.error()});
    return {};
}

}  // namespace

Result<Job> prepareJob(JobRequest request, const Catalog& catalog, const JobEvents& events) {
    Job job;
    job.catalog = &catalog;
    tell(events, JobPhase::findingDevices);
    auto machine = machineFor(request, catalog);
    if (!machine) return std::move(machine).error();
    job.machine = std::move(machine).value();
    tell(events, JobPhase::readingInput);
    auto input = inputFor(request, catalog, events.stop);
    if (!input) return std::move(input).error();
    job.input = std::move(input).value();
    tell(events, JobPhase::planning);
    job.costs = std::make_shared<MeasuredCostModel>(*job.machine, request.costFolder);
    job.seed = request.seed ? *request.seed : randomSeed();
    job.project = std::move(request.project);
    auto plan = planFor(job);
    if (!plan) return std::move(plan).error();
    job.plan = std::move(plan).value();
    return job;
}

Result<Run> predictJob(const Job& job, const JobEvents& events) {
    tell(events, JobPhase::predicting);
    Run run = describedRun(job);
    auto predicted = simulated(job, std::nullopt, events.stop);
    if (!predicted) return std::move(predicted).error();
    run.predicted = std::move(predicted).value();
    run.images = simulatedRecords(*job.plan, *run.predicted);
    return run;
}

Result<Run> runJob(const Job& job, const JobEvents& events) {
    ExecutionOptions options;
    if (!job.simulated()) {
        if (Status settled = settleOutputs(job, options); !settled) return settled.error();
    }
    auto run = predictJob(job, events);
    if (!run) return run;
    tell(events, JobPhase::running);
    run->images.clear();
    options.progress = events.progress;
    options.snapshot = events.snapshot;
    options.stop = events.stop;
    Status ran = job.simulated() ? simulateRepeats(job, events, *run) : executeRepeats(job, events, options, *run);
    if (!ran) return ran.error();
    return run;
}

}  // namespace lanewright
