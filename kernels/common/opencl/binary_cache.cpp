// SPDX-License-Identifier: GPL-3.0-or-later
// A file is: the magic text, the length of the key, the key, a checksum of the binary, the binary. The file's name is a
// hash (FNV-1a) of the key; the key in the file settles collisions.
#include "kernels/common/opencl/binary_cache.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <system_error>

namespace lanewright {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "lanewright binary 1\n";

std::uint64_t fnv1a(const void* bytes, std::size_t count) {
    std::uint64_t hash = 14695981039346656037ULL;
    const auto* byte = static_cast<const unsigned char*>(bytes);
    for (std::size_t i = 0; i < count; ++i) hash = (hash ^ byte[i]) * 1099511628211ULL;
    return hash;
}

std::string hexText(std::uint64_t value) {
    std::string text(16, '0');
    for (std::size_t i = 16; i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
    return text;
}

/// What stands in front of the binary.
std::string header(std::string_view key, std::span<const unsigned char> binary) {
    std::string text(magic);
    text +=
        hexText(key.size()) + std::string(key) + hexText(binary.size()) + hexText(fnv1a(binary.data(), binary.size()));
    return text;
}

}  // namespace

fs::path BinaryCache::fileFor(std::string_view key) const {
    return m_folder / ("opencl-" + hexText(fnv1a(key.data(), key.size())) + ".bin");
}

std::optional<std::vector<unsigned char>> BinaryCache::load(std::string_view key) const {
    if (m_folder.empty()) return std::nullopt;
    std::ifstream stream(fileFor(key), std::ios::binary);
    const std::vector<char> file{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    const std::size_t headerBytes = header(key, {}).size();
    if (file.size() <= headerBytes) return std::nullopt;
    std::vector<unsigned char> binary(file.begin() + static_cast<std::ptrdiff_t>(headerBytes), file.end());
    if (std::string_view(file.data(), headerBytes) != header(key, binary)) return std::nullopt;
    return binary;
}

void BinaryCache::store(std::string_view key, std::span<const unsigned char> binary) const {
    if (m_folder.empty()) return;
    std::error_code error;
    fs::create_directories(m_folder, error);
    const fs::path file = fileFor(key);
    fs::path temporary = file;
    temporary += "." + hexText(std::random_device()()) + ".tmp";
    {
        std::ofstream stream(temporary, std::ios::binary);
        stream << header(key, binary);
        stream.write(reinterpret_cast<const char*>(binary.data()), static_cast<std::streamsize>(binary.size()));
        if (!stream.flush()) {
            stream.close();
            fs::remove(temporary, error);
            return;
        }
    }
    fs::rename(temporary, file, error);
    if (error) fs::remove(temporary, error);
}

}  // namespace lanewright
