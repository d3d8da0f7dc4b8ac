// SPDX-License-Identifier: GPL-3.0-or-later
// One growing block a thread.
#include "kernels/common/scratch.h"

#include <memory>
#include <new>

namespace lanewright {
namespace {

constexpr std::align_val_t alignment{64};

struct Free {
    void operator()(std::byte* block) const { ::operator delete(block, alignment); }
};

struct Block {
    std::unique_ptr<std::byte, Free> data;
    std::size_t size = 0;
};

}  // namespace

std::byte* threadScratch(std::size_t bytes) {
    thread_local Block block;
    if (block.size < bytes) {
        block.data.reset();
        block.size = 0;
        block.data.reset(static_cast<std::byte*>(::operator new(bytes, alignment)));
        block.size = bytes;
    }
    return block.data.get();
}

}  // namespace lanewright
