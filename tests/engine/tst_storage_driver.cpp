// SPDX-License-Identifier: GPL-3.0-or-later
// Reading and writing files: checksums, changed and missing inputs, unwritable outputs, no temporary left behind.
#include "engine/devices/backends.h"
#include "engine/devices/checksum.h"
#include "engine/devices/file_io.h"
#include "engine/devices/host_pool.h"
#include "tests/engine/recorded_events.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace lanewright::test {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Checksum, MatchesXxh64) {
    EXPECT_EQ(checksumOf(bytesOf("")), 0xEF46DB3751D8E999U);
    EXPECT_EQ(checksumOf(bytesOf("a")), 0xD24EC4F1A98C6E5BU);
    EXPECT_EQ(checksumOf(bytesOf("abc")), 0x44BC2CF5AD770999U);
    EXPECT_EQ(checksumOf(bytesOf("Nobody inspects the spammish repetition")), 0xFBCEA83C8A378BF1U);
}

class StorageTest : public ::testing::Test {
protected:
    StorageTest() : m_folder(fs::temp_directory_path() / ("lanewright-storage-" + std::to_string(::getpid()))) {
        fs::create_directories(m_folder);
        storageBackend().discover(m_machine, Catalog(), {});
        auto driver = storageBackend().makeDriver(m_machine, m_machine.storageDevice, Catalog());
        m_driver = std::move(driver).value();
        EXPECT_TRUE(m_driver->open(m_events, {}).ok());
    }
    ~StorageTest() override {
        m_driver->close();
        fs::permissions(m_folder, fs::perms::owner_all);
        fs::remove_all(m_folder);
    }

    fs::path write(const std::string& name, const std::string& text) {
        std::ofstream(m_folder / name) << text;
        return m_folder / name;
    }
    static std::string contentOf(const fs::path& path) {
        std::ifstream stream(path);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    std::size_t filesLeft() const {
        std::size_t count = 0;
        for (const auto& entry : fs::recursive_directory_iterator(m_folder)) count += entry.is_regular_file() ? 1U : 0U;
        return count;
    }
    BoundPort port(std::uint64_t bytes) {
        return {m_pool->allocate(ByteCount(bytes)), BytesShape{ByteCount(bytes)}, 0};
    }

    WorkReport transfer(TemplateKind kind, const fs::path& path, BoundPort bytes) {
        auto order = std::make_shared<WorkOrder>();
        order->step = StepId(m_steps++);
        order->kind = kind;
        order->lanes = {m_machine.device(m_machine.storageDevice).lanes[kind == TemplateKind::read ? 0 : 1]};
        WorkImage image;
        image.file = path;
        (kind == TemplateKind::read ? image.outputs : image.inputs).push_back(std::move(bytes));
        order->images.push_back(std::move(image));
        const StepId step = order->step;
        m_driver->submit(std::move(order));
        return m_events.report(step).value();
    }
    Message failureOf(const WorkReport& report) {
        const auto* failed = std::get_if<StepFailed>(&report.results.at(0));
        return failed ? failed->reason : Message{};
    }
    BoundPort text(const std::string& content) {
        BoundPort bound = port(content.size() + 100);
        std::memcpy(bound.buffer->hostData(), content.data(), content.size());
        bound.actual = content.size();
        return bound;
    }

    fs::path m_folder;
    Machine m_machine;
    RecordedEvents m_events;
    std::shared_ptr<HostPool> m_pool = HostPool::create(ByteCount(1 << 20));
    std::unique_ptr<DeviceDriver> m_driver;
    std::size_t m_steps = 0;
};

TEST_F(StorageTest, ReadsAWholeFile) {
    const BoundPort bytes = port(5);
    const WorkReport report = transfer(TemplateKind::read, write("in", "hello"), bytes);
    ASSERT_TRUE(std::holds_alternative<StepDone>(report.results[0]));
    EXPECT_EQ(std::get<StepDone>(report.results[0]).actualBytes.value, 5U);
    EXPECT_EQ(std::memcmp(bytes.buffer->hostData(), "hello", 5), 0);
}

TEST_F(StorageTest, AFileThatChangedSinceTheProbeFails) {
    EXPECT_EQ(failureOf(transfer(TemplateKind::read, write("in", "hello!"), port(5))).id, "image.changed");
    EXPECT_EQ(failureOf(transfer(TemplateKind::read, write("in", "hell"), port(5))).id, "image.changed");
}

TEST_F(StorageTest, AMissingFileSaysWhy) {
    const Message message = failureOf(transfer(TemplateKind::read, m_folder / "nowhere", port(5)));
    EXPECT_EQ(message.id, "file.unreadable");
    EXPECT_EQ(message.argument("path"), (m_folder / "nowhere").string());
    EXPECT_EQ(message.argument("reason"), "No such file or directory");
}

TEST_F(StorageTest, WritesBelowNewFoldersAndTellsTheChecksum) {
    const fs::path path = m_folder / "a" / "b" / "out.jpg";
    const WorkReport report = transfer(TemplateKind::write, path, text("abc"));
    ASSERT_TRUE(std::holds_alternative<StepDone>(report.results[0]));
    EXPECT_EQ(std::get<StepDone>(report.results[0]).actualBytes.value, 3U);
    EXPECT_EQ(report.checksums.at(0), 0x44BC2CF5AD770999U);
    EXPECT_EQ(contentOf(path), "abc");
    EXPECT_EQ(filesLeft(), 1U);
}

TEST_F(StorageTest, ReplacesAnEarlierOutput) {
    const fs::path path = write("out", "a longer text from before");
    transfer(TemplateKind::write, path, text("abc"));
    EXPECT_EQ(contentOf(path), "abc");
}

TEST_F(StorageTest, AFailedWriteLeavesNothing) {
    fs::create_directories(m_folder / "out");  // a folder where the file should be
    const Message message = failureOf(transfer(TemplateKind::write, m_folder / "out", text("abc")));
    EXPECT_EQ(message.id, "file.unwritable");
    EXPECT_EQ(message.argument("reason"), "Is a directory");
    EXPECT_EQ(filesLeft(), 0U);
    const fs::path blocked = write("file", "x") / "out";  // a file where a folder should be
    EXPECT_EQ(failureOf(transfer(TemplateKind::write, blocked, text("abc"))).id, "file.unwritable");
    EXPECT_EQ(filesLeft(), 1U);
}

TEST_F(StorageTest, AFullDiskIsTold) {
    if (!fs::exists("/dev/full")) GTEST_SKIP();
    // The write itself cannot be redirected there, so look at the call that the driver uses.
    fs::create_symlink("/dev/full", m_folder / (".out." + std::to_string(::getpid()) + ".part"));
    const Status status = writeWholeFile(m_folder / "out", bytesOf("abc"));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().argument("reason"), "No space left on device");
    EXPECT_TRUE(fs::is_empty(m_folder));
}

TEST_F(StorageTest, LongNamesHaveRoomForTheTemporary) {
    const fs::path path = m_folder / std::string(255, 'n');
    transfer(TemplateKind::write, path, text("abc"));
    EXPECT_EQ(contentOf(path), "abc");
}

}  // namespace
}  // namespace lanewright::test
