// SPDX-License-Identifier: GPL-3.0-or-later
// The image file format of the test stages: nine bytes of header and a payload that is repeated to fill the image.
#pragma once

#include "kernels/api/catalog.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lanewright::test {

inline constexpr std::size_t testFileHeaderBytes = 9;
using TestFileBytes = std::array<std::byte, testFileHeaderBytes>;

/// 1 component: gray8; 3: rgb8.
struct TestFileHeader {
    std::int32_t width = 0;
    std::int32_t height = 0;
    int components = 0;
};
TestFileBytes testFileHeader(const TestFileHeader& header);
std::optional<TestFileHeader> readTestFileHeader(std::span<const std::byte> bytes);

/// A test file: header and `payload` (see test_source). Without a payload the source fails with image.damaged.
std::vector<std::byte> testFile(std::int32_t width, std::int32_t height, int components,
                                const std::vector<std::byte>& payload);

/// The same with 64 payload bytes that depend on `seed`.
std::vector<std::byte> testFile(std::int32_t width, std::int32_t height, int components, std::uint32_t seed);

/// The samples of a test file as test_source makes them, row by row without padding.
std::vector<std::byte> testPixels(const std::vector<std::byte>& file);

/// Prober of test files (codec "test").
Result<ProbedImage> probeTestFile(std::span<const std::byte> head, ByteCount fileBytes);

}  // namespace lanewright::test
