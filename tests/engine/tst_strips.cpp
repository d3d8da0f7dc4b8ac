// SPDX-License-Identifier: GPL-3.0-or-later
// The rule for which rows run on which lane.
#include "engine/run/strips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace lanewright {
namespace {

TEST(Strips, CoverAllRowsOnceInOrder) {
    for (const std::int32_t rows : {1, 2, 5, 7, 8, 15, 16, 17, 100, 3000, 65535}) {
        for (const std::int32_t align : {1, 2, 8, 16, 100}) {
            for (const std::size_t lanes : {1U, 2U, 3U, 7U, 64U}) {
                const auto parts = splitRows(rows, align, lanes);
                ASSERT_FALSE(parts.empty());
                ASSERT_LE(parts.size(), lanes);
                std::int32_t next = 0;
                std::int32_t longest = 0;
                std::int32_t shortest = rows;
                for (const RowRange part : parts) {
                    ASSERT_EQ(part.begin, next);
                    ASSERT_FALSE(part.empty());
                    ASSERT_EQ(part.begin % std::min(align, rows), 0);
                    longest = std::max(longest, part.count());
                    shortest = std::min(shortest, part.count());
                    next = part.end;
                }
                ASSERT_EQ(next, rows);
                ASSERT_LT(longest - shortest, 2 * std::min(align, rows)) << rows << " " << align << " " << lanes;
            }
        }
    }
}

TEST(Strips, LargerPartsComeFirst) {
    EXPECT_EQ(splitRows(5, 1, 2), (std::vector<RowRange>{{0, 3}, {3, 5}}));
    EXPECT_EQ(splitRows(40, 16, 2), (std::vector<RowRange>{{0, 32}, {32, 40}}));
    EXPECT_EQ(splitRows(10, 16, 4), (std::vector<RowRange>{{0, 10}}));
}

TEST(Strips, RowsOfWhatIsMadeOrElseRead) {
    const std::array<PortShape, 1> image = {ImageShape{10, 20, rgb8}};
    const std::array<PortShape, 1> small = {ImageShape{5, 7, rgb8}};
    const std::array<PortShape, 1> bytes = {BytesShape{ByteCount(100)}};
    EXPECT_EQ(rowsOf(bytes, image), 20);  // decode
    EXPECT_EQ(rowsOf(image, small), 7);   // resize
    EXPECT_EQ(rowsOf(image, bytes), 20);  // encode
    EXPECT_EQ(rowsOf(bytes, bytes), 1);
}

}  // namespace
}  // namespace lanewright
