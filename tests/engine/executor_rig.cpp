// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/executor_rig.h"

#include "engine/trace/contract.h"
#include "tests/support/test_file.h"
#include "tests/support/test_stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

namespace lanewright::test {
namespace {

namespace fs = std::filesystem;

const Catalog& catalog() {
    static const Catalog made = makeTestCatalog();
    return made;
}

std::vector<std::byte> contentOf(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    std::vector<std::byte> content(bytes.size());
    std::transform(bytes.begin(), bytes.end(), content.begin(), [](char c) { return static_cast<std::byte>(c); });
    return content;
}

std::string imageName(std::size_t image) { return "image" + std::to_string(image) + ".lwt"; }

}  // namespace

ExecutorRig::ExecutorRig(RigPlan description) {
    const auto edit = description.editInput;
    description.editInput = [&](InputSet& input) {
        for (std::size_t i = 0; i < input.images.size(); ++i) {
            const auto bytes = testFile(description.width, description.height, 3, static_cast<std::uint32_t>(i));
            InputImage& image = input.images[i];
            const fs::path path = m_folder.write("in/" + imageName(i), bytes);
            image.path = path.string();
            image.folderLength = static_cast<std::uint32_t>((m_folder.path() / "in").string().size() + 1);
            image.fileBytes = ByteCount(bytes.size());
        }
        if (edit) edit(input);
    };
    auto plan = makeRigPlan(description);
    if (!plan) {
        ADD_FAILURE() << plan.error().id;
        return;
    }
    m_plan = std::make_shared<const Plan>(std::move(plan).value());
    for (const Device& device : m_plan->machine->devices) {
        if (device.kind != DeviceKind::fake) continue;
        m_scripts[device.name];
        m_records[device.name] = std::make_shared<FakeRecord>();
    }
    m_options.outputFolder = m_folder.path() / "out";
    m_options.outputName = [this](ImageIndex image, StageIndex stage) {
        return fs::path(m_plan->pipeline->stage(stage).id) / imageName(image.index());
    };
    m_options.driverOverride = [this](DeviceId device) {
        const Device& description = m_plan->machine->device(device);
        if (description.kind != DeviceKind::fake) return std::unique_ptr<DeviceDriver>();
        return makeFakeDriver(*m_plan->machine, device, m_scripts[description.name], m_records[description.name]);
    };
}

std::unique_ptr<Executor> ExecutorRig::open() {
    auto executor = Executor::open(m_plan, catalog(), m_options);
    EXPECT_TRUE(executor.ok());
    return std::move(executor).value();
}

ExecutionResult ExecutorRig::run() {
    auto result = open()->execute();
    EXPECT_TRUE(result.ok());
    check(*result);
    return std::move(result).value();
}

void ExecutorRig::check(const ExecutionResult& result) const {
    EXPECT_EQ(contractText(checkContract(*m_plan, result.trace)), "");
    EXPECT_EQ(partialFiles(), 0U);
    EXPECT_EQ(result.images.size(), m_plan->imageCount());
}

fs::path ExecutorRig::inputFile(std::size_t image) const { return m_folder.path() / "in" / imageName(image); }

fs::path ExecutorRig::outputFile(std::size_t image, const std::string& sink) const {
    return m_folder.path() / "out" / sink / imageName(image);
}

std::vector<std::byte> ExecutorRig::expectedPixels(std::size_t image, int added) const {
    auto pixels = testPixels(contentOf(inputFile(image)));
    for (std::byte& sample : pixels) sample = static_cast<std::byte>(std::to_integer<int>(sample) + added);
    return pixels;
}

std::vector<std::byte> ExecutorRig::writtenPixels(std::size_t image, const std::string& sink) const {
    return testPixels(contentOf(outputFile(image, sink)));
}

std::size_t ExecutorRig::outputFiles() const {
    if (!fs::exists(m_options.outputFolder)) return 0;
    const fs::recursive_directory_iterator entries(m_options.outputFolder);
    return static_cast<std::size_t>(
        std::count_if(begin(entries), end(entries), [](const auto& entry) { return entry.is_regular_file(); }));
}

std::size_t ExecutorRig::partialFiles() const {
    const fs::recursive_directory_iterator entries(m_folder.path());
    return static_cast<std::size_t>(std::count_if(
        begin(entries), end(entries), [](const auto& entry) { return entry.path().extension() == ".part"; }));
}

RigPlan executorPlan(std::string stages, std::size_t images, int workers, int fakeDevices) {
    RigPlan description;
    description.stages = std::move(stages);
    description.images = images;
    description.machine.workers = workers;
    description.machine.fakeDevices = fakeDevices;
    return description;
}

void setParameter(Pipeline& pipeline, std::string_view stage, std::string_view parameter, ParameterValue value) {
    Stage& found = pipeline.stages[pipeline.find(stage)->index()];
    found.parameters.set(*findParameter(found.kind->description().parameters, parameter), std::move(value));
}

std::size_t countOutcomes(const ExecutionResult& result, ImageOutcome outcome) {
    return static_cast<std::size_t>(std::count_if(result.images.begin(), result.images.end(),
                                                  [outcome](const ImageRecord& r) { return r.outcome == outcome; }));
}

}  // namespace lanewright::test
