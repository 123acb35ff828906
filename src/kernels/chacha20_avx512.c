/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_avx512: ChaCha20 with 512-bit vectors, block-parallel: 16 or 32 blocks in flight, word i of each in x[i].
 * For Ice Lake, Sapphire Rapids, Zen 4, Zen 5 and later; Skylake-X lowers its clock for it and prefers AVX2.
 *
 * The mathematics: see chacha20_avx2.c. Rotations are one instruction, and add, xor and rotate work in place, so that
 * no scratch register is needed: 16 words of 16 blocks take 16 registers, and 32 blocks take all 32.
 *
 *      group A   zmm0 .. zmm15    zmm(i) = w(i) of block 0 | block 1 | ... | block 15
 *      group B   zmm16 .. zmm31   the same of blocks 16 .. 31
 *
 * What bounds it: where vector instructions have a latency of 1 (Intel), 16 blocks keep both 512-bit ports busy; where
 * it is 2 and there are four pipes (Zen 5), the four chains of 16 blocks fill half the slots and 32 blocks are 1.6
 * times as fast. What is left over goes down a ladder: 32, 16, then 12, 8 or 4 blocks in row layout
 * (chacha20_row_body.h), which up to 4 blocks is bounded by the latency of one chain alone.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx512f,avx512bw,avx512dq,avx512vl,bmi2")

#include "chacha20_x86_body.h"

#define ROW_MAX 3
#include "chacha20_row512_body.h"

/* ---- 16 blocks --------------------------------------------------------------------------------------- */

#define STEP(x, y, z, n)                                                                           \
    x = add(x, y);                                                                                 \
    z = _mm512_rol_epi32(xor(z, x), n);
#define QUARTER_ROUNDS(a0, b0, c0, d0, a1, b1, c1, d1, a2, b2, c2, d2, a3, b3, c3, d3)             \
    STEP(a0, b0, d0, 16) STEP(a1, b1, d1, 16) STEP(a2, b2, d2, 16) STEP(a3, b3, d3, 16)            \
    STEP(c0, d0, b0, 12) STEP(c1, d1, b1, 12) STEP(c2, d2, b2, 12) STEP(c3, d3, b3, 12)            \
    STEP(a0, b0, d0, 8) STEP(a1, b1, d1, 8) STEP(a2, b2, d2, 8) STEP(a3, b3, d3, 8)                \
    STEP(c0, d0, b0, 7) STEP(c1, d1, b1, 7) STEP(c2, d2, b2, 7) STEP(c3, d3, b3, 7)

/* Vectors of words 4k .. 4k + 3 of all blocks become, in lane j, these words of block 4j, 4j + 1, 4j + 2, 4j + 3. */
PLAIT_INLINE void transpose_words(__m512i *a, __m512i *b, __m512i *c, __m512i *d)
{
    const __m512i ab_lo = _mm512_unpacklo_epi32(*a, *b), ab_hi = _mm512_unpackhi_epi32(*a, *b);
    const __m512i cd_lo = _mm512_unpacklo_epi32(*c, *d), cd_hi = _mm512_unpackhi_epi32(*c, *d);
    *a = _mm512_unpacklo_epi64(ab_lo, cd_lo);
    *b = _mm512_unpackhi_epi64(ab_lo, cd_lo);
    *c = _mm512_unpacklo_epi64(ab_hi, cd_hi);
    *d = _mm512_unpackhi_epi64(ab_hi, cd_hi);
}

/* As row_blocks_1, for len <= 1024. */
PLAIT_NOINLINE static void wide_blocks16(uint8_t *out, const uint8_t *in, size_t len,
                                         const uint32_t state[16], uint32_t done)
{
#define ALL(i) _mm512_set1_epi32((int)state[i])
    const __m512i counters =
        add(_mm512_set1_epi32((int)(state[12] + done)),
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    __m512i x0 = ALL(0), x1 = ALL(1), x2 = ALL(2), x3 = ALL(3), x4 = ALL(4), x5 = ALL(5), x6 = ALL(6),
            x7 = ALL(7), x8 = ALL(8), x9 = ALL(9), x10 = ALL(10), x11 = ALL(11), x12 = counters,
            x13 = ALL(13), x14 = ALL(14), x15 = ALL(15);
    for (int i = 0; i < 10; i++) {
        QUARTER_ROUNDS(x0, x4, x8, x12, x1, x5, x9, x13, x2, x6, x10, x14, x3, x7, x11, x15)
        QUARTER_ROUNDS(x0, x5, x10, x15, x1, x6, x11, x12, x2, x7, x8, x13, x3, x4, x9, x14)
    }
#define FEED_FORWARD(a, b, c, d, i)                                                                \
    a = add(a, ALL(i));                                                                            \
    b = add(b, ALL(i + 1));                                                                        \
    c = add(c, ALL(i + 2));                                                                        \
    d = add(d, ALL(i + 3));                                                                        \
    transpose_words(&a, &b, &c, &d);
    FEED_FORWARD(x0, x1, x2, x3, 0)
    FEED_FORWARD(x4, x5, x6, x7, 4)
    FEED_FORWARD(x8, x9, x10, x11, 8)
    x12 = add(x12, counters);
    x13 = add(x13, ALL(13));
    x14 = add(x14, ALL(14));
    x15 = add(x15, ALL(15));
    transpose_words(&x12, &x13, &x14, &x15);
    /* Vector i of words 4k .. 4k + 3 holds block 4j + i in lane j. */
#define OUT(j, x)                                                                                  \
    if (len < 64 * (j + 1)) {                                                                      \
        xor_some(out + 64 * j, in + 64 * j, len - 64 * j, x);                                      \
        return;                                                                                    \
    }                                                                                              \
    store512(out + 64 * j, xor(x, load512(in + 64 * j)));
    transpose_lanes(&x0, &x4, &x8, &x12);
    transpose_lanes(&x1, &x5, &x9, &x13);
    transpose_lanes(&x2, &x6, &x10, &x14);
    transpose_lanes(&x3, &x7, &x11, &x15);
    OUT(0, x0) OUT(1, x1) OUT(2, x2) OUT(3, x3)
    OUT(4, x4) OUT(5, x5) OUT(6, x6) OUT(7, x7)
    OUT(8, x8) OUT(9, x9) OUT(10, x10) OUT(11, x11)
    OUT(12, x12) OUT(13, x13) OUT(14, x14) OUT(15, x15)
}

static void xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    uint32_t done = 0;
    while (len >= 1024) {
        wide_blocks16(out, in, 1024, state, done);
        out += 1024, in += 1024, len -= 1024, done += 16;
    }
    if (len > 768)
        wide_blocks16(out, in, len, state, done);
    else if (len > 512)
        row_blocks_3(out, in, len, state, done);
    else if (len > 256)
        row_blocks_2(out, in, len, state, done);
    else if (len > 0)
        row_blocks_1(out, in, len, state, done);
}

PLAIT_TARGET_END

const plait_kernel plait_chacha20_avx512 = {PLAIT_KERNEL_ID(chacha20, avx512), PLAIT_NEEDS(avx512, bmi2),
                                            .avoids = PLAIT_CPU_slow_512, .width = 32,
                                            .fn.chacha20 = {.xor_stream = xor_stream}};

#else

const plait_kernel plait_chacha20_avx512 = {PLAIT_KERNEL_ID(chacha20, avx512), PLAIT_NOT_BUILT(avx512, bmi2)};

#endif
