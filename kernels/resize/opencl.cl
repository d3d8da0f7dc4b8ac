// SPDX-License-Identifier: GPL-3.0-or-later
// OpenCL kernels of "resize": vertical pass into scratch, horizontal pass out of it. Offsets are in bytes, strides in
// samples (pixels for straight alpha). A table holds its outputs and taps, first and count of each output sample, then the
// weights with the output sample varying fastest.

static inline int2 windowOf(global const int2* table, int output) { return table[1 + output]; }

static inline global const float* weightsOf(global const int2* table, int output) {
    return (global const float*)(table + 1 + table[0].x) + output;
}

kernel void copyNearest(global const uchar* source, ulong sourceOffset, uint sourceStride, global const int2* xTable,
                        global const int2* yTable, global uchar* target, ulong targetOffset, uint targetStride,
                        int components, int columns, int rows) {
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (column >= columns || row >= rows) return;
    const int pixel = column / components;
    const size_t from = (size_t)windowOf(yTable, row).x * sourceStride + windowOf(xTable, pixel).x * components + column - pixel * components;
    target[targetOffset + (size_t)row * targetStride + column] = source[sourceOffset + from];
}

kernel void filterVertically(global const uchar* source, ulong sourceOffset, uint sourceStride, global const int2* table,
                             global uchar* scratch, ulong scratchOffset, uint scratchStride, int columns,
                             int rows) {
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (column >= columns || row >= rows) return;
    const int outputs = table[0].x;
    const int2 window = windowOf(table, row);
    global const float* weights = weightsOf(table, row);
    global const uchar* from = source + sourceOffset + (size_t)window.x * sourceStride + column;
    float sum = 0.0f;
    for (int k = 0; k < window.y; ++k) sum = mad(weights[(size_t)k * outputs], (float)from[(size_t)k * sourceStride], sum);
    global short* to = (global short*)(scratch + scratchOffset);
    to[(size_t)row * scratchStride + column] = convert_short_rte(sum * INTERMEDIATE_ONE);
}

// All outputs take `taps` weights, zeros included, so that neighbours stay in step; rows of scratch have room for that.
kernel void filterHorizontally(global const uchar* scratch, ulong scratchOffset, uint scratchStride,
                               global const int2* table, global uchar* target, ulong targetOffset,
                               uint targetStride, int components, int columns, int rows) {
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (column >= columns || row >= rows) return;
    const int pixel = column / components;
    const int outputs = table[0].x;
    const int taps = table[0].y;
    global const float* weights = weightsOf(table, pixel);
    global const short* from = (global const short*)(scratch + scratchOffset) + (size_t)row * scratchStride +
                               windowOf(table, pixel).x * components + column - pixel * components;
    float sum = 0.0f;
    for (int k = 0; k < taps; ++k) sum = mad(weights[(size_t)k * outputs], (float)from[k * components], sum);
    target[targetOffset + (size_t)row * targetStride + column] = roundedSample(sum * (1.0f / INTERMEDIATE_ONE));
}

// RGBA with straight alpha: pixels instead of samples, premultiplied floats in scratch.
kernel void filterAlphaVertically(global const uchar* source, ulong sourceOffset, uint sourceStride,
                                  global const int2* table, global uchar* scratch, ulong scratchOffset,
                                  uint scratchStride, int columns, int rows) {
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (column >= columns || row >= rows) return;
    const int outputs = table[0].x;
    const int2 window = windowOf(table, row);
    global const float* weights = weightsOf(table, row);
    global const uchar* from = source + sourceOffset + (size_t)window.x * sourceStride + 4 * column;
    float4 sum = (float4)(0.0f);
    for (int k = 0; k < window.y; ++k) {
        sum = mad((float4)(weights[(size_t)k * outputs]), premultiplied(vload4(0, from + (size_t)k * sourceStride)), sum);
    }
    vstore4(sum, (size_t)row * scratchStride + column, (global float*)(scratch + scratchOffset));
}

kernel void filterAlphaHorizontally(global const uchar* scratch, ulong scratchOffset, uint scratchStride,
                                    global const int2* table, global uchar* target, ulong targetOffset,
                                    uint targetStride, int columns, int rows) {
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (column >= columns || row >= rows) return;
    const int outputs = table[0].x;
    const int2 window = windowOf(table, column);
    global const float* weights = weightsOf(table, column);
    global const float* from = (global const float*)(scratch + scratchOffset);
    const size_t first = (size_t)row * scratchStride + window.x;
    float4 sum = (float4)(0.0f);
    for (int k = 0; k < window.y; ++k) sum = mad((float4)(weights[(size_t)k * outputs]), vload4(first + k, from), sum);
    vstore4(straightPixel(sum), 0, target + targetOffset + (size_t)row * targetStride + 4 * column);
}
