# SPDX-License-Identifier: GPL-3.0-or-later
# lanewright_embed(TARGET <target> FILE <file> SYMBOL <namespace::name>)
# Puts the bytes of a file into a target as `const std::string_view namespace::name` (nul-terminated after its end). A user
# declares `extern const std::string_view name;` in that namespace. A change of the file rebuilds it. Any folder may call.
function(lanewright_embed)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;FILE;SYMBOL" "")
    if(NOT arg_TARGET OR NOT arg_FILE OR NOT arg_SYMBOL MATCHES "^.+::[A-Za-z_0-9]+$")
        message(FATAL_ERROR "lanewright_embed needs TARGET, FILE and SYMBOL namespace::name")
    endif()
    cmake_path(ABSOLUTE_PATH arg_FILE BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    string(REPLACE "::" "_" id "${arg_SYMBOL}")
    set(output "${LANEWRIGHT_GENERATED_DIR}/embedded/${id}.cpp")
    set(script "${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake")
    cmake_path(RELATIVE_PATH arg_FILE BASE_DIRECTORY "${CMAKE_SOURCE_DIR}" OUTPUT_VARIABLE shown)
    add_custom_command(OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" "-DINPUT=${arg_FILE}" "-DOUTPUT=${output}" "-DSYMBOL=${arg_SYMBOL}" -P "${script}"
        DEPENDS "${arg_FILE}" "${script}" COMMENT "Embedding ${shown}" VERBATIM)
    # A target of its own, because a custom command is only seen by targets of the same folder.
    add_custom_target(embed_${id} DEPENDS "${output}")
    add_dependencies(${arg_TARGET} embed_${id})
    set_source_files_properties("${output}" TARGET_DIRECTORY ${arg_TARGET} PROPERTIES GENERATED ON)
    target_sources(${arg_TARGET} PRIVATE "${output}")
endfunction()
