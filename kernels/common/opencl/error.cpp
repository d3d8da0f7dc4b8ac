// SPDX-License-Identifier: GPL-3.0-or-later
// Names of OpenCL 1.2's error codes (cl.h of the Khronos Group).
#include "kernels/common/opencl/error.h"

#include <array>
#include <string>
#include <utility>

namespace lanewright {
namespace {

// Spelt once as name and value; the extension code -1001 is the loader's.
#define LANEWRIGHT_CODE(name)                                                                                          \
    std::pair<cl_int, std::string_view> { name, #name }
constexpr std::array codes = {
    LANEWRIGHT_CODE(CL_DEVICE_NOT_FOUND),
    LANEWRIGHT_CODE(CL_DEVICE_NOT_AVAILABLE),
    LANEWRIGHT_CODE(CL_COMPILER_NOT_AVAILABLE),
    LANEWRIGHT_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    LANEWRIGHT_CODE(CL_OUT_OF_RESOURCES),
    LANEWRIGHT_CODE(CL_OUT_OF_HOST_MEMORY),
    LANEWRIGHT_CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
    LANEWRIGHT_CODE(CL_MEM_COPY_OVERLAP),
    LANEWRIGHT_CODE(CL_IMAGE_FORMAT_MISMATCH),
    LANEWRIGHT_CODE(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    LANEWRIGHT_CODE(CL_BUILD_PROGRAM_FAILURE),
    LANEWRIGHT_CODE(CL_MAP_FAILURE),
    LANEWRIGHT_CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    LANEWRIGHT_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    LANEWRIGHT_CODE(CL_COMPILE_PROGRAM_FAILURE),
    LANEWRIGHT_CODE(CL_LINKER_NOT_AVAILABLE),
    LANEWRIGHT_CODE(CL_LINK_PROGRAM_FAILURE),
    LANEWRIGHT_CODE(CL_DEVICE_PARTITION_FAILED),
    LANEWRIGHT_CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    LANEWRIGHT_CODE(CL_INVALID_VALUE),
    LANEWRIGHT_CODE(CL_INVALID_DEVICE_TYPE),
    LANEWRIGHT_CODE(CL_INVALID_PLATFORM),
    LANEWRIGHT_CODE(CL_INVALID_DEVICE),
    LANEWRIGHT_CODE(CL_INVALID_CONTEXT),
    LANEWRIGHT_CODE(CL_INVALID_QUEUE_PROPERTIES),
    LANEWRIGHT_CODE(CL_INVALID_COMMAND_QUEUE),
    LANEWRIGHT_CODE(CL_INVALID_HOST_PTR),
    LANEWRIGHT_CODE(CL_INVALID_MEM_OBJECT),
    LANEWRIGHT_CODE(CL_INVALID_BINARY),
    LANEWRIGHT_CODE(CL_INVALID_BUILD_OPTIONS),
    LANEWRIGHT_CODE(CL_INVALID_PROGRAM),
    LANEWRIGHT_CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    LANEWRIGHT_CODE(CL_INVALID_KERNEL_NAME),
    LANEWRIGHT_CODE(CL_INVALID_KERNEL_DEFINITION),
    LANEWRIGHT_CODE(CL_INVALID_KERNEL),
    LANEWRIGHT_CODE(CL_INVALID_ARG_INDEX),
    LANEWRIGHT_CODE(CL_INVALID_ARG_VALUE),
    LANEWRIGHT_CODE(CL_INVALID_ARG_SIZE),
    LANEWRIGHT_CODE(CL_INVALID_KERNEL_ARGS),
    LANEWRIGHT_CODE(CL_INVALID_WORK_DIMENSION),
    LANEWRIGHT_CODE(CL_INVALID_WORK_GROUP_SIZE),
    LANEWRIGHT_CODE(CL_INVALID_WORK_ITEM_SIZE),
    LANEWRIGHT_CODE(CL_INVALID_GLOBAL_OFFSET),
    LANEWRIGHT_CODE(CL_INVALID_EVENT_WAIT_LIST),
    LANEWRIGHT_CODE(CL_INVALID_EVENT),
    LANEWRIGHT_CODE(CL_INVALID_OPERATION),
    LANEWRIGHT_CODE(CL_INVALID_BUFFER_SIZE),
    LANEWRIGHT_CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    LANEWRIGHT_CODE(CL_INVALID_PROPERTY),
    LANEWRIGHT_CODE(CL_INVALID_COMPILER_OPTIONS),
    LANEWRIGHT_CODE(CL_INVALID_LINKER_OPTIONS),
    LANEWRIGHT_CODE(CL_INVALID_DEVICE_PARTITION_COUNT),
    std::pair<cl_int, std::string_view>{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};
#undef LANEWRIGHT_CODE

bool lacksMemory(cl_int code) {
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY;
}

std::string placeText(const std::source_location& place) {
    const std::string_view file = place.file_name();
    const std::size_t folder =
        file.rfind("/kernels/") == std::string_view::npos ? file.rfind("/engine/") : file.rfind("/kernels/");
    return std::string(folder == std::string_view::npos ? file : file.substr(folder + 1)) + ":" +
           std::to_string(place.line());
}

}  // namespace

std::string openClErrorName(cl_int code) {
    for (const auto& [value, name] : codes) {
        if (value == code) return std::string(name);
    }
    return std::to_string(code);
}

Message openClError(cl_int code, std::string_view call, std::source_location place) {
    return {lacksMemory(code) ? "device.openClMemory" : "device.openCl",
            {{"call", std::string(call)}, {"error", openClErrorName(code)}, {"place", placeText(place)}}};
}

Status openClStatus(cl_int code, std::string_view call, std::source_location place) {
    if (code == CL_SUCCESS) return {};
    return openClError(code, call, place);
}

}  // namespace lanewright
