// SPDX-License-Identifier: GPL-3.0-or-later
// Drivers of all devices that the plan may use, each told what it will run so that it can compile and warm it.
#include "engine/run/executor_impl.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace lanewright {
namespace {

Result<std::unique_ptr<DeviceDriver>> makeDriver(const Machine& machine, DeviceId device, const Catalog& catalog) {
    for (const DeviceBackend& backend : deviceBackends()) {
        if (backend.kind == machine.device(device).kind) return backend.makeDriver(machine, device, catalog);
    }
    return Message{"device.noDriver", {{"device", machine.device(device).name}}};
}

}  // namespace

Status Executor::Impl::open() {
    for (const DeviceId device : devicesOfPlan()) {
        if (Status opened = openDriver(device); !opened) return opened;
    }
    return {};
}

/// The host first: it gives the memory that others copy from.
std::vector<DeviceId> Executor::Impl::devicesOfPlan() const {
    std::vector<DeviceId> devices{m_machine.hostDevice, m_machine.storageDevice};
    for (const PlannedStage& stage : m_plan->stages) {
        for (const auto* list : {&stage.devices, &stage.fallbacks}) {
            for (const DeviceId device : *list) {
                if (!contains(devices, device)) devices.push_back(device);
            }
        }
    }
    return devices;
}

Status Executor::Impl::openDriver(DeviceId device) {
    auto& driver = m_drivers[device.index()];
    if (m_options.driverOverride) driver = m_options.driverOverride(device);
    if (!driver) {
        auto made = makeDriver(m_machine, device, m_catalog);
        if (!made) return std::move(made).error();
        driver = std::move(made).value();
    }
    auto spans = driver->open(*this, setupItems(device));
    if (!spans) return std::move(spans).error();
    std::move(spans->begin(), spans->end(), std::back_inserter(m_setup));
    return {};
}

/// What the device will run of each class, with its first image as the sample.
std::vector<SetupItem> Executor::Impl::setupItems(DeviceId device) {
    std::vector<SetupItem> items;
    ImageShapes constants;
    if (m_plan->constantsClass.valid()) {
        constants = shapesOf(*m_plan, m_plan->constantsImage(), nullptr);
        addSetupItems(device, m_plan->constantsClass, constants, items);
    }
    std::vector<bool> seen(m_plan->classes.size(), false);
    for (std::size_t i = 0; i < m_plan->imageCount(); ++i) {
        const FormatClassId formatClass = m_plan->classOf(ImageIndex(i));
        if (!formatClass.valid() || seen[formatClass.index()]) continue;
        seen[formatClass.index()] = true;
        addSetupItems(device, formatClass, shapesOf(*m_plan, ImageIndex(i), &constants), items);
    }
    return items;
}

void Executor::Impl::addSetupItems(DeviceId device, FormatClassId formatClass, const ImageShapes& shapes,
                                   std::vector<SetupItem>& items) const {
    std::set<TemplateId> added;
    const auto add = [&](TemplateId id) {
        const StepTemplate& step = m_plan->stepTemplate(id);
        if (!step.operation || !added.insert(id).second) return;
        SetupItem item{step.operation,      &step.parameters, {}, {}, m_plan->pipeline->stage(step.stage).id,
                       m_plan->imageCount()};
        for (const SlotIndex slot : step.inputs) item.inputs.push_back(shapes.slots[slot.index()]);
        for (const SlotIndex slot : step.outputs) item.outputs.push_back(shapes.slots[slot.index()]);
        const auto impossible = [&](SlotIndex slot) { return !shapes.errors.empty() && shapes.errors[slot.index()]; };
        if (std::none_of(step.outputs.begin(), step.outputs.end(), impossible)) items.push_back(std::move(item));
    };
    const bool host = device == m_machine.hostDevice;
    for (const StageIndex stage : m_plan->formatClass(formatClass).order) {
        const PlannedStage& planned = m_plan->stages[stage.index()];
        const bool mine = contains(planned.devices, device) || (!host && contains(planned.fallbacks, device));
        for (const Variant& variant : m_plan->formatClass(formatClass).stages[stage.index()].variants) {
            for (const TemplateId id : variant.chain) {
                const TemplatePlace place = m_plan->stepTemplate(id).place;
                const bool placed =
                    place == TemplatePlace::placed && mine && variant.kind == m_machine.device(device).kind;
                if (placed || (place == TemplatePlace::host && host)) add(id);
            }
        }
    }
}

/// Set-up happened once, before the first repeat: its trace has it.
void Executor::Impl::addSetupSpans() {
    std::map<std::string, std::uint16_t> templates;
    for (const SetupSpan& setup : m_setup) {
        const std::string name = "set-up: " + setup.name;
        auto known = templates.find(name);
        if (known == templates.end()) {
            TraceTemplate description;
            description.category = SpanCategory::setup;
            description.name = name;
            known = templates.emplace(name, m_builder->addTemplate(std::move(description))).first;
        }
        Span span;
        span.ready = span.submitted = span.returned = span.begin = setup.begin;
        span.end = setup.end;
        span.stepTemplate = known->second;
        span.lane = static_cast<std::uint16_t>(setup.lane.value);
        m_builder->add(span);
    }
    m_setup.clear();
}

}  // namespace lanewright
