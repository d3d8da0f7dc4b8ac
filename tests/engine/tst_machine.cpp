// SPDX-License-Identifier: GPL-3.0-or-later
// Look-ups in a machine: devices by name, lanes by role, the way from memory to memory.
#include "engine/machine/machine.h"
#include "tests/support/plan_rig.h"

#include <gtest/gtest.h>

#include <set>

namespace lanewright::test {
namespace {

class MachineLookUps : public testing::Test {
protected:
    MemoryId memoryOf(std::string_view device) const { return m_machine.device(*m_machine.findDevice(device)).memory; }
    std::vector<LinkId> route(std::string_view from, std::string_view to) const {
        return m_machine.route(memoryOf(from), memoryOf(to));
    }

    Machine m_machine = rigMachine({.workers = 3, .fakeDevices = 2, .queueDepth = 2, .deviceMemory = ByteCount(1)});
};

TEST_F(MachineLookUps, FindsDevicesByTheirWholeName) {
    EXPECT_EQ(m_machine.findDevice("cpu"), m_machine.hostDevice);
    EXPECT_TRUE(m_machine.findDevice("fake:1").has_value());
    EXPECT_FALSE(m_machine.findDevice("fake:").has_value());
    EXPECT_FALSE(m_machine.findDevice("").has_value());
}

TEST_F(MachineLookUps, ListsLanesByRole) {
    EXPECT_EQ(m_machine.lanesOf(m_machine.hostDevice, LaneRole::worker).size(), 3U);
    EXPECT_TRUE(m_machine.lanesOf(m_machine.hostDevice, LaneRole::compute).empty());
    const auto uploads = m_machine.lanesOf(*m_machine.findDevice("fake:1"), LaneRole::upload);
    ASSERT_EQ(uploads.size(), 1U);
    EXPECT_EQ(m_machine.lane(uploads[0]).name, "upload");
}

TEST_F(MachineLookUps, GoesThroughTheHostWithoutAPeerLink) {
    EXPECT_TRUE(route("cpu", "cpu").empty());
    ASSERT_EQ(route("cpu", "fake:0").size(), 1U);
    EXPECT_EQ(m_machine.link(route("cpu", "fake:0")[0]).to, memoryOf("fake:0"));
    const auto both = route("fake:0", "fake:1");
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(m_machine.link(both[0]).from, memoryOf("fake:0"));
    EXPECT_EQ(m_machine.link(both[0]).to, m_machine.hostMemory);
    EXPECT_EQ(m_machine.link(both[1]).from, m_machine.hostMemory);
    EXPECT_EQ(m_machine.link(both[1]).to, memoryOf("fake:1"));
}

TEST_F(MachineLookUps, PrefersAPeerLinkThatCanCopy) {
    const LaneId lane = m_machine.lanesOf(*m_machine.findDevice("fake:0"), LaneRole::download)[0];
    m_machine.links.push_back({memoryOf("fake:0"), memoryOf("fake:1"), lane, {0, 0, 0, 0}, Duration(0)});
    EXPECT_EQ(route("fake:0", "fake:1").size(), 2U);
    m_machine.links.back().bytesPerSecond = {0, 0, 0, 1e9};
    EXPECT_EQ(route("fake:0", "fake:1"), (std::vector{LinkId(m_machine.links.size() - 1)}));
    EXPECT_EQ(route("fake:1", "fake:0").size(), 2U);
}

TEST_F(MachineLookUps, KnowsWhenThereIsNoWay) {
    std::erase_if(m_machine.links, [this](const Link& link) { return link.from == memoryOf("fake:0"); });
    EXPECT_TRUE(route("fake:0", "cpu").empty());
    EXPECT_TRUE(route("fake:0", "fake:1").empty());
    EXPECT_EQ(route("fake:1", "fake:0").size(), 2U);
}

TEST(MachineNames, AreAllDifferent) {
    std::set<std::string_view> names;
    for (int role = 0; role <= static_cast<int>(LaneRole::peer); ++role)
        names.insert(laneRoleName(static_cast<LaneRole>(role)));
    EXPECT_EQ(names.size(), 8U);
    names.clear();
    for (std::size_t kind = 0; kind < copyKindCount; ++kind) names.insert(copyKindName(static_cast<CopyKind>(kind)));
    EXPECT_EQ(names.size(), copyKindCount);
    EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace lanewright::test
