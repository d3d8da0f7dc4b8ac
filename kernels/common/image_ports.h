// SPDX-License-Identifier: GPL-3.0-or-later
// What stages from image to image check about their ports.
#pragma once

#include "kernels/api/image_shape.h"
#include "kernels/api/result.h"

#include <span>
#include <string_view>
#include <vector>

namespace lanewright {

/// What filters that mix neighbouring pixels take: 8-bit gray, RGB, RGBA (either alpha) interleaved, and planar YCbCr.
std::vector<PixelFormat> filterFormats();

/// The image at `port` when `formats` holds its format. Errors: shape.notImage, shape.format (arguments stage, format).
Result<ImageShape> checkedImage(std::span<const PortShape> inputs, std::size_t port,
                                std::span<const PixelFormat> formats, std::string_view stage);

}  // namespace lanewright
