// SPDX-License-Identifier: GPL-3.0-or-later
// Walks back from the end; every step of the walk begins before the last one, so it ends.
#include "engine/analysis/critical_path.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lanewright {
namespace {

std::string_view kindName(PathPieceKind kind) {
    switch (kind) {
    case PathPieceKind::step: return "step";
    case PathPieceKind::scheduler: return "scheduler";
    case PathPieceKind::device: return "device";
    case PathPieceKind::finishing: return "finishing";
    }
    return "";
}

StepPosition lastToEnd(const TraceIndex& index, Instant end) {
    StepPosition last = noStep;
    for (std::size_t i = 0; i < index.steps().size(); ++i) {
        const StepRecord& step = index.steps()[i];
        if (step.begin >= end) continue;
        if (last == noStep || step.end > index.step(last).end) last = static_cast<StepPosition>(i);
    }
    return last;
}

StepPosition heldUpBy(const TraceIndex& index, const StepRecord& step) {
    StepPosition latest = step.blocker;
    for (const StepPosition candidate : {step.lanePrevious, step.unitPrevious}) {
        if (candidate == noStep) continue;
        if (latest == noStep || index.step(candidate).end > index.step(latest).end) latest = candidate;
    }
    return latest;
}

/// Pieces back to front; each ends where the one after it begins.
class Path {
public:
    Path(const Trace& trace, std::vector<PathPiece>& pieces)
        : m_start(trace.start), m_to(std::max(trace.start, trace.end)), m_pieces(pieces) {}

    void fill(Instant begin, PathPieceKind kind, StepId step) {
        begin = std::max(begin, m_start);
        if (begin >= m_to) return;
        m_pieces.push_back({begin, m_to, step, kind});
        m_to = begin;
    }
    Instant start() const { return m_start; }
    bool done() const { return m_to <= m_start; }

private:
    Instant m_start;
    Instant m_to;
    std::vector<PathPiece>& m_pieces;
};

std::vector<PathShare> sharesOf(const TraceIndex& index, const std::vector<PathPiece>& pieces) {
    std::map<std::tuple<PathPieceKind, SpanCategory, std::string, std::string>, Duration> sums;
    for (const PathPiece& piece : pieces) {
        const StepPosition position = piece.kind == PathPieceKind::step ? index.find(piece.step) : noStep;
        if (position == noStep) {
            sums[{piece.kind, SpanCategory::stage, std::string(kindName(piece.kind)), {}}] += piece.end - piece.begin;
            continue;
        }
        const TraceTemplate& description = index.templateOf(index.step(position));
        sums[{piece.kind, description.category, description.name, description.stageId}] += piece.end - piece.begin;
    }
    const double makespan = std::max(1.0, static_cast<double>(index.trace().makespan().count()));
    std::vector<PathShare> shares;
    for (const auto& [key, sum] : sums) {
        const auto& [kind, category, name, stageId] = key;
        shares.push_back({kind, category, name, stageId, sum, static_cast<double>(sum.count()) / makespan});
    }
    std::stable_sort(shares.begin(), shares.end(),
                     [](const auto& a, const auto& b) { return a.duration > b.duration; });
    return shares;
}

}  // namespace

CriticalPath criticalPathOf(const TraceIndex& index) {
    CriticalPath result;
    Path path(index.trace(), result.pieces);
    StepPosition position = lastToEnd(index, index.trace().end);
    path.fill(index.endOf(position), PathPieceKind::finishing, {});
    while (position != noStep && !path.done()) {
        const StepRecord& step = index.step(position);
        path.fill(step.begin, PathPieceKind::step, step.id);
        position = heldUpBy(index, step);
        const Instant free = std::min(index.endOf(position), step.begin);
        path.fill(std::max(step.submitted, free), PathPieceKind::device, step.id);
        path.fill(free, PathPieceKind::scheduler, step.id);
    }
    path.fill(path.start(), PathPieceKind::finishing, {});  // a trace without steps
    std::reverse(result.pieces.begin(), result.pieces.end());
    result.shares = sharesOf(index, result.pieces);
    return result;
}

CriticalPath criticalPathOf(const Trace& trace) { return criticalPathOf(TraceIndex(trace)); }

}  // namespace lanewright
