// SPDX-License-Identifier: GPL-3.0-or-later
// The geometry of the timeline: rows, span rectangles with the labels that fit, folded blocks, gaps and ticks. Values in,
// values out; whoever paints (window, report) only walks small arrays. Cost depends on pixels, not on the trace's length.
#pragma once

#include "engine/analysis/idle.h"
#include "engine/figure/figure_index.h"
#include "engine/figure/time_scale.h"
#include "engine/machine/machine.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace lanewright {

struct RowHeights {
    double row = 20;
    double rowGap = 6;
    double deviceGap = 14;  ///< between the last row of a device and the first of the next
};

struct TimelineRow {
    LaneId lane;
    double y = 0;
    double height = 0;
};

/// The rows of one device: `rowCount` from `firstRow` on.
struct DeviceRows {
    DeviceId device;
    std::size_t firstRow = 0;
    std::size_t rowCount = 0;
    double y = 0;
    double height = 0;
};

/// Where lanes lie from top to bottom. Shared by the predicted and the measured figure, so that they match.
struct RowLayout {
    std::vector<TimelineRow> rows;
    std::vector<DeviceRows> devices;
    double height = 0;
};

/// Lanes with a span in any of the traces, in machine order; storage comes last.
std::vector<LaneId> lanesInUse(const Machine& machine, std::span<const FigureIndex* const> traces);

/// Stacks `lanes` in the order given; neighbours of one device form a group.
RowLayout layoutRows(const Machine& machine, std::span<const LaneId> lanes, const RowHeights& heights = {});

struct FigureOptions {
    TimeRange range;
    double width = 1000;      ///< pixels
    double foldBelow = 1;     ///< spans narrower than this are folded into blocks
    double blockWidth = 12;   ///< pixels that a block covers at most (a little more when its last span is cut there)
    double gapBelow = 2;      ///< gaps narrower than this are left out (sums still have them)
    double labelPadding = 3;  ///< left and right of a label
    double tickSpacing = 80;
    /// Width of a text in pixels; empty: no labels.
    std::function<double(std::string_view)> textWidth;
    bool names = true;  ///< labels may be names; false: letters only
};

/// One span. `x` and `width` are cut at the figure's edges.
struct SpanBox {
    double x = 0;
    double width = 0;
    const Span* span = nullptr;
    std::string_view label;  ///< the template's name, its letter, or nothing: what fits
    bool cutLeft = false;
    bool cutRight = false;
};

/// Neighbouring spans, each too narrow to see. `count` is exact; `stepTemplate` is that of most of the block's time, found
/// from at most 32 of its spans.
struct FoldedBlock {
    double x = 0;
    double width = 0;
    std::size_t count = 0;
    Instant begin;
    Instant end;
    double busyShare = 0;  ///< of the block's time, 0..1
    std::uint16_t stepTemplate = 0;
};

struct GapBox {
    double x = 0;
    double width = 0;
    const IdleGap* gap = nullptr;
};

struct LaneFigure {
    LaneId lane;
    std::vector<SpanBox> spans;
    std::vector<FoldedBlock> blocks;
    std::vector<GapBox> gaps;
};

struct TimelineFigure {
    std::vector<LaneFigure> lanes;  ///< by row
    Ticks ticks;
};

/// Lays out what `options.range` shows of each row. `idle`: by LaneId, empty for no gaps. The figure points into `idle` and
/// into the index's trace.
TimelineFigure layoutTimeline(const FigureIndex& index, const RowLayout& rows, std::span<const LaneIdle> idle,
                              const FigureOptions& options);

}  // namespace lanewright
