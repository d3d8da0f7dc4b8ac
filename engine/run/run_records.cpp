// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/run_records.h"

#include <chrono>
#include <ctime>
#include <optional>

namespace lanewright {
namespace {

/// Why `image` cannot be done as far as plan and input know: its probe's error, or the first shape rule that refuses it.
const Message* knownError(const Plan& plan, ImageIndex image, const ImageShapes* constants, ImageShapes& shapes) {
    if (const auto& error = plan.input->image(image).error) return error.get();
    shapes = shapesOf(plan, image, constants);
    for (const auto& error : shapes.errors) {
        if (error) return error.get();
    }
    return nullptr;
}

}  // namespace

ImageOutcome worseOutcome(ImageOutcome soFar, OutcomeKind stage) {
    switch (stage) {
    case OutcomeKind::done: return soFar;
    case OutcomeKind::failed: return ImageOutcome::failed;
    case OutcomeKind::skipped: return soFar == ImageOutcome::done ? ImageOutcome::skipped : soFar;
    case OutcomeKind::cancelled: return soFar == ImageOutcome::failed ? soFar : ImageOutcome::cancelled;
    }
    return soFar;
}

std::vector<StageRecord> stageRecords(const Plan& plan) {
    std::vector<StageRecord> records;
    for (std::size_t i = 0; i < plan.pipeline->stages.size(); ++i) {
        const Stage& stage = plan.pipeline->stages[i];
        const StageDescription& description = stage.kind->description();
        StageRecord record;
        record.id = stage.id;
        record.kind = description.kind;
        record.label = description.label;
        record.letter = description.letter;
        record.category = description.category;
        record.summary = stage.kind->summary(stage.parameters);
        for (const DeviceId device : plan.stages[i].devices) {
            record.devices.push_back(plan.machine->device(device).name);
        }
        records.push_back(std::move(record));
    }
    return records;
}

std::vector<ImageRecord> simulatedRecords(const Plan& plan, const Trace& trace) {
    std::vector<ImageRecord> records(plan.imageCount());
    for (std::size_t i = 0; i < records.size(); ++i) {
        records[i].name = plan.input->relativePath(ImageIndex(i)).string();
    }
    for (const Outcome& outcome : trace.outcomes) {
        if (outcome.image.index() >= records.size()) continue;  // the constants
        ImageRecord& record = records[outcome.image.index()];
        record.outcome = worseOutcome(record.outcome, outcome.kind);
    }
    std::optional<ImageShapes> constants;
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (records[i].outcome != ImageOutcome::failed) continue;
        if (!constants && plan.constantsClass.valid()) constants = shapesOf(plan, plan.constantsImage(), nullptr);
        ImageShapes shapes;
        if (const Message* error = knownError(plan, ImageIndex(i), constants ? &*constants : nullptr, shapes)) {
            records[i].messages.push_back(*error);
        }
    }
    return records;
}

double inputMegapixels(const InputSet& input) {
    double sum = 0;
    for (const InputImage& image : input.images) {
        if (!image.error) sum += input.shapes[image.shapeClass].shape.megapixels();
    }
    return sum;
}

std::string utcNow() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    char text[32] = "";
    if (gmtime_r(&now, &parts)) std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

}  // namespace lanewright
