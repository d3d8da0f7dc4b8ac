// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/figure/stacked_bar.h"

#include <cmath>

namespace lanewright {

std::vector<BarSegment> layoutBar(std::span<const Duration> parts, Duration total, const BarOptions& options) {
    std::vector<BarSegment> segments;
    if (total <= Duration(0)) return segments;
    Duration before{0};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i] <= Duration(0)) continue;
        BarSegment segment;
        segment.part = i;
        segment.share = static_cast<double>(parts[i].count()) / static_cast<double>(total.count());
        segment.x = static_cast<double>(before.count()) / static_cast<double>(total.count()) * options.width;
        segment.width = segment.share * options.width;
        before += parts[i];
        if (segment.width < options.minimumWidth) continue;
        const std::string label = std::to_string(std::lround(segment.share * 100)) + " %";
        if (options.textWidth && options.textWidth(label) + 2 * options.labelPadding <= segment.width)
            segment.label = label;
        segments.push_back(std::move(segment));
    }
    return segments;
}

}  // namespace lanewright
