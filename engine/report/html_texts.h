// SPDX-License-Identifier: GPL-3.0-or-later
// Every word of the HTML report in one place, so that a translation is one more value of this struct. {names} in braces
// are filled by filled().
#pragma once

#include "engine/analysis/idle.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewright::html {

struct Texts {
    std::string_view language = "en";
    std::string_view title = "{project} \u00b7 Lanewright run";
    std::string_view untitled = "Untitled run";
    std::string_view subtitleImages = "{images} images, {megapixels} MP";
    std::string_view predictedOnly = "Prediction only: nothing has run yet.";
    std::string_view simulated = "Simulated on a machine that is not here (seed {seed}); no images were made.";
    std::string_view interrupted = "The run was interrupted; the figures are those of the part that ran.";
    std::string_view nothing = "This run holds no trace.";
    std::string_view finding = "{lane} was busy {busy} of the time.";
    std::string_view findingPath = "{step} makes up {share} of the critical path.";

    std::string_view problems = "Problems";
    std::string_view failed = "failed";
    std::string_view skipped = "skipped";
    std::string_view cancelled = "cancelled";
    std::string_view warning = "warning";
    std::string_view wholeRun = "The run as a whole";
    std::string_view noReason = "No reason was recorded.";
    std::string_view moreProblems = "and {count} more images with problems; --json lists all of them.";

    std::string_view makespan = "Makespan";
    std::string_view predictedMakespan = "Predicted makespan";
    std::string_view makespanOfOne = "one run";
    std::string_view makespanOfMany = "median of {count} after the first; spread {spread}";
    std::string_view imagesPerSecond = "Images/s";
    std::string_view imagesDone = "{done} of {total} images";
    std::string_view megapixelsPerSecond = "MP/s";
    std::string_view megapixelsTotal = "{megapixels} MP of source images";
    std::string_view predictionError = "Prediction error";
    std::string_view predictionWas = "{predicted} predicted, {measured} measured";
    std::string_view copied = "Copied";
    std::string_view copiedIn = "{copies} copies";
    std::string_view nothingCopied = "no copies between memories";
    std::string_view setUp = "Set-up";
    std::string_view setUpNote = "before the start, not in the makespan";
    std::string_view repeats = "Predicted and measured";
    std::string_view predicted = "predicted";
    std::string_view repeat = "repeat {number}";
    std::string_view firstRepeat = "first, cold";
    std::string_view moreRepeats = "and {count} more repeats";

    std::string_view timeline = "Timeline";
    std::string_view showBoth = "Both";
    std::string_view showMeasured = "Measured";
    std::string_view showPredicted = "Predicted";
    std::string_view clockUncertainty = "clock uncertainty \u00b1{time}";
    std::string_view fold = "Marks narrower than {pixels} px are folded into striped blocks that carry their count.";
    std::string_view legendPredicted = "predicted";
    std::string_view legendUpload = "copy to a device";
    std::string_view legendDownload = "copy back";
    std::string_view legendFiles = "files";
    std::string_view legendConversion = "format conversion";
    std::string_view legendGap = "thin band: idle, coloured by reason as below";
    std::string_view legendFailed = "failed, or an attempt that does not count";
    std::string_view spanFrom = "{duration} from {begin}";
    std::string_view spanWaited = "waited {time}";
    std::string_view spanBytes = "{bytes} at {rate}";
    std::string_view spanPredicted = "predicted: {name}, {duration} from {begin}";
    std::string_view spanImages = "{count} images";
    std::string_view spanFailed = "this image failed here";
    std::string_view spanSuperseded = "this attempt does not count";
    std::string_view blockCount = "{count} steps, mostly {name}";
    std::string_view blockBusy = "busy {share} of {duration} from {begin}";
    std::string_view endMeasured = "measured {time}";
    std::string_view endSimulated = "simulated {time}";
    std::string_view endPredicted = "predicted {time}";
    std::string_view timelineLabel = "Timeline of lanes; the tables below hold the same figures.";

    std::string_view idle = "Busy and idle by reason";
    std::string_view idleNote = "Share of the makespan; busy and idle sum to it exactly.";
    std::string_view busy = "busy";
    std::string_view meanOf = "mean of {count}";
    std::string_view eachLane = "each of the {count} lanes";
    std::array<std::string_view, idleReasonCount> reasons = {
        "waits for file",  "waits for copy", "waits for an earlier stage", "window full", "waits for device",
        "waits for write", "scheduler",      "held for a wide step",       "nothing left"};

    std::string_view path = "Critical path";
    std::string_view pathNote = "The chain of steps and waits that made the run as long as it is.";
    std::string_view pathScheduler = "scheduler";
    std::string_view pathDevice = "waiting for a device";
    std::string_view pathFinishing = "finishing";
    std::string_view pathOther = "other";

    std::string_view copies = "Copies";
    std::string_view link = "Link";
    std::string_view kind = "Kind";
    std::string_view copyCount = "Copies";
    std::string_view bytes = "Bytes";
    std::string_view rate = "Rate";
    std::string_view linkBusy = "Link busy";

    std::string_view stages = "Steps by stage and device";
    std::string_view step = "Step";
    std::string_view device = "Device";
    std::string_view count = "Count";
    std::string_view total = "Total";
    std::string_view mean = "Mean";
    std::string_view median = "Median";
    std::string_view p90 = "P90";
    std::string_view p99 = "P99";
    std::string_view max = "Max";
    std::string_view error = "Prediction";
    std::string_view supersededCount = "{count} more did not count";

    std::string_view machine = "Machine";
    std::string_view lanes = "{count} lanes";
    std::string_view oneLane = "1 lane";
    std::string_view absentDevice = "not here";
    std::string_view settings = "Settings";
    std::string_view order = "Order";
    std::string_view orderPlanned = "planned";
    std::string_view orderDynamic = "dynamic";
    std::string_view workers = "CPU workers";
    std::string_view imagesInFlight = "Images in flight";
    std::string_view batch = "Batch";
    std::string_view repeatSetting = "Repeats";
    std::string_view copyKind = "Copies";
    std::string_view memoryLimit = "Host memory";
    std::string_view automatic = "chosen by the program";
    std::string_view imagesEach = "{count} a step";
    std::string_view footer =
        "Made by Lanewright {version}. This page is complete in itself: it runs no script and loads nothing.";

    std::string_view reason(IdleReason reason) const { return reasons[static_cast<std::size_t>(reason)]; }
};

/// The texts of `language`; English for one that is not here.
const Texts& textsFor(std::string_view language);

/// `text` with its placeholders filled; not escaped for HTML.
std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string>>& values);

}  // namespace lanewright::html
