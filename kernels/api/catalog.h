// SPDX-License-Identifier: GPL-3.0-or-later
// All stage kinds and codecs of this build. Made in kernels/catalog.cpp and handed to the engine.
#pragma once

#include "kernels/api/stage_kind.h"

#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace lanewright {

/// Reads what a probe needs from the head of a file (by content, never by extension).
/// Errors: image.incompleteHeader (ask again with more bytes), image.unknownFormat, image.* of the codec.
using ImageProber = Result<ProbedImage> (*)(std::span<const std::byte> head, ByteCount fileBytes);

class Catalog {
public:
    void add(std::unique_ptr<StageKind> kind);
    void setProber(ImageProber prober) { m_prober = prober; }
    void setConverter(const StageKind* kind) { m_converter = kind; }
    void addRuntime(DeviceKind kind, DeviceRuntimeFactory factory) { m_runtimes[kind] = factory; }

    std::span<const std::unique_ptr<StageKind>> stages() const { return m_stages; }
    /// nullptr: no such kind.
    const StageKind* find(std::string_view kind) const;
    ImageProber prober() const { return m_prober; }
    /// The stage kind whose operation changes a pixel format; its parameter "format" holds formatName() of the target.
    const StageKind* converter() const { return m_converter; }
    /// nullptr: this build has no kernels for that device kind.
    DeviceRuntimeFactory runtimeFactory(DeviceKind kind) const;

private:
    std::vector<std::unique_ptr<StageKind>> m_stages;
    std::map<DeviceKind, DeviceRuntimeFactory> m_runtimes;
    ImageProber m_prober = nullptr;
    const StageKind* m_converter = nullptr;
};

}  // namespace lanewright
