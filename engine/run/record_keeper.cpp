// SPDX-License-Identifier: GPL-3.0-or-later
// Messages are few: most images have none, so they are searched one by one.
#include "engine/run/record_keeper.h"

#include "engine/run/run_records.h"

#include <algorithm>
#include <utility>

namespace lanewright {
namespace {

void addOnce(std::vector<Message>& messages, Message message) {
    if (message.id.empty() || std::find(messages.begin(), messages.end(), message) != messages.end()) return;
    messages.push_back(std::move(message));
}

}  // namespace

RecordKeeper::RecordKeeper(const Plan& plan) : m_images(plan.imageCount()) {
    for (std::size_t i = 0; i < m_images.size(); ++i) {
        const ImageIndex image(i);
        m_images[i].name = plan.input->relativePath(image).string();
        if (const auto& meta = plan.input->image(image).meta) m_images[i].messages = meta->warnings;
    }
}

void RecordKeeper::addWarnings(ImageIndex image, std::vector<Message> warnings) {
    for (Message& warning : warnings) {
        if (image.index() < m_images.size()) {
            addOnce(m_images[image.index()].messages, std::move(warning));
        } else {
            addMessage(std::move(warning));
        }
    }
}

void RecordKeeper::addOutput(ImageIndex image, OutputFile file) {
    auto& outputs = m_images[image.index()].outputs;
    const auto same =
        std::find_if(outputs.begin(), outputs.end(), [&](const OutputFile& o) { return o.path == file.path; });
    if (same == outputs.end()) {
        outputs.push_back(std::move(file));
    } else {
        *same = std::move(file);  // written again after an attempt that did not count
    }
}

void RecordKeeper::addOutcome(const EndDecision& decision) {
    const bool failed = decision.outcome == OutcomeKind::failed;
    if (decision.image.index() >= m_images.size()) {
        if (failed) addMessage(decision.message);
        return;
    }
    ImageRecord& record = m_images[decision.image.index()];
    record.outcome = worseOutcome(record.outcome, decision.outcome);
    // That a stage was skipped says something only where no stage of the image failed: a constant did.
    if (failed) std::erase_if(record.messages, [](const Message& message) { return message.id == "stage.skipped"; });
    if (failed || record.outcome == ImageOutcome::skipped) addOnce(record.messages, decision.message);
}

void RecordKeeper::addEnd(ImageIndex image) {
    if (image.index() >= m_images.size()) return;
    ++m_ended;
    ImageRecord& record = m_images[image.index()];
    if (record.outcome == ImageOutcome::failed) ++m_failed;
    if (record.outcome == ImageOutcome::done && !record.messages.empty())
        record.outcome = ImageOutcome::doneWithWarning;
}

void RecordKeeper::addMessage(Message message) { addOnce(m_messages, std::move(message)); }

}  // namespace lanewright
