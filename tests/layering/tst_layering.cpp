// SPDX-License-Identifier: GPL-3.0-or-later
// The sources keep to the table of parts; and the check itself finds each kind of wrong arrow in a small bad tree.
#include "tests/layering/layering.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

namespace lanewright::layering {
namespace {

namespace fs = std::filesystem;

/// A source tree of one-line files in a temporary folder.
class Tree {
public:
    Tree() : m_root(fs::temp_directory_path() / ("lanewright-layering-" + std::to_string(std::random_device{}()))) {
        fs::create_directories(m_root);
    }
    ~Tree() {
        std::error_code ignored;
        fs::remove_all(m_root, ignored);
    }
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;

    const fs::path& root() const { return m_root; }
    void write(const std::string& file, const std::string& text) const {
        fs::create_directories((m_root / file).parent_path());
        std::ofstream(m_root / file) << text;
    }

private:
    fs::path m_root;
};

struct Case {
    const char* file;
    const char* line;
};

std::string describe(const Report& report) {
    std::string text;
    for (const Violation& violation : report.violations) text += violation.text() + "\n";
    return text;
}

TEST(Layering, TheSourcesKeepToTheTable) {
    const Report report = check(LANEWRIGHT_SOURCE_DIR);
    EXPECT_EQ(describe(report), "");
    EXPECT_GT(report.files, 10);
    EXPECT_GT(report.includes, report.files) << "the reader of #include lines finds too few";
}

TEST(Layering, EveryWrongArrowIsFound) {
    const Case wrong[] = {
        {"kernels/api/a.h", "#include <nlohmann/json.hpp>"},
        {"kernels/api/a.h", "#include \"engine/plan/plan.h\""},
        {"kernels/api/a.cpp", "#include \"kernels/common/pixels.h\""},
        {"kernels/api/a.h", "#include <CL/cl.h>"},
        {"kernels/codecs/a.cpp", "#include \"kernels/common/pixels.h\""},
        {"kernels/common/a.cpp", "#include \"kernels/codecs/jpeg.h\""},
        {"kernels/common/opencl/a.h", "#include \"kernels/resize/stage.h\""},
        {"kernels/resize/cpu.cpp", "#include \"kernels/decode/stage.h\""},
        {"kernels/resize/cuda.cu", "#include \"engine/run/run.h\""},
        {"kernels/resize/opencl.cl", "#include \"engine/run/run.h\""},
        {"kernels/catalog.cpp", "#include \"engine/run/run.h\""},
        {"engine/plan/a.cpp", "#include \"kernels/resize/stage.h\""},
        {"engine/plan/a.cpp", "#include \"kernels/catalog.h\""},
        {"engine/plan/a.h", "#include \"kernels/common/pixels.h\""},
        {"engine/plan/a.h", "#include \"views/board.h\""},
        {"engine/plan/a.h", "#include \"app/cli/a.h\""},
        {"engine/plan/a.h", "#include \"tests/engine/a.h\""},
        {"engine/run/a.h", "#include <tbb/task_arena.h>"},
        {"engine/run/a.h", "#  include  <oneapi/tbb.h> // why"},
        {"engine/devices/a.h", "#include <CL/cl.h>"},
        {"engine/devices/a.h", "#include <cuda_runtime_api.h>"},
        {"engine/devices/a.h", "#include <nvjpeg.h>"},
        {"engine/report/a.h", "#include <QString>"},
        {"engine/report/a.h", "#include <QtCore/QString>"},
        {"engine/report/a.cpp", "#include <QString>"},
        {"engine/plan/a.cpp", "#include \"plan.h\""},
        {"views/board.cpp", "#include \"kernels/resize/stage.h\""},
        {"views/board.cpp", "#include \"app/window/main_window.h\""},
        {"app/cli/main.cpp", "#include \"views/board.h\""},
        {"app/cli/main.cpp", "#include <QString>"},
    };
    for (const Case& one : wrong) {
        const Tree tree;
        tree.write(one.file, std::string("// first line\n") + one.line + "\n");
        const Report report = check(tree.root());
        ASSERT_EQ(report.violations.size(), 1u) << one.file << ": " << one.line;
        EXPECT_EQ(report.violations[0].file, one.file);
        EXPECT_EQ(report.violations[0].line, 2);
    }
}

TEST(Layering, RightArrowsPass) {
    const Case right[] = {
        {"kernels/api/a.h", "#include <vector>"},
        {"kernels/api/a.h", "#include \"kernels/api/result.h\""},
        {"kernels/codecs/a.cpp", "#include <jpeglib.h>"},
        {"kernels/codecs/a.cpp", "#include \"kernels/api/result.h\""},
        {"kernels/common/a.cpp", "#include \"hwy/highway.h\""},
        {"kernels/common/opencl/a.h", "#include <CL/cl.h>"},
        {"kernels/common/cuda/a.cu", "#include <cuda_runtime_api.h>"},
        {"kernels/decode/stage.cpp", "#include \"kernels/codecs/jpeg.h\""},
        {"kernels/decode/stage.cpp", "#include \"kernels/decode/parameters.h\""},
        {"kernels/catalog.cpp", "#include \"kernels/resize/stage.h\""},
        {"engine/plan/a.cpp", "#include \"engine/cost/cost.h\""},
        {"engine/plan/a.cpp", "#include <queue>"},
        {"engine/devices/a.cpp", "#include \"build_features.h\""},
        {"engine/devices/opencl.cpp", "#include <CL/cl.h>"},
        {"engine/run/a.cpp", "#include <tbb/task_arena.h>"},
        {"views/board.h", "#include <QWidget>"},
        {"views/board.h", "#include \"engine/plan/plan.h\""},
        {"app/window/a.cpp", "#include \"views/board.h\""},
        {"app/cli/main.cpp", "#include \"kernels/catalog.h\""},
    };
    for (const Case& one : right) {
        const Tree tree;
        tree.write(one.file, std::string(one.line) + "\n");
        const Report report = check(tree.root());
        EXPECT_EQ(report.includes, 1) << one.file << ": " << one.line;
        EXPECT_EQ(describe(report), "");
    }
}

}  // namespace
}  // namespace lanewright::layering
