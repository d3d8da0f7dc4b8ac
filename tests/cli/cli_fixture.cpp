// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/cli_fixture.h"

#include "engine/devices/driver.h"
#include "engine/pipeline/edits.h"
#include "engine/text/text.h"
#include "engine/trace/run_file.h"
#include "kernels/catalog.h"
#include "kernels/codecs/codec.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

namespace lanewright::test {
namespace {

/// A smooth pattern with some texture, so that files have a photo's kind of size.
void paint(const MutableImageView& image, std::uint32_t seed) {
    for (std::int32_t y = 0; y < image.shape.height; ++y) {
        std::byte* row = image.planes[0].row(y);
        for (std::int32_t x = 0; x < image.shape.width * 3; ++x) {
            const auto value = static_cast<std::uint32_t>(x * 2 + y * 3) + seed * 37 +
                               (static_cast<std::uint32_t>(x * 7919 + y * 104729) >> 5) % 9;
            row[x] = static_cast<std::byte>(value & 0xffU);
        }
    }
}

/// Adds a stage behind `before` (invalid: a source) and sets its parameters.
StageIndex append(Pipeline& pipeline, std::string_view kind, const std::string& id, StageIndex before,
                  const std::vector<std::pair<std::string, std::string>>& parameters) {
    auto edited = addStage(pipeline, *cliCatalog().find(kind), id);
    EXPECT_TRUE(edited);
    const StageIndex stage(edited->stages.size() - 1);
    if (before.valid()) edited = connect(*edited, {before, 0, stage, 0});
    for (const auto& [name, value] : parameters) {
        EXPECT_TRUE(edited) << textOf(edited.error());
        edited = setParameterText(*edited, stage, name, value);
    }
    EXPECT_TRUE(edited) << textOf(edited.error());
    pipeline = std::move(edited).value();
    return stage;
}

}  // namespace

const Catalog& cliCatalog() {
    static const Catalog catalog = makeCatalog();
    return catalog;
}

void writePicture(const fs::path& file, std::int32_t width, std::int32_t height, std::uint32_t seed) {
    const Codec* codec = findCodec(file.extension() == ".png" ? "png" : "jpeg");
    const ImageShape shape{width, height, rgb8};
    std::vector<std::byte> pixels(sizeOf(shape).value);
    const MutableImageView image = mutableImageViewOf(shape, pixels.data());
    paint(image, seed);
    std::vector<std::byte> room(codec->encodedBound(shape, {}).value);
    auto encoder = codec->openEncoder(shape, {}, room);
    ASSERT_TRUE(encoder) << textOf(encoder.error());
    ASSERT_TRUE((*encoder)->writeRows(imageViewOf(shape, pixels.data()), {0, height}));
    const auto size = (*encoder)->finish();
    ASSERT_TRUE(size) << textOf(size.error());
    writeText(file, {reinterpret_cast<const char*>(room.data()), *size});
}

void writeText(const fs::path& file, std::string_view text) {
    fs::create_directories(file.parent_path());
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    ASSERT_TRUE(stream.flush()) << file;
}

std::string readText(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

::testing::AssertionResult contains(const std::string& text, std::string_view part) {
    if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "\"" << part << "\" is not in: " << text;
}

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::vector<std::string> errorsOf(const CliResult& result) {
    auto lines = linesOf(result.err);
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("lanewright-cli: "); });
    return lines;
}

std::vector<std::string> filesBelow(const fs::path& folder) {
    std::vector<std::string> files;
    if (!fs::exists(folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(folder).string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

lanewright::Run readBack(const fs::path& file) {
    auto run = readRun(file);
    EXPECT_TRUE(run) << textOf(run.error());
    return run ? std::move(run).value() : lanewright::Run{};
}

std::string absenceOf(std::string_view device) {
    const Machine machine = discoverMachine(cliCatalog());
    const auto found = machine.findDevice(device);
    if (!found) return "this machine has no " + std::string(device);
    const auto& absent = machine.device(*found).absent;
    return absent ? textOf(*absent) : "";
}

CliTest::CliTest() {
    std::string name = fs::temp_directory_path() / "lanewright-cli-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    m_folder = name;
}

CliTest::~CliTest() {
    std::error_code ignored;
    fs::remove_all(m_folder, ignored);
}

void CliTest::writePictures(std::size_t count, std::int32_t width, std::int32_t height) const {
    for (std::size_t i = 0; i < count; ++i) {
        std::string number = std::to_string(i);
        number.insert(0, 3 - number.size(), '0');
        writePicture(in() / ("p" + number + ".jpg"), width, height, static_cast<std::uint32_t>(i));
    }
}

fs::path CliTest::writeChain(const ChainOptions& options) const {
    Project project;
    project.input.paths = {in()};
    project.output.folder = out();
    Pipeline& pipeline = project.pipeline;
    const StageIndex decode = append(pipeline, "decode", "decode", {}, {});
    const bool several = options.sizes.size() > 1;
    for (const std::int32_t size : options.sizes) {
        const std::string suffix = several ? "_" + std::to_string(size) : "";
        StageIndex last = append(pipeline, "resize", "resize" + suffix, decode, {{"width", std::to_string(size)}});
        if (options.blur > 0) {
            last = append(pipeline, "gaussian_blur", "blur" + suffix, last, {{"sigma", parameterText(options.blur)}});
        }
        append(pipeline, "encode", "encode" + suffix, last, {});
    }
    if (several) project.output.nameTemplate = "{name}_{stage}.{ext}";
    for (const Stage& stage : pipeline.stages) {
        const bool movable = stage.kind->description().role == StageRole::transform;
        project.placement.stages.push_back({{movable ? options.device : "cpu"}, {}});
    }
    const fs::path file = folder() / "chain.lanes";
    const Status written = writeProject(project, file);
    EXPECT_TRUE(written) << textOf(written.error());
    return file;
}

CliResult CliTest::cli(const std::vector<std::string>& arguments, CliOptions options) const {
    if (options.folder.empty()) options.folder = folder();
    return runCli(arguments, options);
}

}  // namespace lanewright::test
