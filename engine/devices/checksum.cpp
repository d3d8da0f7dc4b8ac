// SPDX-License-Identifier: GPL-3.0-or-later
// XXH64 after the specification in github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md; little-endian hosts.
#include "engine/devices/checksum.h"

#include <array>
#include <bit>
#include <cstring>

namespace lanewright {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t prime1 = 0x9E3779B185EBCA87;
constexpr std::uint64_t prime2 = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t prime3 = 0x165667B19E3779F9;
constexpr std::uint64_t prime4 = 0x85EBCA77C2B2AE63;
constexpr std::uint64_t prime5 = 0x27D4EB2F165667C5;

template <class T>
std::uint64_t load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

constexpr std::uint64_t round(std::uint64_t accumulator, std::uint64_t lane) {
    return std::rotl(accumulator + lane * prime2, 31) * prime1;
}

constexpr std::uint64_t mergedRound(std::uint64_t accumulator, std::uint64_t value) {
    return (accumulator ^ round(0, value)) * prime1 + prime4;
}

}  // namespace

std::uint64_t checksumOf(std::span<const std::byte> bytes) {
    const std::byte* next = bytes.data();
    std::size_t left = bytes.size();
    std::uint64_t hash = prime5;
    if (left >= 32) {
        std::array<std::uint64_t, 4> lanes{prime1 + prime2, prime2, 0, std::uint64_t{0} - prime1};
        for (; left >= 32; left -= 32) {
            for (std::uint64_t& lane : lanes) {
                lane = round(lane, load<std::uint64_t>(next));
                next += 8;
            }
        }
        hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
        for (const std::uint64_t lane : lanes) hash = mergedRound(hash, lane);
    }
    hash += bytes.size();
    for (; left >= 8; left -= 8, next += 8) {
        hash = std::rotl(hash ^ round(0, load<std::uint64_t>(next)), 27) * prime1 + prime4;
    }
    for (; left >= 4; left -= 4, next += 4) {
        hash = std::rotl(hash ^ (load<std::uint32_t>(next) * prime1), 23) * prime2 + prime3;
    }
    for (; left > 0; --left, ++next) hash = std::rotl(hash ^ (load<std::uint8_t>(next) * prime5), 11) * prime1;
    hash = (hash ^ (hash >> 33)) * prime2;
    hash = (hash ^ (hash >> 29)) * prime3;
    return hash ^ (hash >> 32);
}

}  // namespace lanewright
