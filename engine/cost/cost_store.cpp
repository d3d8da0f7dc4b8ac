// SPDX-License-Identifier: GPL-3.0-or-later
// JSON, because people may want to look; values with four digits, which is more than they are good for.
#include "engine/cost/cost_store.h"

#include "engine/files/files.h"
#include "engine/files/json.h"
#include "engine/files/stable_hash.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace lanewright {
namespace {

/// Nobody is told of faults in a cache: the ids are never shown.
constexpr JsonFormat costsFormat{"costs", 1, "", "", ""};
constexpr ByteCount largestFile{4 << 20};

double rounded(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g", value);
    return std::strtod(text.data(), nullptr);
}

Json clusterJson(const CostCluster& cluster) {
    Json values = Json::array();
    for (const double value : cluster.values()) values.push_back(rounded(value));
    Json json = {{"work", rounded(cluster.features().work)}, {"stamp", cluster.stamp()}};
    if (cluster.features().density > 0) json["density"] = rounded(cluster.features().density);
    if (!cluster.features().numbers.empty()) json["numbers"] = cluster.features().numbers;
    json["values"] = std::move(values);
    return json;
}

Json tableJson(const CostTable& table) {
    Json json = Json::object();
    for (const auto& [device, works] : table.devices()) {
        for (const auto& [work, variants] : works) {
            for (const auto& [variant, record] : variants) {
                for (const CostCluster& cluster : record.clusters()) {
                    json[device][work][variant].push_back(clusterJson(cluster));
                }
            }
        }
    }
    return json;
}

class CostReader {
public:
    explicit CostReader(const std::string& file) : m_problems(costsFormat, file) {}

    CostMemory read(const std::string& text, const std::string& fingerprint) {
        const auto document = parseJson(text, m_problems);
        if (!document) return {};
        const JsonNode root(*document, m_problems);
        if (!root.hasHeader()) return {};
        const auto own = root.need("fingerprint", "");
        if (!own || own->text() != fingerprint) return {};
        readTable(root.need("durations", ""), m_memory.durations);
        readTable(root.need("outputs", ""), m_memory.outputs);
        if (!m_problems.messages().empty()) return {};
        return std::move(m_memory);
    }

private:
    void readTable(const std::optional<JsonNode>& table, CostTable& to) {
        if (!table || !table->isObject()) return;
        for (const auto& [device, works] : table->members()) {
            for (const auto& [work, variants] : works.members()) {
                for (const auto& [variant, clusters] : variants.members()) {
                    for (const JsonNode& cluster : clusters.elements()) {
                        readCluster(cluster, to.record(device, work, variant));
                    }
                }
            }
        }
        to.prune();
    }

    static constexpr double most = 1e12;

    void readCluster(const JsonNode& cluster, CostRecord& to) {
        if (!cluster.isObject()) return;
        CostFeatures features;
        const auto work = cluster.need("work", "");
        const auto stampNode = cluster.need("stamp", "");
        const auto values = cluster.need("values", "");
        if (!work || !stampNode || !values) return;
        features.work = work->real(0, most).value_or(1);
        if (const auto density = cluster.find("density")) features.density = density->real(0, most).value_or(0);
        if (const auto numbers = cluster.find("numbers")) features.numbers = readNumbers(*numbers, -most);
        const std::uint64_t stamp = stampNode->unsignedInteger().value_or(0);
        std::vector<double> read = readNumbers(*values, 1e-12);
        if (read.empty()) return;
        if (read.size() > CostCluster::mostValues) read.resize(CostCluster::mostValues);
        m_memory.stamp = std::max(m_memory.stamp, stamp);
        to.add(CostCluster(std::move(features), std::move(read), stamp));
    }

    std::vector<double> readNumbers(const JsonNode& list, double least) const {
        std::vector<double> numbers;
        if (!list.isArray()) return numbers;
        for (const JsonNode& node : list.elements()) {
            if (const auto number = node.real(least, most)) numbers.push_back(*number);
        }
        return numbers;
    }

    JsonProblems m_problems;
    CostMemory m_memory;
};

}  // namespace

std::filesystem::path costFile(const std::filesystem::path& folder, const std::string& fingerprint) {
    return folder / "costs" / (stableHash(fingerprint) + ".json");
}

CostMemory readCosts(const std::filesystem::path& file, const std::string& fingerprint) {
    const auto text = readTextFile(file, largestFile);
    if (!text) return {};
    return CostReader(file.string()).read(*text, fingerprint);
}

Status writeCosts(const CostMemory& memory, const std::filesystem::path& file, const std::string& fingerprint) {
    Json document = Json::object();
    writeHeader(document, costsFormat);
    document["fingerprint"] = fingerprint;
    document["durations"] = tableJson(memory.durations);
    document["outputs"] = tableJson(memory.outputs);
    return saveFile(file, document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace lanewright
