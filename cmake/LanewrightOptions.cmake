# SPDX-License-Identifier: GPL-3.0-or-later
# What a person may choose, and the flags that follow from it.

foreach(part CUDA OPENCL GUI)
    set(LANEWRIGHT_${part} AUTO CACHE STRING "Build ${part} support: AUTO (when found), ON (an error when not found) or OFF")
    set_property(CACHE LANEWRIGHT_${part} PROPERTY STRINGS AUTO ON OFF)
    string(TOUPPER "${LANEWRIGHT_${part}}" LANEWRIGHT_${part})
    if(NOT LANEWRIGHT_${part} MATCHES "^(AUTO|ON|OFF)$")
        message(FATAL_ERROR "LANEWRIGHT_${part} is '${LANEWRIGHT_${part}}'; it must be AUTO, ON or OFF")
    endif()
endforeach()
set(LANEWRIGHT_SANITIZE "" CACHE STRING "Sanitizers: empty, 'address' (with undefined behaviour) or 'thread'")
set_property(CACHE LANEWRIGHT_SANITIZE PROPERTY STRINGS "" address thread)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, RelWithDebInfo, Release or MinSizeRel" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(LANEWRIGHT_GENERATED_DIR "${CMAKE_BINARY_DIR}/generated")
option(BUILD_TESTING "Build the tests" ON)

find_program(LANEWRIGHT_CCACHE ccache)
mark_as_advanced(LANEWRIGHT_CCACHE)
if(LANEWRIGHT_CCACHE)
    foreach(language CXX CUDA)
        if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
            set(CMAKE_${language}_COMPILER_LAUNCHER "${LANEWRIGHT_CCACHE}")
        endif()
    endforeach()
endif()
add_feature_info(ccache "LANEWRIGHT_CCACHE" "compiles again only what really changed")

# Flags for our own targets; a library gets them by linking lanewright_options privately.
add_library(lanewright_options INTERFACE)
target_include_directories(lanewright_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(lanewright_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wpedantic>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>") # -Wpedantic breaks on the stubs that nvcc writes

if(LANEWRIGHT_SANITIZE STREQUAL "address")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
    add_link_options(-fsanitize=address,undefined)
elseif(LANEWRIGHT_SANITIZE STREQUAL "thread")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=thread;-fno-omit-frame-pointer>")
    add_link_options(-fsanitize=thread)
elseif(LANEWRIGHT_SANITIZE)
    message(FATAL_ERROR "LANEWRIGHT_SANITIZE is '${LANEWRIGHT_SANITIZE}'; it must be empty, 'address' or 'thread'")
endif()
