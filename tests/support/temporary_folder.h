// SPDX-License-Identifier: GPL-3.0-or-later
// A folder of its own for one test, gone afterwards; and an environment variable that is put back.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace lanewright::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::random_device random;
        const std::string name = "lanewright-test-" + std::to_string(random()) + "-" + std::to_string(random());
        // Canonical, so that tests may compare paths as texts.
        m_path = std::filesystem::canonical(std::filesystem::temp_directory_path()) / name;
        std::filesystem::create_directories(m_path);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return m_path; }

    /// Writes a file, making the folders above it.
    std::filesystem::path write(const std::string& name, std::string_view bytes) const {
        const std::filesystem::path file = m_path / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return file;
    }
    std::filesystem::path write(const std::string& name, const std::vector<std::byte>& bytes) const {
        return write(name, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    }

private:
    std::filesystem::path m_path;
};

/// Sets an environment variable for as long as it lives. Single-threaded tests only.
class Environment {
public:
    Environment(std::string name, const char* value) : m_name(std::move(name)) {
        if (const char* old = std::getenv(m_name.c_str())) {
            m_had = true;
            m_old = old;
        }
        ::setenv(m_name.c_str(), value, 1);
    }
    ~Environment() { m_had ? ::setenv(m_name.c_str(), m_old.c_str(), 1) : ::unsetenv(m_name.c_str()); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    std::string m_name;
    std::string m_old;
    bool m_had = false;
};

}  // namespace lanewright::test
