// SPDX-License-Identifier: GPL-3.0-or-later
// The pool of host memory: classes, reuse, limit, trimming, threads.
#include "engine/devices/host_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace lanewright {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

TEST(SizeClass, WastesAtMostAnEighthOrOneLine) {
    for (std::size_t bytes = 1; bytes < (std::size_t{1} << 34); bytes += 1 + bytes / 97) {
        const std::size_t rounded = sizeClassOf(bytes);
        ASSERT_GE(rounded, bytes);
        ASSERT_TRUE((rounded - bytes) * 8 <= bytes || rounded - bytes < 64) << bytes << " -> " << rounded;
        ASSERT_EQ(sizeClassOf(rounded), rounded);
        ASSERT_EQ(rounded % 64, 0U);
    }
}

TEST(HostPool, GivesAlignedWritableBlocks) {
    const auto pool = HostPool::create(ByteCount(512 * mib));
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4097}, mib, 9 * mib + 1}) {
        const BufferPtr buffer = pool->allocate(ByteCount(bytes));
        ASSERT_TRUE(buffer);
        EXPECT_EQ(buffer->size.value, bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->hostData()) % 64, 0U);
        std::memset(buffer->hostData(), 1, bytes);
    }
}

TEST(HostPool, ReusesTheBlockThatWasFreedLast) {
    const auto pool = HostPool::create(ByteCount(512 * mib));
    BufferPtr first = pool->allocate(ByteCount(3 * mib));
    BufferPtr second = pool->allocate(ByteCount(3 * mib));
    const std::byte* block = second->hostData();
    first.reset();
    second.reset();
    // Another size of the same class.
    EXPECT_EQ(pool->allocate(ByteCount(3 * mib - 100))->hostData(), block);
    EXPECT_EQ(pool->statistics().fresh, 2U);
    EXPECT_EQ(pool->statistics().reused, 1U);
}

TEST(HostPool, RefusesBeyondItsLimitAndRecovers) {
    const auto pool = HostPool::create(ByteCount(10 * mib));
    const BufferPtr first = pool->allocate(ByteCount(6 * mib));
    ASSERT_TRUE(first);
    EXPECT_FALSE(pool->allocate(ByteCount(6 * mib)));
    EXPECT_TRUE(pool->allocate(ByteCount(4 * mib)));
    EXPECT_FALSE(pool->allocate(ByteCount(11 * mib)));
}

TEST(HostPool, FreeBlocksMakeWayForOtherSizes) {
    const auto pool = HostPool::create(ByteCount(10 * mib));
    pool->allocate(ByteCount(8 * mib)).reset();
    EXPECT_EQ(pool->statistics().cached, 8 * mib);
    EXPECT_TRUE(pool->allocate(ByteCount(9 * mib)));
    EXPECT_EQ(pool->statistics().cached, 9 * mib);
}

TEST(HostPool, ImagesOfManySizesDoNotPileUp) {
    const auto pool = HostPool::create(ByteCount(4096 * mib));
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const BufferPtr buffer = pool->allocate(ByteCount(mib + i * 64 * 1024));
        const auto statistics = pool->statistics();
        ASSERT_LE(statistics.live + statistics.cached, std::max(statistics.peakLive * 3 / 2, std::size_t{64 * mib}));
    }
}

TEST(HostPool, OutlivesItsHandleWhileBuffersLive) {
    auto pool = HostPool::create(ByteCount(64 * mib));
    BufferPtr buffer = pool->allocate(ByteCount(mib));
    pool.reset();
    std::memset(buffer->hostData(), 1, mib);
    buffer.reset();
}

TEST(HostPool, ThreadsShareIt) {
    const auto pool = HostPool::create(ByteCount(512 * mib));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&pool, t] {
            for (std::uint64_t i = 0; i < 500; ++i) {
                const BufferPtr buffer = pool->allocate(ByteCount(1000 + 4096 * (i % 7)));
                std::memset(buffer->hostData(), t, 1000);
                const std::byte value{static_cast<unsigned char>(t)};
                for (std::size_t k = 0; k < 1000; ++k) ASSERT_EQ(buffer->hostData()[k], value);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(pool->statistics().live, 0U);
    EXPECT_EQ(pool->statistics().fresh + pool->statistics().reused, 2000U);
}

}  // namespace
}  // namespace lanewright
