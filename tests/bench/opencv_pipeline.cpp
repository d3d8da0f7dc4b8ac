// SPDX-License-Identifier: GPL-3.0-or-later
// The thumbnail pipeline as one would write it with OpenCV: threads take images one by one, each image goes through
// imdecode, resize (longest side 1024, INTER_AREA), GaussianBlur (sigma 1.5) and imencode (quality 85). What
// Lanewright's throughput is compared with; prints JSON.
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int longestSide = 1024;
constexpr double sigma = 1.5;
constexpr int quality = 85;

enum Stage : std::size_t { read, decode, resize, blur, encode, write, stageCount };
constexpr std::array<const char*, stageCount> stageNames{"read", "decode", "resize", "blur", "encode", "write"};
using StageTimes = std::array<Clock::duration, stageCount>;

struct Options {
    fs::path input;
    fs::path output;
    int threads = 2;
    int repeat = 1;
    bool readFirst = true;
};

struct Round {
    Clock::duration wall{};
    StageTimes stages{};  ///< summed over the threads
};

double milliseconds(Clock::duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

void readFile(const fs::path& path, std::vector<uchar>& bytes) {
    std::ifstream file(path, std::ios::binary);
    bytes.resize(fs::file_size(path));
    if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()))) {
        throw std::runtime_error("cannot read " + path.string());
    }
}

void writeFile(const fs::path& path, const std::vector<uchar>& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) {
        throw std::runtime_error("cannot write " + path.string());
    }
}

cv::Size fitLongestSide(cv::Size size) {
    const double scale = static_cast<double>(longestSide) / std::max(size.width, size.height);
    return {std::max(1, cvRound(size.width * scale)), std::max(1, cvRound(size.height * scale))};
}

/// One thread's buffers, used again for each image, and the time it spent in each stage.
class Worker {
public:
    void process(const fs::path& input, const fs::path& output) {
        timed(read, [&] { readFile(input, m_file); });
        timed(decode, [&] { cv::imdecode(m_file, cv::IMREAD_COLOR, &m_image); });
        if (m_image.empty()) {
            throw std::runtime_error("cannot decode " + input.string());
        }
        timed(resize, [&] { cv::resize(m_image, m_small, fitLongestSide(m_image.size()), 0, 0, cv::INTER_AREA); });
        timed(blur, [&] { cv::GaussianBlur(m_small, m_blurred, cv::Size(0, 0), sigma); });
        timed(encode, [&] { cv::imencode(".jpg", m_blurred, m_encoded, {cv::IMWRITE_JPEG_QUALITY, quality}); });
        timed(write, [&] { writeFile(output, m_encoded); });
    }

    const StageTimes& times() const { return m_times; }

private:
    template <typename Function>
    void timed(Stage stage, Function function) {
        const Clock::time_point begin = Clock::now();
        function();
        m_times[stage] += Clock::now() - begin;
    }

    std::vector<uchar> m_file;
    std::vector<uchar> m_encoded;
    cv::Mat m_image;
    cv::Mat m_small;
    cv::Mat m_blurred;
    StageTimes m_times{};
};

Round runRound(const Options& options, const std::vector<fs::path>& files) {
    std::vector<Worker> workers(static_cast<std::size_t>(options.threads));
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> failed = false;
    const Clock::time_point begin = Clock::now();
    {
        std::vector<std::jthread> threads;
        for (Worker& worker : workers) {
            threads.emplace_back([&] {
                try {
                    for (std::size_t i = next++; i < files.size(); i = next++) {
                        worker.process(files[i], options.output / files[i].stem().concat(".jpg"));
                    }
                } catch (const std::exception& error) {
                    std::fprintf(stderr, "opencv_pipeline: %s\n", error.what());
                    failed = true;
                }
            });
        }
    }
    Round round{.wall = Clock::now() - begin};
    if (failed) {
        throw std::runtime_error("not all images were processed");
    }
    for (const Worker& worker : workers) {
        for (std::size_t stage = 0; stage < stageCount; ++stage) {
            round.stages[stage] += worker.times()[stage];
        }
    }
    return round;
}

void printRound(const Round& round, std::size_t images, const char* indent) {
    const double seconds = milliseconds(round.wall) / 1000;
    std::printf("%s\"wall_s\": %.4f, \"images_per_s\": %.3f, \"stages_ms\": {", indent, seconds,
                static_cast<double>(images) / seconds);
    for (std::size_t stage = 0; stage < stageCount; ++stage) {
        std::printf("%s\"%s\": %.1f", stage == 0 ? "" : ", ", stageNames[stage], milliseconds(round.stages[stage]));
    }
    std::printf("}");
}

void printResult(const Options& options, std::vector<Round> rounds, std::size_t images) {
    std::printf("{\n  \"opencv\": \"%s\", \"images\": %zu, \"threads\": %d,\n", CV_VERSION, images, options.threads);
    std::printf("  \"rounds\": [\n");
    for (const Round& round : rounds) {
        printRound(round, images, "    {");
        std::printf("}%s\n", &round == &rounds.back() ? "\n  ]," : ",");
    }
    std::sort(rounds.begin(), rounds.end(), [](const Round& a, const Round& b) { return a.wall < b.wall; });
    printRound(rounds[rounds.size() / 2], images, "  ");  // the round of median time
    std::printf("\n}\n");
}

int number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1) {
        throw std::invalid_argument("not a positive number: " + std::string(text));
    }
    return value;
}

Options parse(const std::vector<std::string>& arguments) {
    Options options;
    std::vector<fs::path> folders;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool more = i + 1 < arguments.size();
        if (arguments[i] == "--threads" && more) {
            options.threads = number(arguments[++i]);
        } else if (arguments[i] == "--repeat" && more) {
            options.repeat = number(arguments[++i]);
        } else if (arguments[i] == "--no-read-first") {
            options.readFirst = false;
        } else {
            folders.emplace_back(arguments[i]);
        }
    }
    if (folders.size() != 2) {
        throw std::invalid_argument("usage: opencv_pipeline [--threads N] [--repeat N] [--no-read-first] INPUT OUTPUT\n"
                                    "INPUT and OUTPUT are folders; all files of INPUT are read once before the clock "
                                    "starts, unless --no-read-first is given");
    }
    options.input = folders[0];
    options.output = folders[1];
    return options;
}

int runAll(const Options& options) {
    cv::setNumThreads(1);  // only the threads made here
    fs::create_directories(options.output);
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(options.input)) {
        if (entry.is_regular_file()) {
            files.push_back(entry.path());
        }
    }
    if (files.empty()) {
        throw std::runtime_error("no files in " + options.input.string());
    }
    std::sort(files.begin(), files.end());
    if (options.readFirst) {
        std::vector<uchar> bytes;
        for (const fs::path& file : files) {
            readFile(file, bytes);
        }
    }
    std::vector<Round> rounds;
    for (int i = 0; i < options.repeat; ++i) {
        rounds.push_back(runRound(options, files));
    }
    printResult(options, std::move(rounds), files.size());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return runAll(parse({argv + 1, argv + argc}));
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "opencv_pipeline: %s\n", error.what());
        return 1;
    }
}
