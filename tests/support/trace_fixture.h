// SPDX-License-Identifier: GPL-3.0-or-later
// Traces from a few lines of text, one a lane, and back; for tests that would drown in spans otherwise.
#pragma once

#include "engine/plan/plan.h"
#include "engine/trace/trace.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright::test {

/// A trace of `plan` (see plan_rig.h) from lines such as
///     read: rD0[0-5] rD1[5-10]
///     worker 1: D0[5-15] E0[40-50]
///     fake:0 upload: >D0[15-20]
///     fake:0 compute: A0+1[20-30]
///     write: wE0[50-55 s52 <E0]
/// Lanes of devices other than host and storage have the device in front. A span is what ran, its images, and its begin and
/// end in ns. What: the letter of the stage (its id when another stage has the letter too); r and w before it for reading
/// and writing its file, ~ for a conversion, > and < for copies of its output to and from a device (of another slot: with
/// the slot's name). "D0'" is a second attempt; the same text on several lanes is one step with parts.
/// In brackets may follow rN (ready at N), sN (submitted), <what (its cause). Without: the cause is the maker of an input
/// that ended last, ready when the cause ended, submitted once ready and the lane free.
/// Further lines: "origin: measured", "start: N", "end: N" (else: of the last span), "superseded: D0' deviceLost 12".
/// Bytes, outcomes (done), ends of images (with their last span), counters and batches follow from that.
/// Unknown text: a test failure, and what was read until then.
Trace traceFromText(const Plan& plan, std::string_view text);

/// The lane lines of a trace, spans by begin, without what follows from defaults.
std::string traceText(const Plan& plan, const Trace& trace);

/// A copy whose spans `change` may alter, drop or add to.
Trace withSpans(const Trace& trace, const std::function<void(std::vector<Span>&)>& change);

/// The step that ran `what` ("D0", ">D1"); a test failure when there is none.
StepId stepOf(const Plan& plan, const Trace& trace, std::string_view what);

}  // namespace lanewright::test
