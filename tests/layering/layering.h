// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the #include lines of a source tree and finds those that go against the table of parts: kernels/api knows the
// standard library only, the engine knows kernels/api only, and so on; device, threading and Qt headers stay out of
// the headers that everybody includes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lanewright::layering {

struct Violation {
    std::string file;  ///< relative to the root of the tree, with '/'
    int line = 0;      ///< from 1
    std::string include;
    std::string why;

    /// "engine/plan/plan.h:12: includes "kernels/resize/stage.h": ..."
    std::string text() const;
};

struct Report {
    int files = 0;     ///< sources read
    int includes = 0;  ///< #include lines seen in them
    std::vector<Violation> violations;
};

/// Reads every C++, CUDA and OpenCL source below kernels, engine, views and app of `root`. A folder that is not there counts
/// as empty.
Report check(const std::filesystem::path& root);

}  // namespace lanewright::layering
