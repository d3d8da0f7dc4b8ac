// SPDX-License-Identifier: GPL-3.0-or-later
// The images of a run: files found under the input paths, or synthetic ones, each probed for its shape before planning.
#pragma once

#include "kernels/api/catalog.h"
#include "kernels/api/ids.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lanewright {

/// N images made by the program, written once as JPEG files to a cache folder.
struct SyntheticInput {
    std::int32_t count = 0;
    std::int32_t width = 4000;
    std::int32_t height = 3000;
    std::uint64_t seed = 1;
};

/// As in the project file. Paths are absolute here.
struct InputDescription {
    std::vector<std::filesystem::path> paths;  ///< files and folders (searched below, sorted by path)
    std::optional<SyntheticInput> synthetic;
    std::optional<std::size_t> limit;  ///< --images N: the first N
};

/// An image in input order: its file, where it lies below the input folder (mirrored in the output folder), what the probe
/// found, or why it cannot be read. With the text of its path it takes less than 300 bytes; images with an error more.
struct InputImage {
    std::string path;                ///< absolute; no std::filesystem::path, which keeps about 500 bytes of components
    std::uint32_t folderLength = 0;  ///< bytes of `path` up to and including the input folder's separator
    std::uint32_t shapeClass = 0;    ///< index into InputSet::shapes; equal for images of equal codec and shape
    ByteCount fileBytes;
    std::shared_ptr<const ImageMeta> meta;  ///< without EXIF (it is in the file); shared by images with equal ones
    std::shared_ptr<const Message> error;   ///< set: this image fails with it
};

/// What images of one shape class share.
struct InputShape {
    std::string codec;
    ImageShape shape;
    ByteCount decoderBytes;  ///< as ProbedImage::decoderBytes
    friend bool operator==(const InputShape&, const InputShape&) = default;
};

struct InputSet {
    std::vector<InputImage> images;
    std::vector<InputShape> shapes;

    const InputImage& image(ImageIndex index) const { return images[index.index()]; }
    std::filesystem::path relativePath(ImageIndex index) const;
    /// The probe's answer for an image, put together from its parts.
    ProbedImage probed(ImageIndex index) const;
};

/// Finds and probes all images (in parallel, heads only). Folders: files and folders whose names begin with a dot and what
/// is not a regular file are passed over, links are followed once, files that are no images are left out by their content.
/// `excludedFolder` is not searched (the output folder) unless it is itself an input path. A path that is named and is no
/// image, and an image that cannot be read, are no errors of the set: they are listed with their Message.
/// Errors: input.missing (path), input.empty, input.synthetic, run.cancelled, file.*.
Result<InputSet> collectInput(const InputDescription& description, const Catalog& catalog,
                              const std::filesystem::path& excludedFolder, std::stop_token stop = {});

}  // namespace lanewright
