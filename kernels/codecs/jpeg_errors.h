// SPDX-License-Identifier: GPL-3.0-or-later
// libjpeg reports errors by a callback that must not return. This turns them into Messages: guard() is the only way
// into the library, errors jump back into it, and nothing is ever printed.
#pragma once

#include "kernels/api/result.h"
#include "kernels/codecs/codec.h"

#include <csetjmp>
#include <cstddef>
#include <cstdio>  // jpeglib.h needs FILE and size_t declared

#include <jpeglib.h>

#include <utility>
#include <vector>

namespace lanewright {

/// Belongs to one libjpeg object and must outlive it. The library points at it: it never moves.
class JpegErrors : public jpeg_error_mgr {
public:
    explicit JpegErrors(DamagePolicy policy);
    JpegErrors(const JpegErrors&) = delete;
    JpegErrors& operator=(const JpegErrors&) = delete;

    /// Runs `body`, which calls libjpeg; false when the library gave up, see failure(). The jump skips destructors, so
    /// `body` may hold nothing that has one.
    template <class Body>
    bool guard(Body&& body) {
        if (setjmp(m_jump) != 0) return false;
        body();
        return true;
    }

    const Message& failure() const { return m_failure; }

    /// Called when the header has been read: bytes between markers are untidy up to here and damage from here.
    void beginPixels() { m_inPixels = true; }

    /// At most one sentence for damage inside the file and one for its missing end.
    const std::vector<Message>& damage() const { return m_damage; }

    /// For callbacks inside guard() that end the library call themselves: first the reason, then the jump, in two
    /// statements, so that no temporary is alive when the jump skips its destructor.
    void setFailure(Message message) { m_failure = std::move(message); }
    [[noreturn]] void jump() { std::longjmp(m_jump, 1); }

private:
    static void onError(j_common_ptr info);
    static void onMessage(j_common_ptr info, int level);
    static void onOutput(j_common_ptr) {}

    void noteDamage(j_common_ptr info);
    bool isHarmless() const;

    DamagePolicy m_policy;
    bool m_inPixels = false;
    std::jmp_buf m_jump;
    Message m_failure;
    std::vector<Message> m_damage;
};

}  // namespace lanewright
