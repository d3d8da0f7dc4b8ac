// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that was learned, and how far an answer may be fetched when the very thing asked for was never measured.
#pragma once

#include "engine/cost/cost_model.h"
#include "engine/cost/statistics.h"
#include "engine/cost/subject.h"

#include <map>
#include <optional>
#include <string>

namespace lanewright {

/// Values of durations are duration / estimated work; values of outputs are bytes / bytes uncompressed.
class CostTable {
public:
    using Variants = std::map<std::string, CostRecord>;
    using Works = std::map<std::string, Variants>;
    using Devices = std::map<std::string, Works>;

    /// About 1 MB in a file.
    static constexpr std::size_t mostClusters = 3000;

    void learn(const CostSubject& subject, double value, std::uint64_t stamp);
    /// Forgets what was not measured for longest until there is room.
    void prune();

    struct Found {
        CostValue value;
        CostSource source = CostSource::guessed;
    };
    /// The same work there; else other variants of it there; else the same work on other devices, as far as it is harder or
    /// easier there than their other work; else how this device compares with its peak rates. Value 1 when nothing is known.
    Found find(const CostSubject& subject) const;

    const Devices& devices() const { return m_devices; }
    CostRecord& record(const std::string& device, const std::string& work, const std::string& variant);

private:
    std::optional<CostValue> otherVariants(const Variants& variants, const CostSubject& subject) const;
    std::optional<CostValue> otherDevices(const CostSubject& subject) const;

    Devices m_devices;
};

}  // namespace lanewright
