// SPDX-License-Identifier: GPL-3.0-or-later
// What the OpenCL kernels of all stages share. Built in front of each stage's text, with two sizes from the runtime:
// COLUMNS: neighbouring samples that a work-item of a vertical pass computes, 4 or 16 (pixels with alpha stay whole).
// ROWS: rows that a work-item computes, 1 where work-items are lanes (GPUs), 16 where a work-item has vectors (CPUs).

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)

// Scratch between two passes holds groups of ROWS rows, in which the rows of a column are neighbours: sample (row, column)
// lies at ((row / ROWS) * stride + column) * ROWS + row % ROWS. A horizontal pass then works on ROWS rows alike.
#define SCRATCH_AT(group, stride, column) (((size_t)(group) * (stride) + (column)) * ROWS)

// Samples between two passes are 16-bit with 6 fraction bits, as on the CPU.
#define INTERMEDIATE_ONE 64.0f

typedef JOIN(float, COLUMNS) floatColumns;
#define loadColumns(from) JOIN(convert_float, COLUMNS)(JOIN(vload, COLUMNS)(0, from))
#define toIntermediate(sum) JOIN(JOIN(convert_short, COLUMNS), _rte)((sum)*INTERMEDIATE_ONE)
#define storeColumns(value, row, block) JOIN(vstore, COLUMNS)(value, row, block)

#if ROWS == 1
typedef float floatRows;
#define loadShortRows(from) ((float)*(from))
#define loadFloatRows(from) (*(from))
#define roundedRows(sum) convert_uchar_sat(floor((sum) + 0.5f))
#define visibleRows(alpha, value) ((alpha) >= 0.5f ? (value) : 0.0f)
#define storeRows(value, bytes) (*(bytes) = (value))
#else
typedef JOIN(float, ROWS) floatRows;
#define loadShortRows(from) JOIN(convert_float, ROWS)(JOIN(vload, ROWS)(0, from))
#define loadFloatRows(from) JOIN(vload, ROWS)(0, from)
#define roundedRows(sum) JOIN(JOIN(convert_uchar, ROWS), _sat)(floor((sum) + 0.5f))
#define visibleRows(alpha, value) select((floatRows)(0.0f), value, (alpha) >= 0.5f)
#define storeRows(value, bytes) JOIN(vstore, ROWS)(value, 0, bytes)
#endif

// The first `count` columns of a block of ROWS x COLUMNS samples into scratch.
#define DEFINE_STORE_BLOCK(sample)                                                                                     \
    static inline void JOIN(store_block_, sample)(const sample* block, global sample* to, int count) {                 \
        for (int c = 0; c < count; ++c) {                                                                              \
            for (int r = 0; r < ROWS; ++r) to[c * ROWS + r] = block[r * COLUMNS + c];                                  \
        }                                                                                                              \
    }
DEFINE_STORE_BLOCK(short)
DEFINE_STORE_BLOCK(float)

// One finished sample of each row of a group, where there are that many rows.
static inline void storeSamples(floatRows sum, global uchar* to, uint stride, int rows) {
    uchar bytes[ROWS];
    storeRows(roundedRows(sum), bytes);
    for (int r = 0; r < ROWS; ++r) {
        if (r < rows) to[(size_t)r * stride] = bytes[r];
    }
}

// RGBA with each colour multiplied by its alpha (0..65025), alpha as it is.
static inline floatColumns premultiplied(global const uchar* from) {
    const floatColumns samples = loadColumns(from);
#if COLUMNS == 4
    const float4 factor = (float4)(samples.www, 1.0f);
#else
    const float16 factor = (float16)(samples.s333, 1.0f, samples.s777, 1.0f, samples.sbbb, 1.0f, samples.sfff, 1.0f);
#endif
    return samples * factor;
}

// One RGBA pixel of each row back to straight alpha; where alpha rounds to 0, all zeros.
static inline void storeStraight(floatRows red, floatRows green, floatRows blue, floatRows alpha, global uchar* to,
                                 uint stride, int rows) {
    storeSamples(visibleRows(alpha, red / alpha), to, stride, rows);
    storeSamples(visibleRows(alpha, green / alpha), to + 1, stride, rows);
    storeSamples(visibleRows(alpha, blue / alpha), to + 2, stride, rows);
    storeSamples(alpha, to + 3, stride, rows);
}

// The index within 0..size-1 that stands for one outside (kernels/common/borders.h). `reflect` 0: the edge is repeated.
static inline int borderIndex(int reflect, int index, int size) {
    if (index >= 0 && index < size) return index;
    if (!reflect) return clamp(index, 0, size - 1);
    if (size == 1) return 0;
    const int period = 2 * (size - 1);
    int phase = index % period;
    if (phase < 0) phase += period;
    return phase < size ? phase : period - phase;
}
