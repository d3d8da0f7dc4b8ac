// SPDX-License-Identifier: GPL-3.0-or-later
// The rule book: what may start next, where, with which copies; what happens when something goes wrong. No clock, thread
// or device: simulator and executor feed it events and carry out its decisions. One thread at a time.
#pragma once

#include "engine/plan/plan.h"
#include "engine/plan/policy.h"
#include "engine/run/step.h"

#include <memory>
#include <span>

namespace lanewright {

class Dispatch {
public:
    /// `plan` and `policy` must outlive it.
    Dispatch(const Plan& plan, Policy& policy);
    ~Dispatch();
    Dispatch(const Dispatch&) = delete;
    Dispatch& operator=(const Dispatch&) = delete;

    /// Events. Each appends what follows from it to `decisions`, in the order to carry them out. Events for steps that were
    /// superseded are ignored.
    void start(Instant now, Decisions& decisions);
    void started(StepId step, Instant now);
    /// One result for each of the step's images, in order.
    void finished(StepId step, Instant now, std::span<const ImageResult> results, Decisions& decisions);
    /// Nothing of the step ran.
    void outOfMemory(StepId step, Instant now, Decisions& decisions);
    /// A revoked step had not begun and will not run.
    void revoked(StepId step, Instant now, Decisions& decisions);
    /// No step in flight on the device will report any more; its memory is gone.
    void deviceLost(DeviceId device, Instant now, const Message& reason, Decisions& decisions);
    /// Nothing new starts; unfinished images end as cancelled once their steps in flight have finished.
    void cancel(Instant now, Decisions& decisions);

    /// True once every image has ended and nothing is in flight.
    bool complete() const;
    /// Valid from its SubmitDecision until its finished(), outOfMemory() or revoked() has returned.
    const Step& step(StepId id) const;
    /// Shapes of an image in flight (or of the constants).
    const ImageShapes& shapes(ImageIndex image) const;
    /// Bytes that are really in a buffer's BytesShape; 0 until it is written.
    ByteCount actualBytes(ImageIndex image, SlotIndex slot) const;
    ByteCount liveBytes(MemoryId memory) const;
    std::uint32_t imagesInFlight() const;

private:
    class Rules;
    std::unique_ptr<Rules> m_rules;
};

}  // namespace lanewright
