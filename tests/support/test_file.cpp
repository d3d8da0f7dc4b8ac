// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_file.h"

#include <algorithm>
#include <cstring>

namespace lanewright::test {
namespace {

// "LWT1", components (1 or 3), width and height as 16-bit little endian, payload.
constexpr std::array<char, 4> magic = {'L', 'W', 'T', '1'};

int at(std::span<const std::byte> bytes, std::size_t index) { return std::to_integer<int>(bytes[index]); }

bool beginsAsTestFile(std::span<const std::byte> bytes) {
    const std::size_t count = std::min(bytes.size(), magic.size());
    return count > 0 && std::memcmp(bytes.data(), magic.data(), count) == 0;
}

}  // namespace

TestFileBytes testFileHeader(const TestFileHeader& header) {
    TestFileBytes bytes{};
    std::memcpy(bytes.data(), magic.data(), magic.size());
    bytes[4] = static_cast<std::byte>(header.components);
    bytes[5] = static_cast<std::byte>(header.width & 0xff);
    bytes[6] = static_cast<std::byte>(header.width >> 8);
    bytes[7] = static_cast<std::byte>(header.height & 0xff);
    bytes[8] = static_cast<std::byte>(header.height >> 8);
    return bytes;
}

std::optional<TestFileHeader> readTestFileHeader(std::span<const std::byte> bytes) {
    if (bytes.size() < testFileHeaderBytes || !beginsAsTestFile(bytes)) return std::nullopt;
    const TestFileHeader header{at(bytes, 5) | at(bytes, 6) << 8, at(bytes, 7) | at(bytes, 8) << 8, at(bytes, 4)};
    if (header.width == 0 || header.height == 0 || (header.components != 1 && header.components != 3))
        return std::nullopt;
    return header;
}

std::vector<std::byte> testFile(std::int32_t width, std::int32_t height, int components,
                                const std::vector<std::byte>& payload) {
    const auto header = testFileHeader({width, height, components});
    std::vector<std::byte> file(header.size() + payload.size());
    std::copy(payload.begin(), payload.end(), std::copy(header.begin(), header.end(), file.begin()));
    return file;
}

std::vector<std::byte> testFile(std::int32_t width, std::int32_t height, int components, std::uint32_t seed) {
    std::vector<std::byte> payload;
    std::uint32_t value = seed * 2654435761U + 1;
    for (int i = 0; i < 64; ++i) {
        value = value * 1664525U + 1013904223U;
        payload.push_back(static_cast<std::byte>(value >> 24));
    }
    return testFile(width, height, components, payload);
}

std::vector<std::byte> testPixels(const std::vector<std::byte>& file) {
    const auto header = readTestFileHeader(file);
    if (!header || file.size() == testFileHeaderBytes) return {};
    const std::size_t count = static_cast<std::size_t>(header->width) * static_cast<std::size_t>(header->height) *
                              static_cast<std::size_t>(header->components);
    std::vector<std::byte> pixels(count);
    for (std::size_t i = 0; i < count; ++i)
        pixels[i] = file[testFileHeaderBytes + i % (file.size() - testFileHeaderBytes)];
    return pixels;
}

Result<ProbedImage> probeTestFile(std::span<const std::byte> head, ByteCount fileBytes) {
    if (!beginsAsTestFile(head)) return Message{"image.unknownFormat", {}};
    if (head.size() < testFileHeaderBytes && fileBytes.value > head.size())
        return Message{"image.incompleteHeader", {}};
    const auto header = readTestFileHeader(head);
    if (!header) return Message{"image.damaged", {{"codec", "test"}}};
    ProbedImage image;
    image.codec = "test";
    image.shape = {header->width, header->height, header->components == 1 ? gray8 : rgb8};
    image.fileBytes = fileBytes;
    return image;
}

}  // namespace lanewright::test
