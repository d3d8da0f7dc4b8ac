// SPDX-License-Identifier: GPL-3.0-or-later
// What was measured of one kind of work, kept in few numbers: recent values in clusters of like circumstances.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lanewright {

/// Circumstances that a value depends on; nearness is measured in logarithms, so that twice is as far as half.
struct CostFeatures {
    double work = 1e-6;  ///< seconds by the operation's own estimate and the device's peak rates; megapixels of outputs
    double density = 0;  ///< compressed bytes a pixel of a source; 0 elsewhere
    std::vector<double> numbers;  ///< numeric parameters

    /// 0 for equal ones; 1 is about a factor of e in work, or clearly different parameters.
    double distance(const CostFeatures& other) const;
};

struct CostValue {
    double value = 0;
    double relativeSpread = 0;
    double distance = 0;  ///< to the nearest cluster
    std::uint32_t samples = 0;
};

/// The most recent values measured under like circumstances.
class CostCluster {
public:
    static constexpr std::size_t mostValues = 32;

    CostCluster() = default;
    CostCluster(CostFeatures features, std::vector<double> values, std::uint64_t stamp);

    void add(double value, std::uint64_t stamp);
    /// Mean of the values that are within a factor of three of the median, recent ones counting more: an outlier among five
    /// does not matter, a drift is followed within a run or two, and what is often a little slower counts.
    CostValue value() const;

    const CostFeatures& features() const { return m_features; }
    const std::vector<double>& values() const { return m_values; }  ///< oldest first
    std::uint64_t stamp() const { return m_stamp; }

private:
    CostFeatures m_features;
    std::vector<double> m_values;
    std::uint64_t m_stamp = 0;  ///< the run that added the last value
};

/// The clusters of one kind of work.
class CostRecord {
public:
    static constexpr std::size_t mostClusters = 24;
    /// Closer than this is the same circumstances.
    static constexpr double near = 0.2;

    void learn(const CostFeatures& features, double value, std::uint64_t stamp);
    void add(CostCluster cluster);
    /// None without values. Between clusters a mean weighted by nearness.
    std::optional<CostValue> estimate(const CostFeatures& features) const;

    const std::vector<CostCluster>& clusters() const { return m_clusters; }
    void dropOldest();
    /// At most `most` clusters whose last value came before `stamp`; how many.
    std::size_t dropOlderThan(std::uint64_t stamp, std::size_t most);
    std::uint64_t oldestStamp() const;

private:
    std::vector<CostCluster> m_clusters;
};

}  // namespace lanewright
