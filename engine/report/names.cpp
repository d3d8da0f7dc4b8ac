// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/names.h"

#include <cctype>

namespace lanewright {

std::string_view originName(TraceOrigin origin) {
    switch (origin) {
    case TraceOrigin::predicted: return "predicted";
    case TraceOrigin::measured: return "measured";
    case TraceOrigin::simulated: return "simulated";
    }
    return "";
}

std::string_view categoryName(SpanCategory category) {
    switch (category) {
    case SpanCategory::stage: return "stage";
    case SpanCategory::conversion: return "conversion";
    case SpanCategory::copy: return "copy";
    case SpanCategory::read: return "read";
    case SpanCategory::write: return "write";
    case SpanCategory::setup: return "setup";
    }
    return "";
}

std::string_view outcomeName(ImageOutcome outcome) {
    switch (outcome) {
    case ImageOutcome::done: return "done";
    case ImageOutcome::doneWithWarning: return "done_with_warning";
    case ImageOutcome::failed: return "failed";
    case ImageOutcome::skipped: return "skipped";
    case ImageOutcome::cancelled: return "cancelled";
    }
    return "";
}

std::string idleKey(IdleReason reason) {
    std::string key;
    for (const char c : idleReasonName(reason)) {
        if (std::isupper(static_cast<unsigned char>(c))) key += '_';
        key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return key;
}

std::string memoryName(const Machine& machine, MemoryId memory) {
    return memory.index() < machine.memories.size() ? machine.memory(memory).name : std::string();
}

}  // namespace lanewright
