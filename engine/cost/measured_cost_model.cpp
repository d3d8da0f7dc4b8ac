// SPDX-License-Identifier: GPL-3.0-or-later
// Answers from memory; equal questions are answered once.
#include "engine/cost/cost_model.h"
#include "engine/cost/cost_store.h"
#include "engine/cost/learner.h"
#include "engine/cost/subject.h"
#include "engine/trace/trace.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace lanewright {

/// Everything behind one mutex: a look-up takes much less than a microsecond.
struct MeasuredCostModel::Data {
    std::string fingerprint;
    std::filesystem::path folder;
    CostMemory memory;
    std::mutex mutex;
    std::unordered_map<std::uint64_t, CostEstimate> estimates;  ///< by subjectHash()
    std::unordered_map<std::uint64_t, double> outputBytes;
};

namespace {

/// Room for the answers to many different questions; more means that inputs hardly ever repeat.
constexpr std::size_t mostAnswers = 100'000;
/// Of uncompressed bytes, where no encoder was ever measured.
constexpr double guessedCompression = 0.1;

template <class Answers>
void keep(Answers& answers, std::uint64_t hash, const typename Answers::mapped_type& answer) {
    if (answers.size() >= mostAnswers) answers.clear();
    answers.emplace(hash, answer);
}

CostEstimate estimateOf(const CostTable& durations, const StepQuery& query) {
    const CostSubject subject = subjectOf(query);
    const CostTable::Found found = durations.find(subject);
    CostEstimate estimate;
    estimate.duration = std::max(Duration(1), durationFromSeconds(found.value.value * subject.features.work));
    estimate.relativeSpread = found.value.relativeSpread;
    estimate.source = found.source;
    estimate.samples = found.value.samples;
    return estimate;
}

}  // namespace

MeasuredCostModel::MeasuredCostModel(const Machine& machine, std::filesystem::path folder)
    : m_data(std::make_unique<Data>()) {
    m_data->fingerprint = machine.fingerprint;
    m_data->folder = std::move(folder);
    if (!m_data->folder.empty()) {
        m_data->memory = readCosts(costFile(m_data->folder, m_data->fingerprint), m_data->fingerprint);
    }
}

MeasuredCostModel::~MeasuredCostModel() = default;
MeasuredCostModel::MeasuredCostModel(MeasuredCostModel&&) noexcept = default;

CostEstimate MeasuredCostModel::cost(const StepQuery& query) const {
    const std::uint64_t hash = subjectHash(query);
    const std::lock_guard lock(m_data->mutex);
    const auto known = m_data->estimates.find(hash);
    if (known != m_data->estimates.end()) return known->second;
    const CostEstimate estimate = estimateOf(m_data->memory.durations, query);
    keep(m_data->estimates, hash, estimate);
    return estimate;
}

ByteCount MeasuredCostModel::encodedBytes(const StepQuery& query) const {
    const std::uint64_t hash = subjectHash(query);
    const std::lock_guard lock(m_data->mutex);
    auto known = m_data->outputBytes.find(hash);
    if (known == m_data->outputBytes.end()) {
        const CostTable::Found found = m_data->memory.outputs.find(outputSubjectOf(query));
        const double share = found.value.samples > 0 ? found.value.value : guessedCompression;
        keep(m_data->outputBytes, hash, share * rawBytesOf(query));
        known = m_data->outputBytes.find(hash);
    }
    double bytes = std::max(1.0, known->second);
    for (const PortShape& port : query.call.outputs) {
        if (const auto* bound = std::get_if<BytesShape>(&port))
            bytes = std::min(bytes, static_cast<double>(bound->bound.value));
    }
    return ByteCount(static_cast<std::uint64_t>(bytes));
}

void MeasuredCostModel::learn(const Plan& plan, const Trace& trace) {
    if (trace.origin != TraceOrigin::measured) return;
    const std::lock_guard lock(m_data->mutex);
    Learner(plan, trace, m_data->memory).learn();
    m_data->estimates.clear();
    m_data->outputBytes.clear();
}

Status MeasuredCostModel::save() const {
    if (m_data->folder.empty()) return {};
    const std::lock_guard lock(m_data->mutex);
    return writeCosts(m_data->memory, costFile(m_data->folder, m_data->fingerprint), m_data->fingerprint);
}

}  // namespace lanewright
