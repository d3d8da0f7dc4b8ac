// SPDX-License-Identifier: GPL-3.0-or-later
// Small stage kinds with real CPU kernels on gray8 and rgb8 images, for tests of plan, dispatch, simulator and executor.
#pragma once

#include "kernels/api/catalog.h"

namespace lanewright::test {

/// Stage kinds (parameters with their defaults):
///   test_source                            source; pixels are the file's bytes, repeated as often as needed
///   test_picture  file=""                  constant; the same from the file that its path parameter names
///   test_add      value=1                  pointwise: every sample + value, modulo 256
///   test_slow     milliseconds=1           copies its input and sleeps for `milliseconds` an image (its share by rows)
///   test_blend                             two inputs, "image" and "overlay"; their mean; the overlay repeats in both
///                                          directions, so its size is free
///   test_split                             two phases: test_split.host (always on the host) adds 2, test_split.device adds 3
///   test_sink     format=any|gray|rgb      writes its image as a test file; takes only that format, so that a plan converts
///   test_convert  format="gray 8-bit"      the converter: gray 8-bit <-> RGB 8-bit
/// Files are those of test_file.h. work(): one operation a sample and stage, so with a device of 1e9 operations/s one ns a sample; test_slow: its time.
Catalog makeTestCatalog();

}  // namespace lanewright::test
