// SPDX-License-Identifier: GPL-3.0-or-later
// A small cache of what is costly to make and depends only on sizes and settings, shared by images of equal shape.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace lanewright {

/// Keeps the `capacity` values used last. Thread-safe; a value stays alive as long as someone holds it. Two threads that
/// miss the same key at once both make it, and share one of the two.
template <class Key, class Value>
class GeometryCache {
public:
    explicit GeometryCache(std::size_t capacity) : m_capacity(capacity) {}

    /// `make()` returns the Value for `key`.
    template <class Make>
    std::shared_ptr<const Value> get(const Key& key, Make make) {
        if (auto found = find(key)) return found;
        auto made = std::make_shared<const Value>(make());
        const std::lock_guard lock(m_mutex);
        if (auto found = findLocked(key)) return found;
        m_entries.emplace_front(key, made);
        if (m_entries.size() > m_capacity) m_entries.pop_back();
        return made;
    }

private:
    std::shared_ptr<const Value> find(const Key& key) {
        const std::lock_guard lock(m_mutex);
        return findLocked(key);
    }

    std::shared_ptr<const Value> findLocked(const Key& key) {
        for (auto entry = m_entries.begin(); entry != m_entries.end(); ++entry) {
            if (!(entry->first == key)) continue;
            m_entries.splice(m_entries.begin(), m_entries, entry);
            return entry->second;
        }
        return nullptr;
    }

    const std::size_t m_capacity;
    std::mutex m_mutex;
    std::list<std::pair<Key, std::shared_ptr<const Value>>> m_entries;  ///< used last first
};

}  // namespace lanewright
