// SPDX-License-Identifier: GPL-3.0-or-later
// OpenCL kernels of "gaussian_blur": vertical pass into scratch, whose rows are longer by `margin` samples at both ends, so
// that the horizontal pass needs no edge rule. Offsets are in bytes, strides in samples; weights[k] is for both samples at
// distance k. Work-items: x is a column or group of columns, y a row or group of rows.

// Work-items behind the groups of columns fill the margins, a sample each.
#define BLUR_VERTICALLY(name, sample, load, loadOne, finished, finishedOne)                                            \
    kernel void name(global const uchar* source, ulong sourceOffset, uint sourceStride, global const float* weights,   \
                     int radius, int reflect, int components, int margin, global uchar* scratch, ulong scratchOffset,  \
                     uint scratchStride, int columns, int rows) {                                                      \
        const int item = get_global_id(0);                                                                             \
        const int group = get_global_id(1);                                                                            \
        const int items = (columns + COLUMNS - 1) / COLUMNS;                                                           \
        if (columns == 0 || item >= items + 2 * margin || group * ROWS >= rows) return;                                \
        global sample* to = (global sample*)(scratch + scratchOffset) + SCRATCH_AT(group, scratchStride, 0);           \
        sample block[ROWS * COLUMNS];                                                                                  \
        if (item < items) {                                                                                            \
            const int column = item * COLUMNS;                                                                         \
            for (int r = 0; r < ROWS; ++r) {                                                                           \
                const int row = min(group * ROWS + r, rows - 1);                                                       \
                global const uchar* from = source + sourceOffset + column;                                             \
                floatColumns sum = weights[0] * load(from + (size_t)row * sourceStride);                               \
                for (int k = 1; k <= radius; ++k) {                                                                    \
                    const size_t above = (size_t)borderIndex(reflect, row - k, rows) * sourceStride;                   \
                    const size_t below = (size_t)borderIndex(reflect, row + k, rows) * sourceStride;                   \
                    sum = mad((floatColumns)(weights[k]), load(from + above) + load(from + below), sum);               \
                }                                                                                                      \
                storeColumns(finished(sum), r, block);                                                                 \
            }                                                                                                          \
            JOIN(store_block_, sample)(block, to + (margin + column) * ROWS, min(COLUMNS, columns - column));          \
            return;                                                                                                    \
        }                                                                                                              \
        const int place = item - items < margin ? item - items : columns + item - items;                               \
        const int component = place % components;                                                                      \
        const int x = borderIndex(reflect, place / components - margin / components, columns / components);            \
        global const uchar* from = source + sourceOffset + x * components;                                             \
        for (int r = 0; r < ROWS; ++r) {                                                                               \
            const int row = min(group * ROWS + r, rows - 1);                                                           \
            float sum = weights[0] * loadOne(from + (size_t)row * sourceStride, component);                            \
            for (int k = 1; k <= radius; ++k) {                                                                        \
                const size_t above = (size_t)borderIndex(reflect, row - k, rows) * sourceStride;                       \
                const size_t below = (size_t)borderIndex(reflect, row + k, rows) * sourceStride;                       \
                sum = mad(weights[k], loadOne(from + above, component) + loadOne(from + below, component), sum);       \
            }                                                                                                          \
            to[place * ROWS + r] = finishedOne(sum);                                                                   \
        }                                                                                                              \
    }
#define plainOne(from, component) ((float)(from)[component])
#define premultipliedOne(from, component) ((component) == 3 ? (float)(from)[3] : (float)((from)[component] * (from)[3]))
#define toIntermediateOne(sum) convert_short_rte((sum)*INTERMEDIATE_ONE)
#define asItIs(sum) (sum)
BLUR_VERTICALLY(blurVertically, short, loadColumns, plainOne, toIntermediate, toIntermediateOne)
BLUR_VERTICALLY(blurAlphaVertically, float, premultiplied, premultipliedOne, asItIs, asItIs)

kernel void blurHorizontally(global const uchar* scratch, ulong scratchOffset, uint scratchStride,
                             global const float* weights, int radius, int components, global uchar* target,
                             ulong targetOffset, uint targetStride, int columns, int rows) {
    const int column = get_global_id(0);
    const int group = get_global_id(1);
    if (column >= columns || group * ROWS >= rows) return;
    global const short* from =
        (global const short*)(scratch + scratchOffset) + SCRATCH_AT(group, scratchStride, radius * components + column);
    floatRows sum = weights[0] * loadShortRows(from);
    for (int k = 1; k <= radius; ++k) {
        const int distance = k * components * ROWS;
        sum = mad((floatRows)(weights[k]), loadShortRows(from - distance) + loadShortRows(from + distance), sum);
    }
    global uchar* to = target + targetOffset + (size_t)group * ROWS * targetStride + column;
    storeSamples(sum * (1.0f / INTERMEDIATE_ONE), to, targetStride, rows - group * ROWS);
}

static inline floatRows blurredRows(global const float* from, global const float* weights, int radius) {
    floatRows sum = weights[0] * loadFloatRows(from);
    for (int k = 1; k <= radius; ++k) {
        const int distance = k * 4 * ROWS;
        sum = mad((floatRows)(weights[k]), loadFloatRows(from - distance) + loadFloatRows(from + distance), sum);
    }
    return sum;
}

// RGBA with straight alpha: a work-item computes a pixel.
kernel void blurAlphaHorizontally(global const uchar* scratch, ulong scratchOffset, uint scratchStride,
                                  global const float* weights, int radius, global uchar* target, ulong targetOffset,
                                  uint targetStride, int pixels, int rows) {
    const int pixel = get_global_id(0);
    const int group = get_global_id(1);
    if (pixel >= pixels || group * ROWS >= rows) return;
    global const float* from =
        (global const float*)(scratch + scratchOffset) + SCRATCH_AT(group, scratchStride, 4 * (radius + pixel));
    const floatRows red = blurredRows(from, weights, radius);
    const floatRows green = blurredRows(from + ROWS, weights, radius);
    const floatRows blue = blurredRows(from + 2 * ROWS, weights, radius);
    const floatRows alpha = blurredRows(from + 3 * ROWS, weights, radius);
    global uchar* to = target + targetOffset + (size_t)group * ROWS * targetStride + 4 * pixel;
    storeStraight(red, green, blue, alpha, to, targetStride, rows - group * ROWS);
}
