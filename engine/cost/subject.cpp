// SPDX-License-Identifier: GPL-3.0-or-later
// Names, numbers and hashes of queries.
#include "engine/cost/subject.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace lanewright {
namespace {

// Where a device does not say its rates.
constexpr double usualOperationsPerSecond = 8e9;
constexpr double usualBytesPerSecond = 5e9;
constexpr double leastWork = 1e-7;      // seconds; even nothing takes a call
constexpr double fileOverhead = 30e-6;  // seconds to open and close one

double rateOr(double rate, double usual) { return rate > 0 ? rate : usual; }

double workSeconds(const StepQuery& query) {
    const StepTemplate& step = *query.stepTemplate;
    const auto bytes = static_cast<double>(query.bytes.value);
    const double bytesPerSecond = query.device ? query.device->bytesPerSecond : 0;
    if (step.kind == TemplateKind::copy) {
        const double rate = query.link ? query.link->bytesPerSecond[static_cast<std::size_t>(query.copyKind)] : 0;
        const double latency = query.link ? toSeconds(query.link->latency) : 0;
        return latency + bytes / rateOr(rate, usualBytesPerSecond);
    }
    if (!step.operation) return fileOverhead + bytes / rateOr(bytesPerSecond, usualBytesPerSecond);
    const WorkEstimate work = step.operation->work(query.call);
    const double operationsPerSecond = query.device ? query.device->operationsPerSecond : 0;
    return std::max(work.operations / rateOr(operationsPerSecond, usualOperationsPerSecond),
                    work.bytes / rateOr(bytesPerSecond, usualBytesPerSecond));
}

std::string deviceName(const StepQuery& query) {
    if (query.stepTemplate->kind == TemplateKind::copy && query.link) {
        return "link " + std::to_string(query.link->from.value) + ">" + std::to_string(query.link->to.value) + " " +
               std::string(copyKindName(query.copyKind));
    }
    if (!query.device) return std::string(deviceKindName(query.kind));
    return std::string(deviceKindName(query.kind)) + " " + query.device->label + " " + query.device->driverVersion;
}

std::string workName(const StepTemplate& step) {
    switch (step.kind) {
    case TemplateKind::read: return "read";
    case TemplateKind::write: return "write";
    case TemplateKind::copy: return "copy";
    case TemplateKind::operation:
    case TemplateKind::conversion: break;
    }
    return step.operation ? std::string(step.operation->operationName()) : "unknown";
}

const ImageShape* firstImage(std::span<const PortShape> ports) {
    for (const PortShape& port : ports) {
        if (const auto* image = std::get_if<ImageShape>(&port)) return image;
    }
    return nullptr;
}

/// Choices and toggles, in the order of the declarations. Texts and paths do not change what a kernel does, but for the
/// converter's target, which is the output's format.
std::string variantOf(const StepQuery& query) {
    std::string variant;
    if (query.call.image) variant += query.call.image->codec;
    for (const auto ports : {query.call.inputs, query.call.outputs}) {
        if (const ImageShape* image = firstImage(ports))
            variant += (variant.empty() ? "" : ", ") + formatName(image->format);
    }
    for (std::size_t i = 0; i < query.call.parameters.size(); ++i) {
        const ParameterValue& value = query.call.parameters.at(i);
        if (std::holds_alternative<bool>(value)) variant += std::get<bool>(value) ? ", on" : ", off";
        const auto* text = std::get_if<std::string>(&value);
        constexpr std::size_t longestChoice = 32;
        if (text && text->size() <= longestChoice) variant += ", " + *text;
    }
    return variant;
}

void addNumbers(const Parameters& parameters, CostFeatures& features) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const ParameterValue& value = parameters.at(i);
        if (const auto* whole = std::get_if<std::int64_t>(&value))
            features.numbers.push_back(static_cast<double>(*whole));
        if (const auto* real = std::get_if<double>(&value)) features.numbers.push_back(*real);
    }
}

double densityOf(const ProbedImage* image) {
    if (!image) return 0;
    const double pixels = image->shape.megapixels() * 1e6;
    return pixels > 0 ? static_cast<double>(image->fileBytes.value) / pixels : 0;
}

/// 64-bit mixing by multiplication, as in wyhash and MurmurHash3.
class Hasher {
public:
    void add(std::uint64_t value) {
        m_hash ^= value + 0x9e3779b97f4a7c15U + (m_hash << 6);
        m_hash *= 0xff51afd7ed558ccdU;
        m_hash ^= m_hash >> 32;
    }
    void add(std::string_view text) { add(std::hash<std::string_view>{}(text)); }
    void add(const PortShape& shape) {
        add(shape.index());
        if (const auto* bytes = std::get_if<BytesShape>(&shape)) {
            add(bytes->bound.value);
            return;
        }
        const auto* coefficients = std::get_if<CoefficientsShape>(&shape);
        const ImageShape& image = coefficients ? coefficients->image : std::get<ImageShape>(shape);
        add(static_cast<std::uint64_t>(image.width) << 32 | static_cast<std::uint32_t>(image.height));
        const PixelFormat& format = image.format;
        std::uint64_t packed = 0;
        for (const auto part : {static_cast<unsigned>(format.sample), static_cast<unsigned>(format.model),
                                static_cast<unsigned>(format.transfer), static_cast<unsigned>(format.alpha),
                                static_cast<unsigned>(format.subsampling), static_cast<unsigned>(format.planar)}) {
            packed = packed << 8 | part;
        }
        add(packed);
    }
    void add(const ParameterValue& value) {
        add(value.index());
        if (const auto* toggle = std::get_if<bool>(&value)) add(std::uint64_t{*toggle});
        if (const auto* whole = std::get_if<std::int64_t>(&value)) add(static_cast<std::uint64_t>(*whole));
        if (const auto* real = std::get_if<double>(&value)) add(std::bit_cast<std::uint64_t>(*real));
        if (const auto* text = std::get_if<std::string>(&value)) add(std::string_view(*text));
    }
    std::uint64_t value() const { return m_hash; }

private:
    std::uint64_t m_hash = 0;
};

}  // namespace

CostSubject subjectOf(const StepQuery& query) {
    CostSubject subject;
    subject.device = deviceName(query);
    subject.work = workName(*query.stepTemplate);
    subject.features.work = std::max(leastWork, workSeconds(query));
    if (!query.stepTemplate->operation) return subject;
    subject.variant = variantOf(query);
    subject.features.density = densityOf(query.call.image);
    addNumbers(query.call.parameters, subject.features);
    return subject;
}

CostSubject outputSubjectOf(const StepQuery& query) {
    CostSubject subject;
    subject.work = workName(*query.stepTemplate);
    subject.variant = variantOf(query);
    subject.features.work = rawBytesOf(query) * 1e-6;
    addNumbers(query.call.parameters, subject.features);
    return subject;
}

std::uint64_t subjectHash(const StepQuery& query) {
    Hasher hash;
    const StepTemplate& step = *query.stepTemplate;
    hash.add(static_cast<std::uint64_t>(step.kind));
    hash.add(query.bytes.value);
    if (query.device) {
        hash.add(std::string_view(query.device->name));
        hash.add(std::string_view(query.device->label));
    }
    if (query.link) {
        hash.add(std::uint64_t{query.link->from.value} << 32 | query.link->to.value);
        hash.add(static_cast<std::uint64_t>(query.copyKind));
    }
    if (!step.operation) return hash.value();
    hash.add(step.operation->operationName());
    for (std::size_t i = 0; i < query.call.parameters.size(); ++i) hash.add(query.call.parameters.at(i));
    for (const PortShape& port : query.call.inputs) hash.add(port);
    for (const PortShape& port : query.call.outputs) hash.add(port);
    if (query.call.image) {
        hash.add(std::string_view(query.call.image->codec));
        hash.add(query.call.image->fileBytes.value);
        hash.add(PortShape(query.call.image->shape));
    }
    return hash.value();
}

double rawBytesOf(const StepQuery& query) {
    const ImageShape* image = firstImage(query.call.inputs);
    double bytes = 0;
    for (const PortShape& port : query.call.outputs) bytes += static_cast<double>(sizeOf(port).value);
    if (image) bytes = static_cast<double>(sizeOf(*image).value);
    return std::max(1.0, bytes);
}

}  // namespace lanewright
