// SPDX-License-Identifier: GPL-3.0-or-later
// The catalog of this build: every stage kind, the image prober and the device runtimes.
#pragma once

#include "kernels/api/catalog.h"

namespace lanewright {

Catalog makeCatalog();

}  // namespace lanewright
