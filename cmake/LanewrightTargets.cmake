# SPDX-License-Identifier: GPL-3.0-or-later
# Helpers that folders use to say what they contain: lanewright_library, lanewright_program, lanewright_test.

# lanewright_library(<name> [sources...]): a static library with our flags. Sub-folders add to it with target_sources.
function(lanewright_library name)
    add_library(${name} STATIC ${ARGN})
    target_link_libraries(${name} PRIVATE lanewright_options)
    cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [[${CMAKE_SOURCE_DIR}]] CALL lanewright_not_empty ${name})")
endfunction()

# CMake refuses a static library without sources; while a folder is still empty it gets one that is.
function(lanewright_not_empty name)
    get_target_property(sources ${name} SOURCES)
    if(NOT sources)
        file(GENERATE OUTPUT "${LANEWRIGHT_GENERATED_DIR}/${name}_empty.cpp" CONTENT "// no sources yet\n")
        target_sources(${name} PRIVATE "${LANEWRIGHT_GENERATED_DIR}/${name}_empty.cpp")
    endif()
endfunction()

# lanewright_program(<name> [sources...]): the same for a program.
function(lanewright_program name)
    add_executable(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE lanewright_options)
endfunction()

# lanewright_test(NAME tst_x SOURCES ... LIBS ... [LABELS ...] [ONE_PROCESS] [SERIAL] [TIMEOUT seconds])
# A Google Test program and its entries in ctest: one per case, or one for the whole program with ONE_PROCESS (for costly
# set-up that cases share, such as OpenCL programs). SERIAL: nothing else runs beside it (timing). Labels in use: engine
# (runs under ThreadSanitizer too), kernels, opencl, cuda, cli, speed (not under sanitizers).
function(lanewright_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "ONE_PROCESS;SERIAL" "NAME;TIMEOUT" "SOURCES;LIBS;LABELS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SOURCES)
        message(FATAL_ERROR "lanewright_test(${arg_NAME}): NAME and SOURCES are needed; unknown: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    lanewright_program(${arg_NAME} ${arg_SOURCES})
    target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBS} GTest::gtest_main)
    if(engine IN_LIST arg_LABELS)
        add_dependencies(engine_tests ${arg_NAME})
    endif()
    # Tests never read or write the caches and settings of the person who runs them.
    set(environment "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/test-home/cache" "XDG_CONFIG_HOME=${CMAKE_BINARY_DIR}/test-home/config"
        "XDG_DATA_HOME=${CMAKE_BINARY_DIR}/test-home/data")
    if(opencl IN_LIST arg_LABELS)
        list(APPEND environment "ASAN_OPTIONS=detect_leaks=0") # LeakSanitizer itself crashes in PoCL's threads
    endif()
    if(arg_SERIAL)
        set(serial RUN_SERIAL ON)
    endif()
    if(arg_ONE_PROCESS)
        add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
        set_tests_properties(${arg_NAME} PROPERTIES
            ENVIRONMENT "${environment}" LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ${serial})
    else()
        gtest_discover_tests(${arg_NAME} TEST_PREFIX "${arg_NAME}: " WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
            DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 TEST_LIST ${arg_NAME}_cases NO_PRETTY_VALUES)
        # Its own PROPERTIES argument takes lists apart; so they are set in a file that ctest reads after the discovery.
        set(file "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_properties.cmake")
        file(WRITE "${file}" "if(${arg_NAME}_cases)
    set_tests_properties(\${${arg_NAME}_cases} PROPERTIES
        ENVIRONMENT \"${environment}\" LABELS \"${arg_LABELS}\" TIMEOUT ${arg_TIMEOUT} ${serial})
endif()\n")
        set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${file}")
    endif()
endfunction()
