// SPDX-License-Identifier: GPL-3.0-or-later
// Turns Messages into sentences from the catalog of texts (resources/texts/<language>.json, embedded).
#pragma once

#include "kernels/api/result.h"

#include <string>
#include <string_view>

namespace lanewright {

/// The sentence in `language` ("en"), placeholders filled; a control character or line break in an argument is escaped, so
/// that a message is always one line. An unknown id gives the id and its arguments.
std::string textOf(const Message& message, std::string_view language = "en");

/// `message` as an argument of another ("{reason}"): textOf() puts its sentence there, in the same language and without
/// the full stop.
std::string nested(const Message& message);

/// `text` with control characters, line breaks, marks that reorder text, and bytes that are not UTF-8 written as \n, \x1b
/// or \u{202e}.
std::string escaped(std::string_view text);

}  // namespace lanewright
