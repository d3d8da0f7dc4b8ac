// SPDX-License-Identifier: GPL-3.0-or-later
// Look-ups in a machine.
#include "engine/machine/machine.h"

#include <algorithm>

namespace lanewright {
namespace {

bool usable(const Link& link) {
    return std::any_of(link.bytesPerSecond.begin(), link.bytesPerSecond.end(), [](double rate) { return rate > 0; });
}

std::optional<LinkId> directLink(const Machine& machine, MemoryId from, MemoryId to) {
    for (std::size_t i = 0; i < machine.links.size(); ++i) {
        const Link& link = machine.links[i];
        if (link.from == from && link.to == to && usable(link)) return LinkId(i);
    }
    return std::nullopt;
}

}  // namespace

std::string_view laneRoleName(LaneRole role) {
    switch (role) {
    case LaneRole::worker: return "worker";
    case LaneRole::compute: return "compute";
    case LaneRole::upload: return "upload";
    case LaneRole::download: return "download";
    case LaneRole::decodeEngine: return "decode engine";
    case LaneRole::read: return "read";
    case LaneRole::write: return "write";
    case LaneRole::peer: return "peer";
    }
    return "";
}

std::string_view copyKindName(CopyKind kind) {
    switch (kind) {
    case CopyKind::pageable: return "pageable";
    case CopyKind::pinned: return "pinned";
    case CopyKind::mapped: return "mapped";
    case CopyKind::peer: return "peer";
    }
    return "";
}

std::optional<DeviceId> Machine::findDevice(std::string_view wanted) const {
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (devices[i].name == wanted) return DeviceId(i);
    }
    return std::nullopt;
}

std::vector<LinkId> Machine::route(MemoryId from, MemoryId to) const {
    if (from == to) return {};
    if (const auto link = directLink(*this, from, to)) return {*link};
    if (from == hostMemory || to == hostMemory) return {};
    const auto first = directLink(*this, from, hostMemory);
    const auto second = directLink(*this, hostMemory, to);
    if (!first || !second) return {};
    return {*first, *second};
}

std::vector<LaneId> Machine::lanesOf(DeviceId id, LaneRole role) const {
    std::vector<LaneId> found;
    for (const LaneId laneId : device(id).lanes) {
        if (lane(laneId).role == role) found.push_back(laneId);
    }
    return found;
}

}  // namespace lanewright
