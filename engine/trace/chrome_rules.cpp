// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/trace/chrome_rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <tuple>

namespace lanewright {
namespace {

constexpr std::int64_t largestId = 2147483647;
constexpr std::int64_t mostNs = 4'000'000'000'000'000'000;  // sums of two such times do not overflow
constexpr std::uint64_t flowIdLimit = std::uint64_t{1} << 53;

template <std::size_t N>
bool isOneOf(std::string_view text, const std::array<std::string_view, N>& list) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

std::int64_t wholeNs(double us) { return static_cast<std::int64_t>(std::clamp(us * 1000, -4e18, 4e18)); }

std::string numberText(double value) {
    std::array<char, 64> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

bool isFlowId(std::string_view id) {
    if (id.starts_with("0x")) id.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), value, 16);
    return !id.empty() && error == std::errc() && end == id.data() + id.size() && value < flowIdLimit;
}

}  // namespace

void ChromeRules::fault(const ChromeEvent& event, std::string_view key, std::string id, Arguments arguments) {
    std::string pointer = "/traceEvents/" + std::to_string(event.index);
    if (!key.empty()) pointer += "/" + std::string(key);
    m_fault({{std::move(id), std::move(arguments)}, event.offset, std::move(pointer)});
}

void ChromeRules::faultLater(std::size_t index, std::size_t offset, std::string id, Arguments arguments) {
    m_fault({{std::move(id), std::move(arguments)}, offset, "/traceEvents/" + std::to_string(index)});
}

void ChromeRules::take(const ChromeEvent& event) {
    if (!event.isObject || event.memberCount == 0) {
        fault(event, "", "trace.emptyEvent");
        return;
    }
    for (const std::string& key : event.mistyped) fault(event, key, "trace.type", {{"key", key}});
    if (!isOneOf(event.phase, std::array<std::string_view, 6>{"X", "i", "M", "s", "f", "C"})) {
        fault(event, "ph", "trace.phase", {{"phase", event.phase}});
        return;
    }
    if (event.name.empty()) fault(event, "name", "trace.noName");
    if (isOneOf(event.name, std::array<std::string_view, 3>{"CpuProfile", "Profile", "ProfileChunk"}))
        fault(event, "name", "trace.reservedName", {{"name", event.name}});
    if (!takeIdentity(event)) return;
    if (event.phase == "M") {
        takeMetadata(event);
        return;
    }
    m_metadataOver = true;
    if (!checkTime(event)) return;
    if (event.phase != "C") checkCategory(event);
    if (event.phase == "X") takeSlice(event);
    if (event.phase == "i" && event.scope != "t") fault(event, "s", "trace.instantScope");
    if (event.phase == "s" || event.phase == "f") takeFlow(event);
    if (event.phase == "C") takeCounter(event);
}

bool ChromeRules::takeIdentity(const ChromeEvent& event) {
    bool good = true;
    for (const auto& [key, id] : {std::pair("pid", event.pid), std::pair("tid", event.tid)}) {
        if (id && *id >= 1 && *id <= largestId) continue;
        fault(event, key, "trace.id", {{"key", key}, {"value", id ? std::to_string(*id) : "nothing"}});
        good = false;
    }
    if (!good) return false;
    const auto [process, newProcess] = m_processes.try_emplace(*event.pid);
    const auto [thread, newThread] = m_threads.try_emplace(*event.tid);
    if (newProcess) std::tie(process->second.offset, process->second.index) = std::tie(event.offset, event.index);
    if (newThread) {
        thread->second.pid = *event.pid;
        std::tie(thread->second.offset, thread->second.index) = std::tie(event.offset, event.index);
    } else if (thread->second.pid != *event.pid) {
        fault(event, "tid", "trace.tidTwice",
              {{"tid", std::to_string(*event.tid)}, {"pid", std::to_string(thread->second.pid)}});
        return false;
    }
    if (event.phase != "M") process->second.used = thread->second.used = true;
    return true;
}

void ChromeRules::takeMetadata(const ChromeEvent& event) {
    if (m_metadataOver) fault(event, "ph", "trace.metadataLate");
    Process& process = m_processes[*event.pid];
    Thread& thread = m_threads[*event.tid];
    const bool names = event.name == "process_name" || event.name == "thread_name";
    const bool orders = event.name == "process_sort_index" || event.name == "thread_sort_index";
    if ((names && event.argumentName.empty()) || (orders && !event.sortIndex)) {
        fault(event, "args", "trace.metadataValue", {{"name", event.name}});
        return;
    }
    if (event.name == "process_name") process.named = true;
    if (event.name == "process_sort_index") process.ordered = true;
    if (event.name == "thread_name") thread.named = true;
    if (event.name == "thread_sort_index") thread.order = event.sortIndex;
}

bool ChromeRules::checkTime(const ChromeEvent& event) {
    if (event.time && *event.time >= 0 && std::isfinite(*event.time)) return true;
    fault(event, "ts", "trace.time", {{"value", event.time ? numberText(*event.time) : "nothing"}});
    return false;
}

void ChromeRules::checkCategory(const ChromeEvent& event) {
    constexpr std::array<std::string_view, 7> categories = {"stage", "copy", "io", "setup", "queue", "sync", "host"};
    if (!isOneOf(event.category, categories)) fault(event, "cat", "trace.category", {{"category", event.category}});
}

void ChromeRules::takeSlice(const ChromeEvent& event) {
    const std::int64_t duration = event.duration ? wholeNs(*event.duration) : 0;
    if (duration < 1) {
        fault(event, "dur", "trace.duration", {{"value", event.duration ? numberText(*event.duration) : "nothing"}});
        return;
    }
    const std::int64_t begin = wholeNs(*event.time);
    const std::int64_t end = begin + std::min(duration, mostNs - std::min(begin, mostNs));
    const bool inOrder = begin > m_previousBegin || (begin == m_previousBegin && duration <= m_previousDuration);
    if (!inOrder) fault(event, "ts", "trace.order");
    m_previousBegin = begin;
    m_previousDuration = duration;
    m_end = std::max(m_end, end);

    Thread& thread = m_threads[*event.tid];
    while (!thread.open.empty() && thread.open.back() <= begin) thread.open.pop_back();
    if (!thread.open.empty() && end > thread.open.back()) {
        fault(event, "dur", "trace.overlap",
              {{"tid", std::to_string(*event.tid)}, {"ns", std::to_string(thread.open.back() - begin)}});
        return;
    }
    if (thread.open.empty()) thread.outermost.push_back({begin, end});
    thread.open.push_back(end);
}

/// Strictly inside a slice of at least 3 ns that came before in the file. Out of order, some may be missed; then the order
/// is told anyway.
bool ChromeRules::insideSlice(const Thread& thread, double time) const {
    const std::int64_t when = wholeNs(time);
    const auto after = std::upper_bound(thread.outermost.begin(), thread.outermost.end(), when,
                                        [](std::int64_t t, const Interval& slice) { return t < slice.begin; });
    if (after == thread.outermost.begin()) return false;
    const Interval& slice = *std::prev(after);
    return slice.end - slice.begin >= 3 && when > slice.begin && when < slice.end;
}

void ChromeRules::takeFlow(const ChromeEvent& event) {
    if (!isFlowId(event.id)) {
        fault(event, "id", "trace.flowId", {{"id", event.id}});
        return;
    }
    if (!insideSlice(m_threads[*event.tid], *event.time)) fault(event, "ts", "trace.flowOutside", {{"id", event.id}});
    const auto [flow, isNew] = m_flows.try_emplace(event.id);
    if (event.phase == "f") {
        if (event.bindingPoint != "e") fault(event, "bp", "trace.flowBinding");
        if (isNew) {
            flow->second.ended = true;
            fault(event, "id", "trace.flowStart", {{"id", event.id}});
            return;
        }
        takeFlowEnd(event, flow->second);
        return;
    }
    if (!isNew) {
        fault(event, "id", "trace.flowTwice", {{"id", event.id}});
        return;
    }
    flow->second = {event.category, event.name, *event.time, event.offset, event.index, false};
}

void ChromeRules::takeFlowEnd(const ChromeEvent& event, Flow& flow) {
    if (flow.ended)
        fault(event, "id", "trace.flowTwice", {{"id", event.id}});
    else if (flow.category != event.category || flow.name != event.name)
        fault(event, "name", "trace.flowMismatch", {{"id", event.id}});
    else if (*event.time < flow.time)
        fault(event, "ts", "trace.flowBackwards", {{"id", event.id}});
    flow.ended = true;
}

void ChromeRules::takeCounter(const ChromeEvent& event) {
    if (event.numberArguments.empty() || !event.otherArguments.empty()) {
        fault(event, "args", "trace.counterValue", {{"name", event.name}});
        return;
    }
    std::vector<std::string> keys = event.numberArguments;
    std::sort(keys.begin(), keys.end());
    const std::pair id(*event.pid, event.name);
    const auto [counter, isNew] = m_counters.try_emplace(id, Counter{keys, 0, event.offset, event.index});
    if (counter->second.keys != keys) fault(event, "args", "trace.counterKeys", {{"name", event.name}});
    for (const std::string& key : keys) {
        const auto owner = m_counterOfKey.try_emplace(key, id).first;
        if (isNew && owner->second != id) fault(event, "args", "trace.counterKeyTwice", {{"key", key}});
    }
    counter->second.last = std::max(counter->second.last, wholeNs(*event.time));
}

void ChromeRules::finish() {
    for (const auto& [pid, process] : m_processes) {
        const std::string what = "pid " + std::to_string(pid);
        if (process.used && !process.named)
            faultLater(process.index, process.offset, "trace.metadataMissing",
                       {{"name", "process_name"}, {"what", what}});
        if (process.used && !process.ordered)
            faultLater(process.index, process.offset, "trace.metadataMissing",
                       {{"name", "process_sort_index"}, {"what", what}});
    }
    std::map<std::int64_t, double> lastOrder;  // by pid; threads come by rising tid
    for (const auto& [tid, thread] : m_threads) {
        const std::string what = "tid " + std::to_string(tid);
        if (m_processes.contains(tid))
            faultLater(thread.index, thread.offset, "trace.tidIsPid", {{"tid", std::to_string(tid)}});
        if (thread.used && !thread.named)
            faultLater(thread.index, thread.offset, "trace.metadataMissing", {{"name", "thread_name"}, {"what", what}});
        if (thread.used && !thread.order)
            faultLater(thread.index, thread.offset, "trace.metadataMissing",
                       {{"name", "thread_sort_index"}, {"what", what}});
        if (!thread.order) continue;
        const auto [last, isFirst] = lastOrder.try_emplace(thread.pid, *thread.order);
        if (!isFirst && *thread.order <= last->second)
            faultLater(thread.index, thread.offset, "trace.threadOrder", {{"tid", std::to_string(tid)}});
        last->second = *thread.order;
    }
    for (const auto& [id, flow] : m_flows) {
        if (!flow.ended) faultLater(flow.index, flow.offset, "trace.flowEnd", {{"id", id}});
    }
    for (const auto& [id, counter] : m_counters) {
        if (counter.last < m_end) faultLater(counter.index, counter.offset, "trace.counterEnd", {{"name", id.second}});
    }
}

}  // namespace lanewright
