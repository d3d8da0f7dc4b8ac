// SPDX-License-Identifier: GPL-3.0-or-later
// Turns the spans of a measured trace into what steps would have taken alone, and puts that into memory.
#pragma once

#include "engine/cost/cost_model.h"
#include "engine/cost/cost_store.h"
#include "engine/cost/load.h"
#include "engine/trace/trace.h"

#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanewright {

class Learner {
public:
    Learner(const Plan& plan, const Trace& trace, CostMemory& memory);

    void learn();

private:
    /// All parts of one step.
    struct Measured {
        const Span* first = nullptr;
        double seconds = 0;  ///< of all parts, each as if alone
    };

    void rememberWhatDoesNotCount();
    std::vector<Measured> measuredSteps() const;
    void learnStep(const Measured& step);
    void learnOutput(const StepQuery& query, ByteCount bytes);
    std::vector<ImageIndex> imagesOf(const Span& span) const;
    const ImageShapes& shapes(ImageIndex image);

    const Plan& m_plan;
    const Trace& m_trace;
    CostMemory& m_memory;
    LaneLoad m_load;
    std::set<StepId> m_superseded;
    std::set<std::pair<ImageIndex, StageIndex>> m_notDone;
    std::map<StepId, const Batch*> m_batches;
    std::unordered_map<ImageIndex, ImageShapes> m_shapes;
    QueryScratch m_scratch;
};

}  // namespace lanewright
