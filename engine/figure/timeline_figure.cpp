// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/figure/timeline_figure.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace lanewright {
namespace {

constexpr std::size_t maxSamples = 32;

/// The first position in [from, to) whose value is at least `value`, or `to`: doubling steps, then halving, because the
/// answer is usually near.
std::size_t gallop(const std::vector<std::int64_t>& sorted, std::size_t from, std::size_t to, std::int64_t value) {
    std::size_t step = 1;
    std::size_t low = from;
    while (low + step < to && sorted[low + step] < value) {
        low += step;
        step *= 2;
    }
    const auto first = sorted.begin() + static_cast<std::ptrdiff_t>(low);
    const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(to, low + step + 1));
    return static_cast<std::size_t>(std::lower_bound(first, last, value) - sorted.begin());
}

/// The template of most time among [first, last), from at most maxSamples spans at equal distances.
std::uint16_t dominantTemplate(const LaneSpans& lane, std::size_t first, std::size_t last) {
    const std::size_t stride = (last - first + maxSamples - 1) / maxSamples;
    std::array<std::pair<std::uint16_t, std::int64_t>, maxSamples> sums{};
    std::size_t kinds = 0;
    for (std::size_t i = first; i < last; i += stride) {
        const auto known = sums.begin() + static_cast<std::ptrdiff_t>(kinds);
        auto sum = std::find_if(sums.begin(), known, [&](const auto& s) { return s.first == lane.templates[i]; });
        if (sum == known) {
            *sum = {lane.templates[i], 0};
            ++kinds;
        }
        sum->second += lane.ends[i] - lane.begins[i] + 1;  // + 1: instants count a little
    }
    const auto known = sums.begin() + static_cast<std::ptrdiff_t>(kinds);
    return std::max_element(sums.begin(), known, [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

/// The texts of one template and the widths that they need as labels.
struct LabelWidths {
    double name = 0;
    double letter = 0;
};

std::vector<LabelWidths> labelWidths(const Trace& trace, const FigureOptions& options) {
    std::vector<LabelWidths> widths;
    if (!options.textWidth) return widths;
    constexpr double never = std::numeric_limits<double>::infinity();
    const auto widthOf = [&options](const std::string& text) {
        return text.empty() ? never : options.textWidth(text) + 2 * options.labelPadding;
    };
    for (const TraceTemplate& stepTemplate : trace.templates) {
        widths.push_back({options.names ? widthOf(stepTemplate.name) : never, widthOf(stepTemplate.letter)});
    }
    return widths;
}

/// Lays out one lane. A lane's `reach` (or its ends) never falls, which is what makes skipping by binary search safe.
class LaneLayout {
public:
    LaneLayout(const FigureIndex& index, LaneId lane, const FigureOptions& options,
               const std::vector<LabelWidths>& labels)
        : m_index(index),
          m_lane(index.lane(lane)),
          m_options(options),
          m_labels(labels),
          m_sorted(m_lane.reach.empty() ? m_lane.ends : m_lane.reach),
          m_originNs(toNs(options.range.begin)),
          m_pixelsPerNs(options.width / static_cast<double>(options.range.duration().count())),
          m_foldNs(durationOf(options.foldBelow, options.range, options.width).count()),
          m_blockNs(durationOf(options.blockWidth, options.range, options.width).count()) {}

    void run(LaneFigure& figure) const {
        const std::size_t last = m_lane.firstBeginningAt(toNs(m_options.range.end));
        std::size_t i = m_lane.firstEndingAfter(toNs(m_options.range.begin));
        while (i < last) {
            if (wide(i)) {
                figure.spans.push_back(box(i));
                ++i;
            } else {
                const std::size_t end = foldEnd(i, last);
                if (end == i + 1)
                    figure.spans.push_back(box(i));
                else
                    figure.blocks.push_back(block(i, end));
                i = end;
            }
        }
    }

private:
    bool wide(std::size_t i) const { return m_lane.ends[i] - m_lane.begins[i] >= m_foldNs; }

    /// One past the last span of the block that begins with `first`. A wide span, or a gap that can be seen, makes `reach`
    /// jump by at least m_foldNs; so jumps of that length cannot pass over one.
    std::size_t foldEnd(std::size_t first, std::size_t last) const {
        const std::int64_t limit = m_lane.begins[first] + m_blockNs;
        std::size_t current = first;
        while (true) {
            const std::size_t next = gallop(m_sorted, current + 1, last, m_sorted[current] + m_foldNs);
            if (next >= last) return trimmed(current + 1, last, limit);
            if (m_lane.begins[next] >= limit) return trimmed(current + 1, next, limit);
            if (wide(next) || m_lane.begins[next] - m_sorted[next - 1] >= m_foldNs) return next;
            current = next;
        }
    }

    /// The first in [from, to] that begins at `limit` or later: the block ends there.
    std::size_t trimmed(std::size_t from, std::size_t to, std::int64_t limit) const {
        return from < to ? gallop(m_lane.begins, from, to, limit) : to;
    }

    /// pixelAt() without its divisions.
    double pixel(std::int64_t ns) const { return static_cast<double>(ns - m_originNs) * m_pixelsPerNs; }

    SpanBox box(std::size_t i) const {
        const double left = pixel(m_lane.begins[i]);
        const double right = pixel(m_lane.ends[i]);
        SpanBox result;
        result.cutLeft = left < 0;
        result.cutRight = right > m_options.width;
        result.x = std::clamp(left, 0.0, m_options.width);
        result.width = std::clamp(right, 0.0, m_options.width) - result.x;
        result.span = m_lane.spans[i];
        result.label = label(m_lane.templates[i], result.width);
        return result;
    }

    std::string_view label(std::uint16_t stepTemplate, double width) const {
        if (stepTemplate >= m_labels.size()) return {};
        const LabelWidths& widths = m_labels[stepTemplate];
        if (widths.name <= width) return m_index.trace().templates[stepTemplate].name;
        if (widths.letter <= width) return m_index.trace().templates[stepTemplate].letter;
        return {};
    }

    FoldedBlock block(std::size_t first, std::size_t last) const {
        FoldedBlock result;
        result.begin = instantFromNs(m_lane.begins[first]);
        result.end = instantFromNs(m_sorted[last - 1]);
        result.x = std::clamp(pixel(m_lane.begins[first]), 0.0, m_options.width);
        result.width = std::clamp(pixel(m_sorted[last - 1]), 0.0, m_options.width) - result.x;
        result.count = last - first;
        const std::int64_t length = (result.end - result.begin).count();
        const std::int64_t busy =
            m_lane.busy[last - 1] - m_lane.busy[first] + m_lane.ends[last - 1] - m_lane.begins[last - 1];
        result.busyShare =
            length > 0 ? std::clamp(static_cast<double>(busy) / static_cast<double>(length), 0.0, 1.0) : 1;
        result.stepTemplate = dominantTemplate(m_lane, first, last);
        return result;
    }

    const FigureIndex& m_index;
    const LaneSpans& m_lane;
    const FigureOptions& m_options;
    const std::vector<LabelWidths>& m_labels;
    const std::vector<std::int64_t>& m_sorted;
    std::int64_t m_originNs;
    double m_pixelsPerNs;
    std::int64_t m_foldNs;
    std::int64_t m_blockNs;
};

/// Gaps at least `gapBelow` wide. They are in order and do not overlap, so a wide one ends at least that long after the one
/// before it, and jumps of that length cannot pass over one.
void layoutGaps(const std::vector<IdleGap>& gaps, const FigureOptions& options, LaneFigure& figure) {
    const Duration narrowest = durationOf(options.gapBelow, options.range, options.width);
    const auto endsBefore = [](const IdleGap& gap, Instant when) { return gap.end < when; };
    const auto endOf = gaps.end();
    auto gap = std::lower_bound(gaps.begin(), endOf, options.range.begin + Duration(1), endsBefore);
    while (gap != endOf && gap->begin < options.range.end) {
        if (gap->end - gap->begin < narrowest) {
            gap = std::lower_bound(std::next(gap), endOf, gap->end + narrowest, endsBefore);
            continue;
        }
        const double left = std::clamp(pixelAt(gap->begin, options.range, options.width), 0.0, options.width);
        const double right = std::clamp(pixelAt(gap->end, options.range, options.width), 0.0, options.width);
        figure.gaps.push_back({left, right - left, &*gap});
        ++gap;
    }
}

}  // namespace

std::vector<LaneId> lanesInUse(const Machine& machine, std::span<const FigureIndex* const> traces) {
    std::vector<LaneId> lanes;
    for (const bool storage : {false, true}) {
        for (std::size_t device = 0; device < machine.devices.size(); ++device) {
            if ((DeviceId(device) == machine.storageDevice) != storage) continue;
            for (const LaneId lane : machine.devices[device].lanes) {
                const auto uses = [lane](const FigureIndex* trace) {
                    return trace && lane.index() < trace->laneCount() && trace->lane(lane).size() > 0;
                };
                if (std::any_of(traces.begin(), traces.end(), uses)) lanes.push_back(lane);
            }
        }
    }
    return lanes;
}

RowLayout layoutRows(const Machine& machine, std::span<const LaneId> lanes, const RowHeights& heights) {
    RowLayout layout;
    double y = 0;
    for (const LaneId lane : lanes) {
        const DeviceId device = machine.lane(lane).device;
        if (layout.devices.empty() || layout.devices.back().device != device) {
            if (!layout.devices.empty()) y += heights.deviceGap - heights.rowGap;
            layout.devices.push_back({device, layout.rows.size(), 0, y, 0});
        }
        layout.rows.push_back({lane, y, heights.row});
        DeviceRows& group = layout.devices.back();
        ++group.rowCount;
        group.height = y + heights.row - group.y;
        layout.height = y + heights.row;
        y += heights.row + heights.rowGap;
    }
    return layout;
}

TimelineFigure layoutTimeline(const FigureIndex& index, const RowLayout& rows, std::span<const LaneIdle> idle,
                              const FigureOptions& options) {
    TimelineFigure figure;
    figure.ticks = ticksOf(options.range, options.width, options.tickSpacing, index.trace().start);
    const std::vector<LabelWidths> labels = labelWidths(index.trace(), options);
    for (const TimelineRow& row : rows.rows) {
        LaneFigure lane;
        lane.lane = row.lane;
        if (row.lane.index() < index.laneCount() && !options.range.empty() && options.width > 0) {
            LaneLayout(index, row.lane, options, labels).run(lane);
            if (row.lane.index() < idle.size()) layoutGaps(idle[row.lane.index()].gaps, options, lane);
        }
        figure.lanes.push_back(std::move(lane));
    }
    return figure;
}

}  // namespace lanewright
