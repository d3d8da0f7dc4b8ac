// SPDX-License-Identifier: GPL-3.0-or-later
// Reads Chrome Trace Event JSON event by event, however large the file, with the place of each.
#pragma once

#include "kernels/api/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright {

/// One element of "traceEvents". A member that is there with a value of another type is in `mistyped` and unset here.
struct ChromeEvent {
    std::size_t index = 0;   ///< in the array
    std::size_t offset = 0;  ///< of its first byte
    bool isObject = true;
    std::size_t memberCount = 0;
    std::string phase;
    std::string name;
    std::string category;
    std::string id;
    std::string bindingPoint;  ///< "bp"
    std::string scope;         ///< "s"
    std::optional<std::int64_t> pid;
    std::optional<std::int64_t> tid;
    std::optional<double> time;                ///< "ts", us
    std::optional<double> duration;            ///< "dur", us
    std::vector<std::string> numberArguments;  ///< keys of "args" whose values are numbers
    std::vector<std::string> otherArguments;   ///< the other keys of "args"
    std::string argumentName;                  ///< args.name
    std::optional<double> sortIndex;           ///< args.sort_index
    std::vector<std::string> mistyped;
};

/// A fault of the file as a whole.
struct ChromeFault {
    Message what;
    std::size_t offset = 0;
    std::string pointer;
};

/// Calls `event` for each event in order and `fault` for faults of syntax (it ends there) and of the top level. The checks
/// across events are in chrome_check.h.
void readChromeEvents(std::string_view text, const std::function<void(const ChromeEvent&)>& event,
                      const std::function<void(ChromeFault)>& fault);

}  // namespace lanewright
