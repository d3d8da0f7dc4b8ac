// SPDX-License-Identifier: GPL-3.0-or-later
// Walks the first directory of an EXIF block; every offset comes from the file and is checked.
#include "kernels/codecs/exif.h"

#include <optional>

namespace lanewright {
namespace {

class TiffReader {
public:
    explicit TiffReader(std::span<const std::byte> bytes) : m_bytes(bytes) {}

    /// False: not a TIFF header.
    bool readHeader() {
        if (m_bytes.size() < 8) return false;
        const auto order = m_bytes.first(2);
        if (order[0] != order[1] || (order[0] != std::byte{'I'} && order[0] != std::byte{'M'})) return false;
        m_bigEndian = order[0] == std::byte{'M'};
        return number(2, 2) == 42;
    }

    /// `count` (2 or 4) bytes at `offset`, or none beyond the end.
    std::optional<std::uint32_t> number(std::size_t offset, std::size_t count) const {
        if (offset > m_bytes.size() || m_bytes.size() - offset < count) return std::nullopt;
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t at = offset + (m_bigEndian ? i : count - 1 - i);
            value = value << 8 | std::to_integer<std::uint32_t>(m_bytes[at]);
        }
        return value;
    }

private:
    std::span<const std::byte> m_bytes;
    bool m_bigEndian = false;
};

constexpr std::uint32_t orientationTag = 0x0112;
constexpr std::uint32_t typeShort = 3;
constexpr std::size_t entryBytes = 12;

}  // namespace

std::uint8_t exifOrientation(std::span<const std::byte> tiff) {
    TiffReader reader(tiff);
    if (!reader.readHeader()) return 1;
    const std::size_t directory = reader.number(4, 4).value_or(0);
    const std::size_t entries = reader.number(directory, 2).value_or(0);
    for (std::size_t i = 0; i < entries; ++i) {
        const std::size_t entry = directory + 2 + i * entryBytes;
        const auto tag = reader.number(entry, 2);
        if (!tag) return 1;
        if (*tag != orientationTag) continue;
        const std::uint32_t value = reader.number(entry + 8, 2).value_or(1);
        const bool valid = reader.number(entry + 2, 2) == typeShort && value >= 1 && value <= 8;
        return valid ? static_cast<std::uint8_t>(value) : std::uint8_t{1};
    }
    return 1;
}

}  // namespace lanewright
