// SPDX-License-Identifier: GPL-3.0-or-later
// The rules behind Dispatch. Internal; implemented in dispatch_flow, dispatch_copies, dispatch_lanes, dispatch_ends and
// dispatch_faults.
#pragma once

#include "engine/run/dispatch.h"
#include "engine/run/dispatch_state.h"

#include <map>
#include <set>

namespace lanewright {

class Dispatch::Rules {
public:
    using DeviceState = dispatch::DeviceState;
    using ImageState = dispatch::ImageState;
    using LaneState = dispatch::LaneState;
    using Ready = dispatch::Ready;
    using SlotState = dispatch::SlotState;
    using StagePhase = dispatch::StagePhase;
    using StageState = dispatch::StageState;

    Rules(const Plan& plan, Policy& policy);

    // Events.
    void start();
    void finished(Step step, std::span<const ImageResult> results);
    void outOfMemory(Step step);
    void revoked(Step step);
    void deviceLost(DeviceId device, const Message& reason);
    void cancel();
    /// Fills lanes and looks for an end; after every event.
    void settle();

    bool complete() const;

    Instant now;
    Decisions* out = nullptr;
    std::map<StepId, Step> steps;
    std::map<ImageIndex, ImageState> images;
    std::vector<ByteCount> live;  ///< by MemoryId
    std::uint32_t imagesInFlight = 0;
    bool cancelled = false;

private:
    // Flow: images in, stages onward (dispatch_flow.cpp).
    void admitImages();
    bool openWindow(ImageIndex index);
    void open(ImageState state);
    void endUnreadable(ImageIndex index);
    void advance(ImageState& image);
    void advanceAll();
    void tryQueue(ImageState& image, StageIndex stage);
    bool inputsPossible(ImageState& image, StageIndex stage);
    bool bind(ImageState& image, StageIndex stage);
    std::optional<DeviceId> deviceFor(const ImageState& image, StageIndex stage, bool& free) const;
    std::optional<DeviceId> alternative(StageIndex stage, const StageState& state) const;
    bool usable(const StageState& state, DeviceId device) const;
    void queueFree(ImageState& image, StageIndex stage);
    const StepTemplate* nextTemplate(ImageState& image, const Variant& variant, TemplateId& id);
    void redo(ImageState& image, StageIndex stage);
    void failStage(ImageState& image, StageIndex stage, Message reason);
    void push(ImageState& image, StageIndex stage, TemplateId id, DeviceId device, bool assigned);
    void unqueue(ImageIndex image, StageIndex stage);

    // Memories, copies, taking images in (dispatch_copies.cpp).
    SlotState& slot(ImageState& image, SlotIndex index);
    const SlotState& slot(const ImageState& image, SlotIndex index) const;
    ImageState& holder(ImageState& image, SlotIndex index);
    DeviceId runsOn(const StepTemplate& step, const StageState& state) const;
    bool inputsThere(ImageState& image, const StepTemplate& step, DeviceId device);
    bool outputsClear(const ImageState& image, const StepTemplate& step, DeviceId device) const;
    bool behind(DeviceId device, StepId step) const;
    void requestCopy(ImageState& image, StageIndex consumer, SlotIndex index, MemoryId to);
    bool enter(ImageState& image, DeviceId device);
    void leave(ImageState& image);
    void letIn(DeviceId device, bool force);
    void releaseUnneeded(ImageState& image);
    bool needed(const ImageState& image, SlotIndex index) const;
    bool neededIn(const ImageState& image, SlotIndex index, MemoryId memory) const;
    void release(ImageState& image, SlotIndex index, MemoryId memory);
    void dropQueuedCopies(ImageState& image, SlotIndex index);

    // Lanes (dispatch_lanes.cpp).
    bool makeWay();
    bool fill(bool mustChoose);
    const std::vector<LaneId>& lanesByNeed();
    bool fillLane(LaneId lane, bool mustChoose);
    std::vector<Ready>& queueOf(LaneId lane);
    void collect(LaneId lane, std::vector<Candidate>& candidates, std::vector<std::size_t>& places);
    bool fits(LaneId lane, const Ready& ready) const;
    std::uint32_t batchOf(const Ready& ready, DeviceId device) const;
    std::uint32_t availableFor(const Ready& ready, DeviceId device);
    bool canJoin(TemplateId id, StageIndex stage, DeviceId device) const;
    void bindChosen(const Ready& ready, DeviceId device);
    bool submit(LaneId lane, std::size_t place, const Choice& choice);
    std::vector<LaneId> lanesFor(LaneId lane, const Ready& ready) const;
    std::vector<LaneId> idleOnly(std::span<const LaneId> lanes) const;
    std::vector<ImageIndex> takeBatch(std::vector<Ready>& queue, std::size_t place, std::uint32_t most);
    bool reserve(const Step& step, const std::vector<Ready>& parts);
    void describeInputs(Step& step, ImageState& image, const StepTemplate& stepTemplate);
    void markSubmitted(const Step& step);
    void unclaim(StageState& state);
    void detach(const Step& step);
    MemoryId outputMemory(const Step& step) const;

    // Ends of steps, stages and images (dispatch_ends.cpp).
    bool sweep();
    void imageDone(const Step& step, ImageState& image, ByteCount actual);
    void stageStepDone(const Step& step, ImageState& image);
    void endImageIfFinal(ImageIndex index);
    void endImage(ImageState& image);
    void endConstants();
    void supersede(const Step& step, std::string_view reason, ImageIndex image);

    // What goes wrong (dispatch_faults.cpp).
    void refused(const Step& step, ImageState& image, const Message& reason);
    void failed(const Step& step, ImageState& image, const Message& reason);
    void dropOutputs(const Step& step, ImageState& image);
    void backToWaiting(const Step& step, ImageState& image);
    void requeue(const Ready& ready);
    void rebind(const Ready& ready, DeviceId device, const Message& reason);
    void retryOutOfMemory();
    bool resolveOutOfMemory(DeviceId device);
    void doomDependents(const Step& step);
    void reconsider(const Ready& ready);
    bool freeDuplicates(DeviceId device, const Ready& first);
    void emptyQueues(DeviceId device);
    void loseStep(const Step& step);
    void loseMemory(ImageState& image, DeviceId device);
    void failStuck();

    DeviceState& device(DeviceId id) { return m_devices[id.index()]; }
    const DeviceState& device(DeviceId id) const { return m_devices[id.index()]; }
    std::uint32_t depthOf(FormatClassId id, StageIndex stage) const { return m_depth[id.index()][stage.index()]; }
    DeviceId ownerOf(MemoryId memory) const;

    const Plan& m_plan;
    const Machine& m_machine;
    Policy& m_policy;
    std::vector<LaneState> m_lanes;
    std::vector<DeviceState> m_devices;
    std::vector<std::vector<Ready>> m_copies;         ///< by lane: copies that wait for it
    std::vector<std::vector<std::uint32_t>> m_depth;  ///< by class, by stage
    std::vector<std::vector<std::uint8_t>> m_share;   ///< by stage: device by image, for stages with shares
    std::set<StepId> m_doomed;                        ///< in flight, but queued behind a step that did not end well
    std::uint32_t m_nextImage = 0;
    std::uint32_t m_nextStep = 0;
    StepId m_openedBy;
    ByteCount m_reserved;
    std::vector<LaneId> m_order;        ///< of lanesByNeed()
    std::vector<ImageIndex> m_touched;  ///< a stage of theirs ended since sweep()
    bool m_constantsEnded = false;
    bool m_released = false;  ///< memory came free since retryOutOfMemory()
};

}  // namespace lanewright
