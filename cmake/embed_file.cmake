# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DINPUT=file -DOUTPUT=file.cpp -DSYMBOL=namespace::name -P embed_file.cmake
# An array of characters: string literals have length limits and text may hold any delimiter.
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
string(REGEX REPLACE "((.......){32})" "\\1\n    " bytes "${bytes}")
string(REGEX MATCH "^(.+)::([A-Za-z_0-9]+)$" match "${SYMBOL}")
set(name "${CMAKE_MATCH_2}")
file(WRITE "${OUTPUT}" "// Written by cmake/embed_file.cmake
#include <string_view>

namespace ${CMAKE_MATCH_1} {
extern const std::string_view ${name};
static constexpr char ${name}Bytes[] = {
    ${bytes}'\\0'};
constinit const std::string_view ${name}{${name}Bytes, sizeof ${name}Bytes - 1};
} // namespace ${CMAKE_MATCH_1}
")
