// SPDX-License-Identifier: GPL-3.0-or-later
// Why lanes were idle: the gaps of each lane, each with a reason, so that busy time and reasons sum exactly to the makespan.
#pragma once

#include "engine/analysis/trace_index.h"

#include <array>
#include <string_view>
#include <vector>

namespace lanewright {

/// What the next step on the lane was waiting for.
enum class IdleReason : std::uint8_t {
    waitingForFile,      ///< the file was being read
    inputCopy,           ///< an input was being copied to where the lane is
    dependency,          ///< an earlier stage was running, or in line for its lane
    outputSlotOrWindow,  ///< as many images were in flight as may be
    device,              ///< submitted; the device had not begun, or did something else that excludes it
    write,               ///< a file was being written
    scheduler,           ///< everything was there and nobody had submitted it
    reserved,            ///< held for a step over several lanes whose part here was shorter
    nothingLeft,         ///< the lane had its last step behind it
};
inline constexpr std::size_t idleReasonCount = 9;

/// Stable name in files: "waitingForFile".
std::string_view idleReasonName(IdleReason reason);

/// [begin, end) of one lane. `next`: the step that came after it on the lane (invalid: none). `on`: the step that was
/// running or in line meanwhile and that `next` needed, directly or through others (invalid: nothing but the lane itself).
struct IdleGap {
    Instant begin;
    Instant end;
    StepId next;
    StepId on;
    IdleReason reason = IdleReason::nothingLeft;

    friend bool operator==(const IdleGap&, const IdleGap&) = default;
};

/// busy + all idle = makespan, in ns. Gaps are in order of time, do not overlap, and sum to the idle times by reason.
struct LaneIdle {
    Duration busy{0};
    std::array<Duration, idleReasonCount> idle{};
    std::vector<IdleGap> gaps;

    Duration idleFor(IdleReason reason) const { return idle[static_cast<std::size_t>(reason)]; }
    Duration total() const;
};

/// By LaneId. A gap before a step S is split, going back in time from S: from its submission on it waited for the device;
/// from being ready to its submission for the scheduler; before, for whatever it needed last (its cause, or the maker of
/// one of its inputs): while that ran, or stood in line behind other steps of its lane, the reason is what kind of step it
/// is; before, whatever that one waited for in turn, up to the gap's begin. A read that waited for another image to end
/// waited for the window (for the write, while the step that ended it was one).
std::vector<LaneIdle> idleOf(const TraceIndex& index);
std::vector<LaneIdle> idleOf(const Trace& trace);

}  // namespace lanewright
