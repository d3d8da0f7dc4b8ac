// SPDX-License-Identifier: GPL-3.0-or-later
// The OpenCL runtime: error names, the cache of binaries on disk, compile errors with their place, tables.
#include "kernels/common/opencl/binary_cache.h"
#include "kernels/common/opencl/error.h"
#include "kernels/common/opencl/factory.h"
#include "kernels/common/opencl/launch.h"
#include "kernels/common/opencl/runtime.h"
#include "tests/support/opencl_session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace lanewright {
namespace {

namespace fs = std::filesystem;

TEST(OpenClErrors, HaveNamesAndPlaces) {
    EXPECT_EQ(openClErrorName(CL_INVALID_KERNEL_ARGS), "CL_INVALID_KERNEL_ARGS");
    EXPECT_EQ(openClErrorName(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
    EXPECT_EQ(openClErrorName(-9999), "-9999");
    const Message error = openClError(CL_INVALID_VALUE, "clDoThis");
    EXPECT_EQ(error.id, "device.openCl");
    EXPECT_EQ(error.argument("call"), "clDoThis");
    EXPECT_NE(error.argument("place").find("tst_opencl_runtime.cpp:"), std::string_view::npos);
    EXPECT_EQ(openClError(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer").id, "device.openClMemory");
    EXPECT_TRUE(openClStatus(CL_SUCCESS, "clFinish").ok());
}

class Folder : public testing::Test {
protected:
    void SetUp() override {
        const auto* info = testing::UnitTest::GetInstance()->current_test_info();
        folder =
            fs::temp_directory_path() / ("lanewright-" + std::string(info->name()) + "-" +
                                         std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()));
        fs::create_directories(folder);
    }
    void TearDown() override { fs::remove_all(folder); }

    std::vector<fs::path> files() const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path());
        return found;
    }
    fs::path folder;
};

using BinaryCacheTest = Folder;

TEST_F(BinaryCacheTest, KeepsWhatWasStored) {
    const BinaryCache cache(folder / "deeper");
    const std::vector<unsigned char> binary{1, 2, 0, 255};
    EXPECT_FALSE(cache.load("key"));
    cache.store("key", binary);
    EXPECT_EQ(cache.load("key"), binary);
    EXPECT_FALSE(cache.load("other key"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / "deeper"), {}), 1) << "a temporary file is left";
}

TEST_F(BinaryCacheTest, TakesDamageAsMissing) {
    const BinaryCache cache(folder);
    cache.store("key", std::vector<unsigned char>(100, 7));
    const fs::path file = cache.fileFor("key");
    for (const std::uintmax_t size :
         {fs::file_size(file) - 1, std::uintmax_t{60}, std::uintmax_t{5}, std::uintmax_t{0}}) {
        fs::resize_file(file, size);
        EXPECT_FALSE(cache.load("key")) << size;
    }
    cache.store("key", std::vector<unsigned char>(100, 7));
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(-3, std::ios::end);
    stream.put('x');
    stream.close();
    EXPECT_FALSE(cache.load("key"));
}

TEST_F(BinaryCacheTest, IsOptional) {
    const BinaryCache none{fs::path()};
    none.store("key", std::vector<unsigned char>(1));
    EXPECT_FALSE(none.load("key"));
    const fs::path file = folder / "a file";
    std::ofstream(file) << "x";
    const BinaryCache impossible(file);
    impossible.store("key", std::vector<unsigned char>(1));
    EXPECT_FALSE(impossible.load("key"));
}

class OpenClRuntimeTest : public Folder {
protected:
    void SetUp() override {
        Folder::SetUp();
        const auto found = test::openClTestDevice();
        if (!found) GTEST_SKIP() << found.error().argument("reason");
        device = found->device;
        cl_int code = CL_SUCCESS;
        context = ClContext(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code));
        ASSERT_EQ(code, CL_SUCCESS);
    }

    std::unique_ptr<DeviceRuntime> makeRuntime() {
        DeviceHandles handles;
        handles.device = static_cast<void*>(device);
        handles.context = static_cast<void*>(context.get());
        handles.cacheFolder = folder;
        auto runtime = openClRuntimeFactory()(handles);
        EXPECT_TRUE(runtime.ok());
        return std::move(*runtime);
    }
    static OpenClRuntime& openCl(const std::unique_ptr<DeviceRuntime>& runtime) {
        return static_cast<OpenClRuntime&>(*runtime);
    }

    cl_device_id device = nullptr;
    ClContext context;
};

constexpr OpenClSource addSource{"add.cl", "kernel void add(global int* sum, ulong offset, int n) {\n"
                                           "    if (get_global_id(0) == 0) atomic_add(sum + offset / 4, n);\n"
                                           "}\n"};

TEST_F(OpenClRuntimeTest, SaysWhereACompileErrorIs) {
    const auto runtime = makeRuntime();
    const OpenClSource bad{"bad.cl", "kernel void f(global int* p) {\n    *p = missing;\n}\n"};
    const auto kernel = openCl(runtime).kernel(bad, "f");
    ASSERT_FALSE(kernel.ok());
    EXPECT_EQ(kernel.error().id, "device.compile");
    EXPECT_EQ(kernel.error().argument("program"), "bad.cl");
    EXPECT_FALSE(kernel.error().argument("device").empty());
    const std::string log(kernel.error().argument("log"));
    EXPECT_NE(log.find("bad.cl:2:10"), std::string::npos) << log;
    EXPECT_NE(log.find("missing"), std::string::npos) << log;
    EXPECT_TRUE(files().empty()) << "a failed build left a file";
}

TEST_F(OpenClRuntimeTest, NamesAKernelThatIsNotThere) {
    const auto runtime = makeRuntime();
    const auto kernel = openCl(runtime).kernel(addSource, "subtract");
    ASSERT_FALSE(kernel.ok());
    EXPECT_EQ(kernel.error().argument("error"), "CL_INVALID_KERNEL_NAME");
}

TEST_F(OpenClRuntimeTest, ReadsItsBinaryBackAndMendsADamagedOne) {
    const auto add = [&] {
        const auto runtime = makeRuntime();
        auto warmUp = OpenClWarmUp::create(openCl(runtime));
        ASSERT_TRUE(warmUp.ok());
        auto kernel = openCl(runtime).kernel(addSource, "add");
        ASSERT_TRUE(kernel.ok()) << kernel.error().argument("log");
        OpenClLaunch launch(std::move(*kernel));
        launch.arg(warmUp->buffer()).arg(cl_int{5});
        ASSERT_TRUE(launch.enqueue(warmUp->queue(), 1, 1, warmUp->events()).ok());
        ASSERT_TRUE(warmUp->finish().ok());
    };
    add();
    ASSERT_EQ(files().size(), 1U);
    const fs::path file = files().front();
    const auto size = fs::file_size(file);
    const auto written = fs::last_write_time(file);
    add();
    EXPECT_EQ(fs::last_write_time(file), written) << "built again instead of read";
    fs::resize_file(file, size / 2);
    add();
    // Not always the same size: PoCL adds what it compiled since.
    EXPECT_GT(fs::file_size(file), size / 2) << "not built again";
}

TEST_F(OpenClRuntimeTest, RunsOneKernelFromSeveralThreads) {
    const auto runtime = makeRuntime();
    const auto memory = openCl(runtime).makeBuffer(64);
    const auto queue = openCl(runtime).makeQueue();
    ASSERT_TRUE(memory.ok() && queue.ok());
    const cl_int zero[2] = {0, 0};
    ASSERT_EQ(clEnqueueWriteBuffer(queue->get(), memory->get(), CL_TRUE, 0, sizeof zero, zero, 0, nullptr, nullptr), 0);
    const auto lane = [&](std::size_t offset, cl_int value) {
        std::vector<void*> events;
        for (int i = 0; i < 200; ++i) {
            auto kernel = openCl(runtime).kernel(addSource, "add");
            ASSERT_TRUE(kernel.ok());
            OpenClLaunch launch(std::move(*kernel));
            launch.arg(DeviceBuffer{static_cast<void*>(memory->get()), offset}).arg(value);
            ASSERT_TRUE(launch.enqueue(queue->get(), 1, 1, events).ok());
        }
        clFinish(queue->get());
        for (void* event : events) clReleaseEvent(static_cast<cl_event>(event));
    };
    std::thread other(lane, 4, 3);
    lane(0, 1);
    other.join();
    cl_int sums[2] = {};
    ASSERT_EQ(clEnqueueReadBuffer(queue->get(), memory->get(), CL_TRUE, 0, sizeof sums, sums, 0, nullptr, nullptr), 0);
    EXPECT_EQ(sums[0], 200);
    EXPECT_EQ(sums[1], 600);
}

TEST_F(OpenClRuntimeTest, MakesATableOncePerKey) {
    const auto runtime = makeRuntime();
    int made = 0;
    const auto make = [&] {
        ++made;
        return std::vector<std::byte>(16, std::byte{1});
    };
    const auto first = openCl(runtime).table("a", make);
    const auto second = openCl(runtime).table("a", make);
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(first->get(), second->get());
    EXPECT_EQ(made, 1);
    // Old ones make room: a run over images of many sizes does not fill the device.
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(openCl(runtime).table("size " + std::to_string(i), make).ok());
    EXPECT_EQ(first->use_count(), 2) << "only the test holds it";
    ASSERT_TRUE(openCl(runtime).table("a", make).ok());
    EXPECT_EQ(made, 1002);
}

}  // namespace
}  // namespace lanewright
