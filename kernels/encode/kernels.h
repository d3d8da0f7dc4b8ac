// SPDX-License-Identifier: GPL-3.0-or-later
// What encode's files share.
#pragma once

#include "kernels/api/cpu_kernel.h"
#include "kernels/codecs/codec.h"

namespace lanewright::encode {

/// An index into codecs().
enum class FileFormat : std::uint8_t {};

enum class Subsampling : std::uint8_t { s420, s422, s444 };

struct Settings {
    FileFormat format{};
    std::int32_t quality = EncodeSettings{}.quality;
    Subsampling subsampling = Subsampling::s420;
    std::int32_t pngLevel = EncodeSettings{}.compressionLevel;
};

const ParameterTable<Settings>& parameterTable();

/// The codec that `parameters` choose and its settings.
struct Choice {
    const Codec* codec;
    EncodeSettings settings;
};
Choice choiceOf(const Parameters& parameters);

const CpuKernel* cpuKernel();

}  // namespace lanewright::encode
