/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_avx2: ChaCha20 with 256-bit vectors, block-parallel: 8 blocks in flight, word i of each in vector x[i].
 * For x86-64 CPUs from Haswell and Excavator on that have no, or no good, 512-bit vectors.
 *
 * The mathematics: a quarter round is add, xor, rotate, four times over, on four words of one block. With one word of
 * eight blocks in a vector there is nothing to move between columns and diagonals: a round of diagonals names other
 * registers. The price is a transposition of 8 x 8 words at the end of each half of the state.
 *
 *      x[i]   w(i) of block 0 | w(i) of block 1 | ... | w(i) of block 7
 *
 * 16 words and a scratch register are one register more than there is. Rotations by 16 and 8 are byte shuffles with
 * their pattern in memory (1 instruction for 3).
 *
 * Up to 6 blocks are done in row layout (chacha20_row_body.h), where 2 blocks take half the time of 8.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx2")

#include "chacha20_x86_body.h"

#define ROT16(x) SHUFFLED16(x)
#define ROT8(x) SHUFFLED8(x)
#define ROW_MAX 3
#include "chacha20_row256_body.h"

#define QUARTER_ROUNDS(a0, b0, c0, d0, a1, b1, c1, d1, a2, b2, c2, d2, a3, b3, c3, d3)             \
    STEP(a0, b0, d0, ROT16) STEP(a1, b1, d1, ROT16) STEP(a2, b2, d2, ROT16) STEP(a3, b3, d3, ROT16) \
    STEP(c0, d0, b0, ROT12) STEP(c1, d1, b1, ROT12) STEP(c2, d2, b2, ROT12) STEP(c3, d3, b3, ROT12) \
    STEP(a0, b0, d0, ROT8) STEP(a1, b1, d1, ROT8) STEP(a2, b2, d2, ROT8) STEP(a3, b3, d3, ROT8)    \
    STEP(c0, d0, b0, ROT7) STEP(c1, d1, b1, ROT7) STEP(c2, d2, b2, ROT7) STEP(c3, d3, b3, ROT7)
#define ROT12(x) SHIFTED(x, 12)
#define ROT7(x) SHIFTED(x, 7)
#define STEP(x, y, z, rot)                                                                         \
    x = add(x, y);                                                                                 \
    z = rot(xor(z, x));

/* Eight vectors of one word each of blocks 0..7 become eight vectors of eight words each of block 0, 1, ... */
PLAIT_INLINE void transpose8(__m256i x[8])
{
    __m256i t[8], u[8];
    for (int i = 0; i < 4; i++) {
        t[2 * i] = _mm256_unpacklo_epi32(x[2 * i], x[2 * i + 1]);     /* words 2i, 2i+1 of 0, 1, 4, 5 */
        t[2 * i + 1] = _mm256_unpackhi_epi32(x[2 * i], x[2 * i + 1]); /* of 2, 3, 6, 7 */
    }
    for (int i = 0; i < 2; i++) {
        u[4 * i] = _mm256_unpacklo_epi64(t[4 * i], t[4 * i + 2]);     /* words 4i .. 4i+3 of 0, 4 */
        u[4 * i + 1] = _mm256_unpackhi_epi64(t[4 * i], t[4 * i + 2]); /* of 1, 5 */
        u[4 * i + 2] = _mm256_unpacklo_epi64(t[4 * i + 1], t[4 * i + 3]);
        u[4 * i + 3] = _mm256_unpackhi_epi64(t[4 * i + 1], t[4 * i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        x[i] = _mm256_permute2x128_si256(u[i], u[4 + i], 0x20);
        x[4 + i] = _mm256_permute2x128_si256(u[i], u[4 + i], 0x31);
    }
}

/* Eight blocks, len <= 512, as ROW(groups). */
PLAIT_NOINLINE static void wide_blocks(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16],
                                   uint32_t done)
{
#define ALL(i) _mm256_set1_epi32((int)state[i])
    const __m256i counters = add(_mm256_set1_epi32((int)(state[12] + done)),
                                 _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i x0 = ALL(0), x1 = ALL(1), x2 = ALL(2), x3 = ALL(3), x4 = ALL(4), x5 = ALL(5), x6 = ALL(6),
            x7 = ALL(7), x8 = ALL(8), x9 = ALL(9), x10 = ALL(10), x11 = ALL(11), x12 = counters,
            x13 = ALL(13), x14 = ALL(14), x15 = ALL(15);
    for (int i = 0; i < 10; i++) {
        QUARTER_ROUNDS(x0, x4, x8, x12, x1, x5, x9, x13, x2, x6, x10, x14, x3, x7, x11, x15)
        QUARTER_ROUNDS(x0, x5, x10, x15, x1, x6, x11, x12, x2, x7, x8, x13, x3, x4, x9, x14)
    }
    __m256i lo[8] = {add(x0, ALL(0)), add(x1, ALL(1)), add(x2, ALL(2)), add(x3, ALL(3)),
                     add(x4, ALL(4)), add(x5, ALL(5)), add(x6, ALL(6)), add(x7, ALL(7))};
    __m256i hi[8] = {add(x8, ALL(8)),     add(x9, ALL(9)),   add(x10, ALL(10)), add(x11, ALL(11)),
                     add(x12, counters), add(x13, ALL(13)), add(x14, ALL(14)), add(x15, ALL(15))};
    transpose8(lo);
    transpose8(hi);
    if (len == 512) {
        for (int i = 0; i < 8; i++) {
            store256(out + 64 * i, xor(lo[i], load256(in + 64 * i)));
            store256(out + 64 * i + 32, xor(hi[i], load256(in + 64 * i + 32)));
        }
    } else {
        uint8_t ks[512];
        for (int i = 0; i < 8; i++) {
            store256(ks + 64 * i, lo[i]);
            store256(ks + 64 * i + 32, hi[i]);
        }
        xor_bytes(out, in, ks, len);
        plait_wipe(ks, sizeof ks);
    }
}

static void xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    uint32_t done = 0;
    while (len >= 512) {
        wide_blocks(out, in, 512, state, done);
        out += 512, in += 512, len -= 512, done += 8;
    }
    if (len > 384)
        wide_blocks(out, in, len, state, done);
    else if (len > 256)
        row_blocks_3(out, in, len, state, done);
    else if (len > 128)
        row_blocks_2(out, in, len, state, done);
    else if (len > 0)
        row_blocks_1(out, in, len, state, done);
}

PLAIT_TARGET_END

const plait_kernel plait_chacha20_avx2 = {PLAIT_KERNEL_ID(chacha20, avx2), PLAIT_NEEDS(avx2), .width = 8,
                                          .fn.chacha20 = {.xor_stream = xor_stream}};

#else

const plait_kernel plait_chacha20_avx2 = {PLAIT_KERNEL_ID(chacha20, avx2), PLAIT_NOT_BUILT(avx2)};

#endif
