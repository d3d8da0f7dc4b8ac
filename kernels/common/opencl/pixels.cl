// SPDX-License-Identifier: GPL-3.0-or-later
// What the OpenCL kernels of all stages share. Built in front of each stage's text.

// Between two passes: 16-bit with 6 fraction bits, as on the CPU.
#define INTERMEDIATE_ONE 64.0f

// Half up, then into 0..255.
static inline uchar roundedSample(float sample) { return convert_uchar_sat(floor(sample + 0.5f)); }

// A colour times its alpha (0..65025) and alpha as it is.
static inline float4 premultiplied(uchar4 pixel) {
    const float alpha = pixel.w;
    return (float4)(pixel.x * alpha, pixel.y * alpha, pixel.z * alpha, alpha);
}

// Back to straight alpha; a pixel whose alpha rounds to 0 becomes all zeros.
static inline uchar4 straightPixel(float4 sum) {
    const uchar alpha = roundedSample(sum.w);
    if (alpha == 0) return (uchar4)(0);
    return (uchar4)(roundedSample(sum.x / sum.w), roundedSample(sum.y / sum.w), roundedSample(sum.z / sum.w), alpha);
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
