// SPDX-License-Identifier: GPL-3.0-or-later
// Collects what becomes of each image while a run goes on: outcome, messages, output files.
#pragma once

#include "engine/devices/driver.h"
#include "engine/plan/plan.h"
#include "engine/run/run.h"
#include "engine/run/step.h"

#include <cstddef>
#include <string>
#include <vector>

namespace lanewright {

class RecordKeeper {
public:
    explicit RecordKeeper(const Plan& plan);

    void addWarnings(ImageIndex image, std::vector<Message> warnings);
    void addOutput(ImageIndex image, OutputFile file);
    /// The final outcome of one stage. What befell the constants is a message of the run.
    void addOutcome(const EndDecision& decision);
    void addEnd(ImageIndex image);
    /// About the run as a whole; the same is said once.
    void addMessage(Message message);

    std::size_t ended() const { return m_ended; }
    std::size_t failed() const { return m_failed; }
    std::vector<ImageRecord> takeImages() { return std::move(m_images); }
    std::vector<Message> takeMessages() { return std::move(m_messages); }

private:
    std::vector<ImageRecord> m_images;
    std::vector<Message> m_messages;
    std::size_t m_ended = 0;
    std::size_t m_failed = 0;
};

}  // namespace lanewright
