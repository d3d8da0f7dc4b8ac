// SPDX-License-Identifier: GPL-3.0-or-later
// Figures from few and noisy values: outliers, drift, and what lies between the sizes that were measured.
#include "engine/cost/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lanewright {
namespace {

CostCluster clusterOf(std::vector<double> values) { return {{}, std::move(values), 1}; }

TEST(CostCluster, AnOutlierAmongFiveDoesNotMatter) {
    EXPECT_NEAR(clusterOf({10, 1, 1.02, 0.98, 1.01, 0.99}).value().value, 1, 0.01);
    EXPECT_NEAR(clusterOf({1, 1.02, 0.98, 1.01, 0.99, 0.1}).value().value, 1, 0.01);
    EXPECT_LT(clusterOf({10, 1, 1.02, 0.98, 1.01, 0.99}).value().relativeSpread, 0.05);
}

TEST(CostCluster, WhatIsOftenALittleSlowerCounts) {
    EXPECT_NEAR(clusterOf({1, 1.5, 1, 1.5, 1, 1.5, 1, 1.5}).value().value, 1.25, 0.03);
}

TEST(CostCluster, DriftIsFollowed) {
    CostCluster cluster;
    for (int i = 0; i < 100; ++i) cluster.add(1, 1);
    for (int i = 0; i < 24; ++i) cluster.add(1.5, 2);
    EXPECT_NEAR(cluster.value().value, 1.5, 0.1);
    EXPECT_EQ(cluster.values().size(), CostCluster::mostValues);
    EXPECT_EQ(cluster.stamp(), 2U);
}

CostFeatures workOf(double seconds, std::vector<double> numbers = {}) { return {seconds, 0, std::move(numbers)}; }

TEST(CostRecord, InterpolatesBetweenSizes) {
    CostRecord record;
    for (int i = 0; i < 8; ++i) {
        record.learn(workOf(0.001), 2, 1);
        record.learn(workOf(0.1), 1, 1);
    }
    ASSERT_EQ(record.clusters().size(), 2U);
    EXPECT_NEAR(record.estimate(workOf(0.001))->value, 2, 0.01);
    EXPECT_NEAR(record.estimate(workOf(0.1))->value, 1, 0.01);
    const CostValue between = *record.estimate(workOf(0.01));
    EXPECT_NEAR(between.value, std::sqrt(2.0), 0.02);
    EXPECT_GT(between.distance, CostRecord::near);
    EXPECT_GT(record.estimate(workOf(10))->relativeSpread, between.relativeSpread);
    EXPECT_FALSE(CostRecord().estimate(workOf(1)));
}

TEST(CostRecord, NearParametersCountMore) {
    CostRecord record;
    for (int i = 0; i < 8; ++i) {
        record.learn(workOf(0.01, {1.5}), 1, 1);
        record.learn(workOf(0.01, {20}), 3, 1);
    }
    EXPECT_NEAR(record.estimate(workOf(0.01, {1.6}))->value, 1, 0.05);
    EXPECT_NEAR(record.estimate(workOf(0.01, {18}))->value, 3, 0.1);
}

TEST(CostRecord, ManySizesStayBoundedAndKnown) {
    CostRecord record;
    for (int i = 0; i < 400; ++i) record.learn(workOf(1e-4 * std::pow(1.3, i % 80)), 1.0, 1);
    EXPECT_EQ(record.clusters().size(), CostRecord::mostClusters);
    for (int i = 0; i < 40; ++i) record.learn(workOf(5, {std::pow(2, i)}), 1.0, 2);
    EXPECT_EQ(record.clusters().size(), CostRecord::mostClusters);
    EXPECT_EQ(record.oldestStamp(), 2U) << "what is old goes first";
}

}  // namespace
}  // namespace lanewright
