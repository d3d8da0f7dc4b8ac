// SPDX-License-Identifier: GPL-3.0-or-later
// OpenCL kernels of "resize": vertical pass into scratch, horizontal pass out of it. Offsets are in bytes, strides in
// samples. A table holds its outputs and taps, first and count of each output sample, then the weights with the output
// sample varying fastest. Work-items: x is a column or group of columns, y a row or group of rows.

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
    const int x = windowOf(xTable, pixel).x * components + column - pixel * components;
    const size_t y = windowOf(yTable, row).x;
    target[targetOffset + (size_t)row * targetStride + column] = source[sourceOffset + y * sourceStride + x];
}

// Rows of a group beyond the last are computed as the last again.
#define FILTER_VERTICALLY(name, sample, load, finished)                                                                \
    kernel void name(global const uchar* source, ulong sourceOffset, uint sourceStride, global const int2* table,      \
                     global uchar* scratch, ulong scratchOffset, uint scratchStride, int columns, int rows) {          \
        const int column = get_global_id(0) * COLUMNS;                                                                 \
        const int group = get_global_id(1);                                                                            \
        if (column >= columns || group * ROWS >= rows) return;                                                         \
        const int outputs = table[0].x;                                                                                \
        sample block[ROWS * COLUMNS];                                                                                  \
        for (int r = 0; r < ROWS; ++r) {                                                                               \
            const int row = min(group * ROWS + r, rows - 1);                                                           \
            const int2 window = windowOf(table, row);                                                                  \
            global const float* weights = weightsOf(table, row);                                                       \
            global const uchar* from = source + sourceOffset + (size_t)window.x * sourceStride + column;               \
            floatColumns sum = (floatColumns)(0.0f);                                                                   \
            for (int k = 0; k < window.y; ++k) {                                                                       \
                sum = mad((floatColumns)(weights[(size_t)k * outputs]), load(from + (size_t)k * sourceStride), sum);   \
            }                                                                                                          \
            storeColumns(finished(sum), r, block);                                                                     \
        }                                                                                                              \
        global sample* to = (global sample*)(scratch + scratchOffset) + SCRATCH_AT(group, scratchStride, column);      \
        JOIN(store_block_, sample)(block, to, min(COLUMNS, columns - column));                                         \
    }
#define asItIs(sum) (sum)
FILTER_VERTICALLY(filterVertically, short, loadColumns, toIntermediate)
FILTER_VERTICALLY(filterAlphaVertically, float, premultiplied, asItIs)

// All outputs take the table's number of taps, zeros included, so that neighbours stay in step; scratch has room for that.
kernel void filterHorizontally(global const uchar* scratch, ulong scratchOffset, uint scratchStride,
                               global const int2* table, global uchar* target, ulong targetOffset, uint targetStride,
                               int components, int columns, int rows) {
    const int column = get_global_id(0);
    const int group = get_global_id(1);
    if (column >= columns || group * ROWS >= rows) return;
    const int pixel = column / components;
    const int outputs = table[0].x;
    const int taps = table[0].y;
    const int first = windowOf(table, pixel).x * components + column - pixel * components;
    global const float* weights = weightsOf(table, pixel);
    global const short* from = (global const short*)(scratch + scratchOffset) + SCRATCH_AT(group, scratchStride, first);
    floatRows sum = (floatRows)(0.0f);
    for (int k = 0; k < taps; ++k) {
        sum = mad((floatRows)(weights[(size_t)k * outputs]), loadShortRows(from + k * components * ROWS), sum);
    }
    global uchar* to = target + targetOffset + (size_t)group * ROWS * targetStride + column;
    storeSamples(sum * (1.0f / INTERMEDIATE_ONE), to, targetStride, rows - group * ROWS);
}

// RGBA with straight alpha: a work-item computes a pixel.
kernel void filterAlphaHorizontally(global const uchar* scratch, ulong scratchOffset, uint scratchStride,
                                    global const int2* table, global uchar* target, ulong targetOffset,
                                    uint targetStride, int pixels, int rows) {
    const int pixel = get_global_id(0);
    const int group = get_global_id(1);
    if (pixel >= pixels || group * ROWS >= rows) return;
    const int outputs = table[0].x;
    const int2 window = windowOf(table, pixel);
    global const float* weights = weightsOf(table, pixel);
    global const float* from =
        (global const float*)(scratch + scratchOffset) + SCRATCH_AT(group, scratchStride, 4 * window.x);
    floatRows red = (floatRows)(0.0f), green = red, blue = red, alpha = red;
    for (int k = 0; k < window.y; ++k, from += 4 * ROWS) {
        const floatRows weight = (floatRows)(weights[(size_t)k * outputs]);
        red = mad(weight, loadFloatRows(from), red);
        green = mad(weight, loadFloatRows(from + ROWS), green);
        blue = mad(weight, loadFloatRows(from + 2 * ROWS), blue);
        alpha = mad(weight, loadFloatRows(from + 3 * ROWS), alpha);
    }
    global uchar* to = target + targetOffset + (size_t)group * ROWS * targetStride + 4 * pixel;
    storeStraight(red, green, blue, alpha, to, targetStride, rows - group * ROWS);
}
