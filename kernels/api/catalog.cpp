// SPDX-License-Identifier: GPL-3.0-or-later
// Look-ups in the list of stage kinds.
#include "kernels/api/catalog.h"

#include <utility>

namespace lanewright {

void Catalog::add(std::unique_ptr<StageKind> kind) { m_stages.push_back(std::move(kind)); }

const StageKind* Catalog::find(std::string_view kind) const {
    for (const auto& stage : m_stages) {
        if (stage->description().kind == kind) return stage.get();
    }
    return nullptr;
}

DeviceRuntimeFactory Catalog::runtimeFactory(DeviceKind kind) const {
    const auto found = m_runtimes.find(kind);
    return found == m_runtimes.end() ? nullptr : found->second;
}

}  // namespace lanewright
