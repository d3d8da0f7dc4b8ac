// SPDX-License-Identifier: GPL-3.0-or-later
// One line per stage kind, in the order of the palette.
#include "kernels/catalog.h"

#include "kernels/codecs/codec.h"
#include "kernels/common/opencl/factory.h"
#include "kernels/convert/stage.h"
#include "kernels/decode/stage.h"
#include "kernels/encode/stage.h"
#include "kernels/gaussian_blur/stage.h"
#include "kernels/picture/stage.h"
#include "kernels/resize/stage.h"

namespace lanewright {

Catalog makeCatalog() {
    Catalog catalog;
    catalog.add(decode::makeStage());
    catalog.add(picture::makeStage());
    catalog.add(resize::makeStage());
    catalog.add(gaussian_blur::makeStage());
    catalog.add(encode::makeStage());
    catalog.add(convert::makeStage());
    catalog.setConverter(catalog.find("convert"));
    catalog.setProber(probeImage);
    if (openClRuntimeFactory()) catalog.addRuntime(DeviceKind::openCl, openClRuntimeFactory());
    return catalog;
}

}  // namespace lanewright
