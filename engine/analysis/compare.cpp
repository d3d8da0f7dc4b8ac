// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/compare.h"

#include <algorithm>
#include <compare>
#include <map>
#include <numeric>
#include <tuple>

namespace lanewright {
namespace {

/// Orders steps, also of two traces, by template and images.
std::strong_ordering compareKeys(const TraceIndex& a, const StepRecord& x, const TraceIndex& b, const StepRecord& y) {
    if (const auto order = x.stepTemplate <=> y.stepTemplate; order != 0) return order;
    const auto left = a.images(x);
    const auto right = b.images(y);
    return std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(), right.end());
}

std::vector<StepPosition> sortedByKey(const TraceIndex& index) {
    std::vector<StepPosition> order(index.steps().size());
    std::iota(order.begin(), order.end(), StepPosition{0});
    std::stable_sort(order.begin(), order.end(), [&index](StepPosition a, StepPosition b) {
        return compareKeys(index, index.step(a), index, index.step(b)) < 0;
    });
    return order;
}

/// Takes the first of each run of equal keys; the others are further attempts.
std::vector<StepPosition> firstAttempts(const TraceIndex& index, std::vector<StepId>& others) {
    std::vector<StepPosition> first;
    for (const StepPosition position : sortedByKey(index)) {
        const StepRecord& step = index.step(position);
        if (!first.empty() && compareKeys(index, index.step(first.back()), index, step) == 0) {
            others.push_back(step.id);
        } else {
            first.push_back(position);
        }
    }
    return first;
}

class Pairing {
public:
    Pairing(const TraceIndex& predicted, const TraceIndex& measured) : m_predicted(predicted), m_measured(measured) {}

    Comparison run() {
        const auto left = firstAttempts(m_predicted, m_result.unpairedPredicted);
        const auto right = firstAttempts(m_measured, m_result.unpairedMeasured);
        auto l = left.begin();
        auto r = right.begin();
        while (l != left.end() || r != right.end()) {
            const auto order = l == left.end() ? std::strong_ordering::greater
                               : r == right.end()
                                   ? std::strong_ordering::less
                                   : compareKeys(m_predicted, m_predicted.step(*l), m_measured, m_measured.step(*r));
            if (order == 0) {
                addPair(m_predicted.step(*l++), m_measured.step(*r++));
            } else if (order < 0) {
                m_result.unpairedPredicted.push_back(m_predicted.step(*l++).id);
            } else {
                m_result.unpairedMeasured.push_back(m_measured.step(*r++).id);
            }
        }
        finish();
        return std::move(m_result);
    }

private:
    void addPair(const StepRecord& predicted, const StepRecord& measured) {
        const TraceTemplate& description = m_measured.templateOf(measured);
        if (description.name != m_predicted.templateOf(predicted).name) {
            m_result.unpairedPredicted.push_back(predicted.id);
            m_result.unpairedMeasured.push_back(measured.id);
            return;
        }
        m_result.pairs.push_back({predicted.id, measured.id, predicted.duration(), measured.duration()});
        GroupError& group = m_groups[{description.category, description.name, description.stageId}];
        ++group.pairs;
        group.predicted += predicted.duration();
        group.measured += measured.duration();
    }

    void finish() {
        for (auto& [key, group] : m_groups) {
            std::tie(group.category, group.name, group.stageId) = key;
            m_result.groups.push_back(std::move(group));
        }
        std::stable_sort(m_result.groups.begin(), m_result.groups.end(),
                         [](const GroupError& a, const GroupError& b) { return a.measured > b.measured; });
        std::sort(m_result.pairs.begin(), m_result.pairs.end(),
                  [](const StepPair& a, const StepPair& b) { return a.predicted < b.predicted; });
        std::sort(m_result.unpairedPredicted.begin(), m_result.unpairedPredicted.end());
        std::sort(m_result.unpairedMeasured.begin(), m_result.unpairedMeasured.end());
        m_result.predictedMakespan = m_predicted.trace().makespan();
        m_result.measuredMakespan = m_measured.trace().makespan();
    }

    const TraceIndex& m_predicted;
    const TraceIndex& m_measured;
    Comparison m_result;
    std::map<std::tuple<SpanCategory, std::string, std::string>, GroupError> m_groups;
};

}  // namespace

Comparison compare(const TraceIndex& predicted, const TraceIndex& measured) {
    return Pairing(predicted, measured).run();
}

Comparison compare(const Trace& predicted, const Trace& measured) {
    return compare(TraceIndex(predicted), TraceIndex(measured));
}

}  // namespace lanewright
