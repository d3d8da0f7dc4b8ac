// SPDX-License-Identifier: GPL-3.0-or-later
// A run: plan, traces, settings, outcome of each image. What .lwrun files hold and reports show.
#pragma once

#include "engine/plan/run_settings.h"
#include "engine/trace/trace.h"
#include "kernels/api/stage_kind.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lanewright {

enum class ImageOutcome : std::uint8_t { done, doneWithWarning, failed, skipped, cancelled };

struct OutputFile {
    std::string path;  ///< relative to the output folder
    StageIndex stage;
    ByteCount bytes;
    std::uint64_t checksum = 0;  ///< XXH64-like 64-bit hash of the bytes
};

/// Of the last repeat. Most images have no messages: the lists are kept in one place for those that have.
struct ImageRecord {
    std::string name;  ///< relative to its input folder
    ImageOutcome outcome = ImageOutcome::done;
    std::vector<Message> messages;
    std::vector<OutputFile> outputs;
};

struct StageRecord {
    std::string id;
    std::string kind;
    std::string label;
    std::string letter;
    std::string summary;
    std::vector<std::string> devices;
    StageCategory category = StageCategory::filter;  ///< its colour in reports
};

struct Run {
    std::string projectName;
    std::string startedAt;  ///< ISO 8601, UTC
    std::string version;    ///< of Lanewright
    std::shared_ptr<const Machine> machine;
    RunSettings settings;
    std::vector<StageRecord> stages;
    std::vector<ImageRecord> images;
    double megapixels = 0;  ///< of all source images
    std::shared_ptr<const Trace> predicted;
    std::vector<std::shared_ptr<const Trace>> measured;  ///< one per repeat (simulated when the machine is not here)
    std::vector<Message> messages;                       ///< about the run as a whole: device lost, full disk
    bool interrupted = false;
};

}  // namespace lanewright
