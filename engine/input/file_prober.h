// SPDX-License-Identifier: GPL-3.0-or-later
// Probes one file after another with one buffer for their heads.
#pragma once

#include "kernels/api/catalog.h"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace lanewright {

/// As probeFile(). One thread at a time.
class FileProber {
public:
    /// `catalog` must have a prober and outlive this.
    explicit FileProber(const Catalog& catalog) : m_catalog(catalog) {}

    Result<ProbedImage> probe(const std::filesystem::path& file);

private:
    const Catalog& m_catalog;
    std::vector<std::byte> m_head;
};

}  // namespace lanewright
