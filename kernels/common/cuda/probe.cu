// SPDX-License-Identifier: GPL-3.0-or-later
// Answers whether CUDA works on this machine: one trivial kernel, from launch to result.
#include "kernels/common/cuda/probe.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <vector>

namespace lanewright {
namespace {

constexpr int count = 4099;  // not a multiple of the block
constexpr int blockSize = 256;
constexpr unsigned char pattern = 0xA5;

__global__ void fill(unsigned char* data, int size, unsigned char value) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < size) data[i] = value;
}

bool good(cudaError_t error, const char* call, std::string& reason) {
    if (error == cudaSuccess) return true;
    reason = std::string(call) + ": " + cudaGetErrorString(error);
    return false;
}

}  // namespace

bool cudaFillSelfTest(std::string& reason) {
    int devices = 0;
    if (!good(cudaGetDeviceCount(&devices), "cudaGetDeviceCount", reason)) return false;
    if (devices == 0) {
        reason = "no CUDA device";
        return false;
    }
    unsigned char* data = nullptr;
    if (!good(cudaMalloc(reinterpret_cast<void**>(&data), count), "cudaMalloc", reason)) return false;
    fill<<<(count + blockSize - 1) / blockSize, blockSize>>>(data, count, pattern);
    std::vector<unsigned char> host(count);
    const bool ran = good(cudaGetLastError(), "kernel launch", reason) &&
                     good(cudaMemcpy(host.data(), data, host.size(), cudaMemcpyDeviceToHost), "cudaMemcpy", reason);
    cudaFree(data);
    if (!ran) return false;
    if (!std::all_of(host.begin(), host.end(), [](unsigned char value) { return value == pattern; })) {
        reason = "the fill kernel wrote wrong values";
        return false;
    }
    return true;
}

}  // namespace lanewright
