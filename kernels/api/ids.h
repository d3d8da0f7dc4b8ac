// SPDX-License-Identifier: GPL-3.0-or-later
// Typed indices: a stage index cannot be passed where a lane index is wanted.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace lanewright {

/// An index into one table of the engine. `Id{}` is "none".
template <class Tag>
struct Id {
    std::uint32_t value = std::numeric_limits<std::uint32_t>::max();

    constexpr Id() = default;
    constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}
    constexpr bool valid() const { return value != std::numeric_limits<std::uint32_t>::max(); }
    constexpr std::size_t index() const { return value; }
    friend constexpr auto operator<=>(Id, Id) = default;
};

using StageIndex = Id<struct StageTag>;       ///< a stage of one pipeline
using ImageIndex = Id<struct ImageTag>;       ///< an image of one input set, in input order
using DeviceId = Id<struct DeviceTag>;        ///< a device of one machine
using LaneId = Id<struct LaneTag>;            ///< a lane of one machine
using MemoryId = Id<struct MemoryTag>;        ///< a memory of one machine (host memory is one)
using LinkId = Id<struct LinkTag>;            ///< a link of one machine
using GroupId = Id<struct CapacityGroupTag>;  ///< a capacity group of one machine
using FormatClassId = Id<struct ClassTag>;    ///< a format class of one plan
using SlotIndex = Id<struct SlotTag>;         ///< a buffer that each image of a format class has
using TemplateId = Id<struct TemplateTag>;    ///< a step template of one plan
using StepId = Id<struct StepTag>;            ///< a step of one run

}  // namespace lanewright

template <class Tag>
struct std::hash<lanewright::Id<Tag>> {
    std::size_t operator()(lanewright::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.value); }
};
