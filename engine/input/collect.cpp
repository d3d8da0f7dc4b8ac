// SPDX-License-Identifier: GPL-3.0-or-later
// From input paths to an input set: list, probe in parallel, keep what is an image or should be one.
#include "engine/input/file_list.h"
#include "engine/input/file_prober.h"
#include "engine/input/input_set.h"
#include "engine/input/synthetic_files.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

namespace lanewright {
namespace {

/// Files that are probed before their answers are put away: bounds the memory that answers take meanwhile.
constexpr std::size_t chunkFiles = 1024;
constexpr std::size_t filesPerThread = 16;
constexpr std::size_t mostThreads = 8;

using Answers = std::vector<Result<ProbedImage>>;

void probeSome(const Catalog& catalog, std::span<const FoundFile> files, Answers& answers,
               std::atomic<std::size_t>& next, const std::stop_token& stop) {
    FileProber prober(catalog);
    for (std::size_t i = next++; i < files.size() && !stop.stop_requested(); i = next++) {
        answers[i] = files[i].error ? Result<ProbedImage>(*files[i].error) : prober.probe(files[i].path);
    }
}

Answers probeAll(const Catalog& catalog, std::span<const FoundFile> files, const std::stop_token& stop) {
    Answers answers(files.size(), Result<ProbedImage>(ProbedImage{}));
    std::atomic<std::size_t> next{0};
    const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t threads = std::min({processors, mostThreads, files.size() / filesPerThread});
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < threads; ++i) {
        helpers.emplace_back([&] { probeSome(catalog, files, answers, next, stop); });
    }
    probeSome(catalog, files, answers, next, stop);
    helpers.clear();
    return answers;
}

/// Turns answers into images, sharing what is equal.
class Assembly {
public:
    explicit Assembly(InputSet& set) : m_set(set) {}

    void add(FoundFile& file, Result<ProbedImage>& answer) {
        InputImage image;
        image.path = std::move(file.path);
        image.path.shrink_to_fit();
        image.folderLength = file.folderLength;
        if (answer) {
            image.shapeClass = classOf(*answer);
            image.fileBytes = answer->fileBytes;
            image.meta = sharedMeta(answer->meta);
        } else {
            image.error = std::make_shared<const Message>(std::move(answer).error());
        }
        m_set.images.push_back(std::move(image));
    }

private:
    std::uint32_t classOf(const ProbedImage& image) {
        const auto [found, isNew] = m_classes.try_emplace(std::tuple(image.codec, image.shape, image.decoderBytes),
                                                          static_cast<std::uint32_t>(m_set.shapes.size()));
        if (isNew) m_set.shapes.push_back({image.codec, image.shape, image.decoderBytes});
        return found->second;
    }

    /// Without EXIF, which can be large and is in the file; nothing when nothing is left. Cameras write the same profile
    /// into all their pictures.
    std::shared_ptr<const ImageMeta> sharedMeta(const std::shared_ptr<const ImageMeta>& meta) {
        if (!meta || (meta->orientation == 1 && meta->icc.empty() && meta->warnings.empty())) return nullptr;
        auto slim = std::make_shared<ImageMeta>();
        slim->orientation = meta->orientation;
        slim->icc = meta->icc;
        slim->warnings = meta->warnings;
        if (!slim->warnings.empty()) return slim;
        return m_metas.try_emplace(std::pair(slim->orientation, slim->icc), slim).first->second;
    }

    InputSet& m_set;
    std::map<std::tuple<std::string, ImageShape, ByteCount>, std::uint32_t> m_classes;
    std::map<std::pair<std::uint8_t, std::vector<std::byte>>, std::shared_ptr<const ImageMeta>> m_metas;
};

/// In folders, what is no image and does not say that it is one is left out.
bool isLeftOut(const FoundFile& file, const Result<ProbedImage>& answer) {
    if (answer || file.named || file.error) return false;
    const std::string& id = answer.error().id;
    return (id == "image.unknownFormat" || id == "image.empty") && !isNamedLikeAnImage(file.path);
}

}  // namespace

Result<InputSet> collectInput(const InputDescription& description, const Catalog& catalog,
                              const std::filesystem::path& excludedFolder, std::stop_token stop) {
    auto files = listFiles(description.paths, excludedFolder, stop);
    if (!files) return std::move(files).error();
    const std::size_t limit = description.limit.value_or(SIZE_MAX);
    if (description.synthetic) {
        auto made = syntheticFiles(*description.synthetic, limit, catalog, stop);
        if (!made) return std::move(made).error();
        std::move(made->begin(), made->end(), std::back_inserter(*files));
    }
    InputSet set;
    Assembly assembly(set);
    for (std::size_t begin = 0; begin < files->size() && set.images.size() < limit;) {
        const std::size_t missing = limit - set.images.size();
        const std::size_t count = std::min({files->size() - begin, chunkFiles, missing});
        const auto chunk = std::span(*files).subspan(begin, count);
        Answers answers = probeAll(catalog, chunk, stop);
        if (stop.stop_requested()) return Message{"run.cancelled", {}};
        for (std::size_t i = 0; i < count; ++i) {
            if (!isLeftOut(chunk[i], answers[i])) assembly.add(chunk[i], answers[i]);
        }
        begin += count;
    }
    if (set.images.empty()) return Message{"input.empty", {}};
    set.images.shrink_to_fit();
    return set;
}

}  // namespace lanewright
