// SPDX-License-Identifier: GPL-3.0-or-later
// OpenCL's error codes as messages, translated in this one place.
#pragma once

#include "kernels/api/result.h"

#include <CL/cl.h>

#include <source_location>
#include <string_view>

namespace lanewright {

/// "CL_INVALID_KERNEL_ARGS", or the number of a code that is not known.
std::string openClErrorName(cl_int code);

/// What `call` ("clCreateBuffer") returned: device.openClMemory when the device or its driver lacks memory, else
/// device.openCl; arguments call, error, place (file and line of ours).
Message openClError(cl_int code, std::string_view call, std::source_location place = std::source_location::current());

/// Success, or openClError().
Status openClStatus(cl_int code, std::string_view call, std::source_location place = std::source_location::current());

}  // namespace lanewright
