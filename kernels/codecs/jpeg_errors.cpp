// SPDX-License-Identifier: GPL-3.0-or-later
// Which of libjpeg's messages mean what.
#include "kernels/codecs/jpeg_errors.h"

#include "kernels/codecs/checks.h"

#include <jerror.h>

#include <string>

namespace lanewright {
namespace {

std::string libraryText(j_common_ptr info) {
    char text[JMSG_LENGTH_MAX];
    info->err->format_message(info, text);
    return text;
}

Message tooLargeMessage(j_common_ptr info) {
    std::string width = "?";
    std::string height = "?";
    if (info->is_decompressor) {
        const auto* decompressor = reinterpret_cast<j_decompress_ptr>(info);
        width = std::to_string(decompressor->image_width);
        height = std::to_string(decompressor->image_height);
    }
    return {"image.tooLarge",
            {{"width", width},
             {"height", height},
             {"maximumSide", std::to_string(JPEG_MAX_DIMENSION)},
             {"maximumPixels", std::to_string(maximumPixels)}}};
}

Message messageOf(j_common_ptr info) {
    switch (info->err->msg_code) {
    case JERR_OUT_OF_MEMORY: return memoryMessage();
    case JERR_IMAGE_TOO_BIG: return tooLargeMessage(info);
    case JERR_BAD_PRECISION:
        return unsupportedMessage("JPEG with " + std::to_string(info->err->msg_parm.i[0]) + " bits per sample");
    case JERR_SOF_UNSUPPORTED: return unsupportedMessage("lossless or hierarchical JPEG");
    case JERR_ARITH_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_NOTIMPL: return unsupportedMessage(libraryText(info));
    default: return damagedMessage(libraryText(info));
    }
}

/// Some cameras pad the last scan with a few bytes; decoders everywhere accept that.
constexpr int maximumPadding = 16;

JpegErrors& errorsOf(j_common_ptr info) { return static_cast<JpegErrors&>(*info->err); }

}  // namespace

JpegErrors::JpegErrors(DamagePolicy policy) : jpeg_error_mgr{}, m_policy(policy), m_jump{} {
    jpeg_std_error(this);
    error_exit = onError;
    emit_message = onMessage;
    output_message = onOutput;
}

void JpegErrors::onError(j_common_ptr info) {
    errorsOf(info).setFailure(messageOf(info));
    errorsOf(info).jump();
}

void JpegErrors::onMessage(j_common_ptr info, int level) {
    if (level >= 0) return;  // a trace message
    JpegErrors& errors = errorsOf(info);
    ++errors.num_warnings;
    if (errors.isHarmless()) return;
    errors.noteDamage(info);
    if (errors.m_policy == DamagePolicy::keep) return;
    errors.setFailure(errors.m_damage.front());
    errors.jump();
}

void JpegErrors::noteDamage(j_common_ptr info) {
    const bool truncated = msg_code == JWRN_JPEG_EOF;
    // After the missing end everything else is only its consequence, and of damage inside the first sign says enough.
    if (!m_damage.empty() && (!truncated || m_damage.back().id == truncatedMessage().id)) return;
    m_damage.push_back(truncated ? truncatedMessage() : damagedMessage(libraryText(info)));
}

bool JpegErrors::isHarmless() const {
    switch (msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_ICC:
    case JWRN_JFIF_MAJOR:
    case JWRN_NOT_SEQUENTIAL:
    case JWRN_TOO_MUCH_DATA: return true;
    case JWRN_EXTRANEOUS_DATA: return !m_inPixels || (msg_parm.i[1] == JPEG_EOI && msg_parm.i[0] <= maximumPadding);
    default: return false;
    }
}

}  // namespace lanewright
