// SPDX-License-Identifier: GPL-3.0-or-later
// Maps a device's time stamps to the run's clock. Anchors are moments when the device's clock was read between two readings
// of the host's; the map is a straight line through them, because the two clocks may run at slightly different rates.
#pragma once

#include "kernels/api/units.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace lanewright {

class DeviceClock {
public:
    /// The device's clock showed `ticks` (ns) at some moment from `before` to `after`.
    void addAnchor(std::int64_t ticks, Instant before, Instant after);
    /// Is there an anchor, and do the latest fit together with what this reading says?
    bool agrees(std::int64_t ticks, Instant before, Instant after) const;

    Instant toRun(std::int64_t ticks) const;
    /// Largest error that the anchors in use allow.
    Duration uncertainty() const { return m_uncertainty; }
    std::size_t anchors() const { return m_anchors.size(); }

private:
    struct Anchor {
        std::int64_t ticks;
        double offset;  ///< host - device, middle of the bracket, ns
        double half;    ///< half the bracket's width, ns
    };
    void fit();
    double offsetAt(std::int64_t ticks) const;

    std::deque<Anchor> m_anchors;
    std::int64_t m_origin = 0;
    double m_offset = 0;
    double m_rate = 0;  ///< ns of offset a ns
    Duration m_uncertainty{0};
};

}  // namespace lanewright
