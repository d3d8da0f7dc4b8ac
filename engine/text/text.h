// SPDX-License-Identifier: GPL-3.0-or-later
// Turns Messages into sentences from the catalog of texts (resources/texts/<language>.json, embedded).
#pragma once

#include "kernels/api/result.h"

#include <string>

namespace lanewright {

/// The sentence in `language` ("en"), placeholders filled; a control character or line break in an argument is escaped, so
/// that a message is always one line. An unknown id gives the id and its arguments.
std::string textOf(const Message& message, std::string_view language = "en");

}  // namespace lanewright
