// SPDX-License-Identifier: GPL-3.0-or-later
// Renders, encodes and keeps synthetic images. A file's name says all that its bytes depend on.
#include "engine/input/synthetic_files.h"

#include "engine/files/cache_folder.h"
#include "engine/files/files.h"
#include "engine/input/synthetic.h"
#include "engine/text/text.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

namespace lanewright {
namespace {

namespace fs = std::filesystem;

/// Part of the folder's name: raise it when the pictures or their encoding change.
constexpr int generatorVersion = 1;
constexpr std::int64_t quality = 90;
constexpr std::int32_t mostImages = 1'000'000;
constexpr std::int32_t longestSide = 65535;
constexpr std::int64_t mostPixels = std::int64_t{1} << 28;

Message noSynthetic(std::string reason) { return {"input.synthetic", {{"reason", std::move(reason)}}}; }

Status checkedSpec(const SyntheticInput& input) {
    const auto within = [](std::int32_t side) { return side >= 1 && side <= longestSide; };
    if (input.count < 0 || input.count > mostImages) {
        return noSynthetic("the count must be from 0 to " + std::to_string(mostImages));
    }
    if (!within(input.width) || !within(input.height) || std::int64_t{input.width} * input.height > mostPixels) {
        return noSynthetic("sides must be from 1 to " + std::to_string(longestSide) + " pixels, and " +
                           std::to_string(mostPixels) + " pixels in all at most");
    }
    return {};
}

fs::path folderOf(const SyntheticInput& input) {
    const std::string name = "v" + std::to_string(generatorVersion) + "-" + std::to_string(input.width) + "x" +
                             std::to_string(input.height) + "-seed" + std::to_string(input.seed);
    return cacheFolder() / "synthetic" / name;
}

std::string fileName(std::size_t index) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "image_%06zu.jpg", index + 1);
    return buffer.data();
}

/// Makes pictures one after the other in the same two buffers. One thread each.
class PictureMaker {
public:
    PictureMaker(const SyntheticInput& input, const StageKind& encoder)
        : m_input(input), m_encoder(encoder), m_parameters(encoder.description().parameters) {
        set("format", std::string("jpeg"));
        set("quality", quality);
        set("subsampling", std::string("420"));
        m_inputs = {ImageShape{input.width, input.height, rgb8}};
    }

    Status make(std::size_t index, const fs::path& file) {
        render(syntheticSeed(m_input.seed, index));
        auto bytes = encode();
        if (!bytes) return bytes.error();
        return saveFile(file, *bytes);
    }

private:
    void set(std::string_view name, const ParameterValue& value) {
        const auto declarations = m_encoder.description().parameters;
        const auto index = findParameter(declarations, name);
        if (!index) return;
        if (const auto checked = checkedParameter(declarations[*index], value)) m_parameters.set(*index, *checked);
    }

    const ImageShape& shape() const { return std::get<ImageShape>(m_inputs[0]); }

    void render(std::uint64_t seed) {
        m_pixels.resize(shape().plane(0).rowBytes() * static_cast<std::size_t>(m_input.height));
        renderSynthetic({seed, m_input.width, m_input.height}, 0, m_input.height, m_pixels);
    }

    Result<std::string_view> encode() {
        const CpuKernel* kernel = m_encoder.cpuKernel();
        if (!kernel) return noSynthetic("this build has no encoder for the CPU");
        auto outputs = m_encoder.outputShapes({m_parameters, m_inputs, {}, nullptr});
        if (!outputs) return noSynthetic(nested(outputs.error()));
        auto state = kernel->begin({m_parameters, m_inputs, *outputs, nullptr});
        if (!state) return noSynthetic(nested(state.error()));
        m_bytes.resize(static_cast<std::size_t>(sizeOf((*outputs)[0]).value));
        std::size_t actual = 0;
        const PlaneShape plane = shape().plane(0);
        ImageView image{shape(), {}};
        image.planes[0] = {reinterpret_cast<const std::byte*>(m_pixels.data()), plane.rowBytes(), plane, 0};
        const PortView in = image;
        const MutablePortView out = MutableBytesView{m_bytes, &actual};
        const Status status = kernel->run(**state, {&in, 1}, {&out, 1}, {0, m_input.height});
        if (!status) return noSynthetic(nested(status.error()));
        return std::string_view(reinterpret_cast<const char*>(m_bytes.data()), actual);
    }

    const SyntheticInput& m_input;
    const StageKind& m_encoder;
    Parameters m_parameters;
    std::vector<PortShape> m_inputs;
    std::vector<std::uint8_t> m_pixels;
    std::vector<std::byte> m_bytes;
};

/// Makes the missing files; the first failure stops all.
Status makeMissing(const SyntheticInput& input, const StageKind& encoder, const fs::path& folder,
                   const std::vector<std::size_t>& missing, const std::stop_token& stop) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::mutex mutex;
    Status first;
    const auto work = [&] {
        PictureMaker maker(input, encoder);
        for (std::size_t i = next++; i < missing.size() && !failed && !stop.stop_requested(); i = next++) {
            Status status = maker.make(missing[i], folder / fileName(missing[i]));
            if (status) continue;
            const std::lock_guard lock(mutex);
            if (!failed.exchange(true)) first = std::move(status);
        }
    };
    const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < std::min(processors, missing.size()); ++i) helpers.emplace_back(work);
    work();
    helpers.clear();
    if (first && stop.stop_requested()) return Message{"run.cancelled", {}};
    return first;
}

}  // namespace

Result<std::vector<FoundFile>> syntheticFiles(const SyntheticInput& input, std::size_t limit, const Catalog& catalog,
                                              const std::stop_token& stop) {
    if (const Status status = checkedSpec(input); !status) return status.error();
    const fs::path folder = folderOf(input);
    const auto folderLength = static_cast<std::uint32_t>(folder.string().size() + 1);
    std::vector<FoundFile> files;
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < std::min(static_cast<std::size_t>(input.count), limit); ++i) {
        const fs::path file = folder / fileName(i);
        std::error_code error;
        if (fs::file_size(file, error) == 0 || error) missing.push_back(i);
        files.push_back({file.string(), folderLength, true, nullptr});
    }
    if (missing.empty()) return files;
    const StageKind* encoder = catalog.find("encode");
    if (!encoder) return noSynthetic("this build has no encode stage");
    if (const Status status = makeMissing(input, *encoder, folder, missing, stop); !status) return status.error();
    return files;
}

}  // namespace lanewright
