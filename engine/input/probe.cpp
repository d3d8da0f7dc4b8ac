// SPDX-License-Identifier: GPL-3.0-or-later
// The prober sees a growing head of the file until it has seen enough.
#include "engine/input/probe.h"

#include "engine/files/files.h"
#include "engine/input/file_prober.h"

#include <algorithm>

namespace lanewright {

Result<ProbedImage> FileProber::probe(const std::filesystem::path& path) {
    constexpr std::size_t headBytes = 256 * 1024;
    auto file = RegularFile::open(path);
    if (!file) return std::move(file).error();
    m_head.clear();
    std::size_t wanted = headBytes;
    while (true) {
        if (const Status status = file->read(wanted - m_head.size(), m_head); !status) return status.error();
        // A file that is being written may be longer by now than it was when it was opened.
        const ByteCount size(std::max<std::uint64_t>(file->size().value, m_head.size()));
        auto probed = m_catalog.prober()(m_head, size);
        if (probed || probed.error().id != "image.incompleteHeader") return probed;
        if (m_head.size() < wanted) return Message{"image.truncated", {}};
        constexpr std::size_t growth = 8;
        wanted = std::min<std::size_t>(wanted * growth, std::max<std::size_t>(size.value, wanted + 1));
    }
}

Result<ProbedImage> probeFile(const std::filesystem::path& file, const Catalog& catalog) {
    return FileProber(catalog).probe(file);
}

}  // namespace lanewright
