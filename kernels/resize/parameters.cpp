// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters of "resize".
#include "kernels/resize/geometry.h"

namespace lanewright::resize {
namespace {

ParameterTable<Settings> makeTable() {
    ParameterTable<Settings> table;
    table.integer({.name = "width",
                   .label = "Width",
                   .unit = "px",
                   .help = "Wanted width; with \"longest side\" the wanted length of the longer side.",
                   .minimum = 1,
                   .maximum = 65535},
                  &Settings::width);
    table.integer({.name = "height",
                   .label = "Height",
                   .unit = "px",
                   .help = "Wanted height; not used with \"longest side\".",
                   .minimum = 1,
                   .maximum = 65535},
                  &Settings::height);
    table.choice({.name = "fit",
                  .label = "Fit",
                  .help = "How width and height are met.",
                  .choices = {{"exact", "Exact size, aspect not kept"},
                              {"fit", "Fit inside"},
                              {"fill", "Fill and crop"},
                              {"longest_side", "Longest side"}}},
                 &Settings::fit);
    table.choice({.name = "filter",
                  .label = "Filter",
                  .help = "How source pixels are weighted.",
                  .choices = {{"nearest", "Nearest"},
                              {"bilinear", "Bilinear"},
                              {"bicubic", "Bicubic"},
                              {"lanczos3", "Lanczos3"},
                              {"area", "Area"}}},
                 &Settings::filter);
    table.toggle({.name = "antialias",
                  .label = "Antialias",
                  .help = "Widens the filter when shrinking, so that fine patterns do not turn into false ones."},
                 &Settings::antialias);
    table.toggle(
        {.name = "enlarge", .label = "Enlarge", .help = "Off: an image that is smaller already keeps its size."},
        &Settings::enlarge);
    return table;
}

}  // namespace

const ParameterTable<Settings>& settingsTable() {
    static const ParameterTable<Settings> table = makeTable();
    return table;
}

}  // namespace lanewright::resize
