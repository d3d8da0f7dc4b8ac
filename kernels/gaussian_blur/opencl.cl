// SPDX-License-Identifier: GPL-3.0-or-later
// OpenCL kernels of "gaussian_blur": vertical pass into scratch, whose rows are longer by the radius at both ends, so that
// the horizontal pass needs no edge rule. Offsets are in bytes, strides in samples (pixels for straight alpha); weights[k]
// is for both samples at distance k.

kernel void blurVertically(global const uchar* source, ulong sourceOffset, uint sourceStride, global const float* weights,
                           int radius, int reflect, int width, int height, int margin, int components,
                           global uchar* scratch, ulong scratchOffset, uint scratchStride, int columns, int rows) {
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (column >= columns || row >= rows) return;
    const int pixel = column / components;
    const int x = borderIndex(reflect, pixel - margin, width);
    global const uchar* from = source + sourceOffset + x * components + column - pixel * components;
    float sum = weights[0] * from[(size_t)row * sourceStride];
    for (int k = 1; k <= radius; ++k) {
        const size_t above = (size_t)borderIndex(reflect, row - k, height) * sourceStride;
        const size_t below = (size_t)borderIndex(reflect, row + k, height) * sourceStride;
        sum = mad(weights[k], (float)(from[above] + from[below]), sum);
    }
    global short* to = (global short*)(scratch + scratchOffset);
    to[(size_t)row * scratchStride + column] = convert_short_rte(sum * INTERMEDIATE_ONE);
}

kernel void blurHorizontally(global const uchar* scratch, ulong scratchOffset, uint scratchStride,
                             global const float* weights, int radius, int components, global uchar* target,
                             ulong targetOffset, uint targetStride, int columns, int rows) {
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (column >= columns || row >= rows) return;
    global const short* from = (global const short*)(scratch + scratchOffset) + (size_t)row * scratchStride +
                               radius * components + column;
    float sum = weights[0] * from[0];
    for (int k = 1; k <= radius; ++k) {
        sum = mad(weights[k], (float)(from[-k * components] + from[k * components]), sum);
    }
    target[targetOffset + (size_t)row * targetStride + column] = roundedSample(sum * (1.0f / INTERMEDIATE_ONE));
}

// RGBA with straight alpha: pixels instead of samples, premultiplied floats in scratch.
kernel void blurAlphaVertically(global const uchar* source, ulong sourceOffset, uint sourceStride,
                                global const float* weights, int radius, int reflect, int width, int height,
                                int margin, global uchar* scratch, ulong scratchOffset, uint scratchStride,
                                int columns, int rows) {
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (column >= columns || row >= rows) return;
    global const uchar* from = source + sourceOffset + 4 * borderIndex(reflect, column - margin, width);
    float4 sum = weights[0] * premultiplied(vload4(0, from + (size_t)row * sourceStride));
    for (int k = 1; k <= radius; ++k) {
        const size_t above = (size_t)borderIndex(reflect, row - k, height) * sourceStride;
        const size_t below = (size_t)borderIndex(reflect, row + k, height) * sourceStride;
        const float4 pair = premultiplied(vload4(0, from + above)) + premultiplied(vload4(0, from + below));
        sum = mad((float4)(weights[k]), pair, sum);
    }
    vstore4(sum, (size_t)row * scratchStride + column, (global float*)(scratch + scratchOffset));
}

kernel void blurAlphaHorizontally(global const uchar* scratch, ulong scratchOffset, uint scratchStride,
                                  global const float* weights, int radius, global uchar* target, ulong targetOffset,
                                  uint targetStride, int columns, int rows) {
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (column >= columns || row >= rows) return;
    global const float* from = (global const float*)(scratch + scratchOffset);
    const size_t centre = (size_t)row * scratchStride + radius + column;
    float4 sum = weights[0] * vload4(centre, from);
    for (int k = 1; k <= radius; ++k) {
        sum = mad((float4)(weights[k]), vload4(centre - k, from) + vload4(centre + k, from), sum);
    }
    vstore4(straightPixel(sum), 0, target + targetOffset + (size_t)row * targetStride + 4 * column);
}
