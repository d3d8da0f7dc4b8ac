// SPDX-License-Identifier: GPL-3.0-or-later
// An input set puts together what images share and what is their own.
#include "engine/input/input_set.h"

namespace lanewright {

std::filesystem::path InputSet::relativePath(ImageIndex index) const {
    const InputImage& found = image(index);
    return found.path.substr(found.folderLength);
}

ProbedImage InputSet::probed(ImageIndex index) const {
    const InputImage& found = image(index);
    if (found.error || found.shapeClass >= shapes.size()) return {};
    const InputShape& shared = shapes[found.shapeClass];
    return {shared.codec, shared.shape, found.fileBytes, found.meta, shared.decoderBytes};
}

}  // namespace lanewright
