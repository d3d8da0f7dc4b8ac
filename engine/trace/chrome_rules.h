// SPDX-License-Identifier: GPL-3.0-or-later
// The rules for the events of a Chrome trace, one by one and against each other.
#pragma once

#include "engine/trace/chrome_reader.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanewright {

/// Takes the events in the order of the file. Times are cut to whole ns, as readers do.
class ChromeRules {
public:
    explicit ChromeRules(std::function<void(ChromeFault)> fault) : m_fault(std::move(fault)) {}

    void take(const ChromeEvent& event);
    /// Call once after the last event: what only then can be known.
    void finish();

private:
    struct Interval {
        std::int64_t begin = 0;
        std::int64_t end = 0;
    };
    struct Thread {
        std::int64_t pid = 0;
        std::size_t offset = 0;  ///< of the first event there
        std::size_t index = 0;
        bool named = false;
        bool used = false;
        std::optional<double> order;
        std::vector<std::int64_t> open;  ///< ends of the slices around the last one
        std::vector<Interval> outermost;
    };
    struct Process {
        std::size_t offset = 0;
        std::size_t index = 0;
        bool named = false;
        bool ordered = false;
        bool used = false;
    };
    struct Flow {
        std::string category;
        std::string name;
        double time = 0;
        std::size_t offset = 0;
        std::size_t index = 0;
        bool ended = false;
    };
    struct Counter {
        std::vector<std::string> keys;
        std::int64_t last = 0;
        std::size_t offset = 0;
        std::size_t index = 0;
    };

    using Arguments = std::vector<std::pair<std::string, std::string>>;
    void fault(const ChromeEvent& event, std::string_view key, std::string id, Arguments arguments = {});
    void faultLater(std::size_t index, std::size_t offset, std::string id, Arguments arguments);

    bool takeIdentity(const ChromeEvent& event);
    void takeMetadata(const ChromeEvent& event);
    void takeSlice(const ChromeEvent& event);
    void takeFlow(const ChromeEvent& event);
    void takeFlowEnd(const ChromeEvent& event, Flow& flow);
    void takeCounter(const ChromeEvent& event);
    bool checkTime(const ChromeEvent& event);
    void checkCategory(const ChromeEvent& event);
    bool insideSlice(const Thread& thread, double time) const;

    std::function<void(ChromeFault)> m_fault;
    std::map<std::int64_t, Process> m_processes;
    std::map<std::int64_t, Thread> m_threads;
    std::unordered_map<std::string, Flow> m_flows;
    std::map<std::pair<std::int64_t, std::string>, Counter> m_counters;
    std::map<std::string, std::pair<std::int64_t, std::string>> m_counterOfKey;
    std::int64_t m_previousBegin = -1;  ///< of the last slice in the file
    std::int64_t m_previousDuration = 0;
    std::int64_t m_end = 0;  ///< of the slice that ends last
    bool m_metadataOver = false;
};

}  // namespace lanewright
