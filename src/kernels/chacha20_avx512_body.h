/* SPDX-License-Identifier: Apache-2.0
 *
 * ChaCha20 in 512-bit vectors, for chacha20_avx512 (see there) and for the fused kernels.
 */
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

/* From a start state in memory to keystream, block j in x[j]. */
#define ALL(i) _mm512_set1_epi32((int)state[i])
#define FEED_FORWARD(a, b, c, d, a_start, i)                                                       \
    a = add(a, a_start);                                                                           \
    b = add(b, ALL(i + 1));                                                                        \
    c = add(c, ALL(i + 2));                                                                        \
    d = add(d, ALL(i + 3));                                                                        \
    transpose_words(&a, &b, &c, &d);
#define WIDE_KEYSTREAM(counter)                                                                    \
    const __m512i counters =                                                                       \
        add(_mm512_set1_epi32((int)(counter)),                                                     \
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));              \
    __m512i x0 = ALL(0), x1 = ALL(1), x2 = ALL(2), x3 = ALL(3), x4 = ALL(4), x5 = ALL(5),          \
            x6 = ALL(6), x7 = ALL(7), x8 = ALL(8), x9 = ALL(9), x10 = ALL(10), x11 = ALL(11),      \
            x12 = counters, x13 = ALL(13), x14 = ALL(14), x15 = ALL(15);                           \
    for (int i = 0; i < 10; i++) {                                                                 \
        QUARTER_ROUNDS(x0, x4, x8, x12, x1, x5, x9, x13, x2, x6, x10, x14, x3, x7, x11, x15)       \
        QUARTER_ROUNDS(x0, x5, x10, x15, x1, x6, x11, x12, x2, x7, x8, x13, x3, x4, x9, x14)       \
    }                                                                                              \
    FEED_FORWARD(x0, x1, x2, x3, ALL(0), 0)                                                        \
    FEED_FORWARD(x4, x5, x6, x7, ALL(4), 4)                                                        \
    FEED_FORWARD(x8, x9, x10, x11, ALL(8), 8)                                                      \
    FEED_FORWARD(x12, x13, x14, x15, counters, 12)                                                 \
    /* vector i of words 4k .. 4k + 3 now holds block 4j + i in lane j */                          \
    transpose_lanes(&x0, &x4, &x8, &x12);                                                          \
    transpose_lanes(&x1, &x5, &x9, &x13);                                                          \
    transpose_lanes(&x2, &x6, &x10, &x14);                                                         \
    transpose_lanes(&x3, &x7, &x11, &x15);

/* As row_blocks_1, for len <= 1024. */
PLAIT_NOINLINE static void wide_blocks16(uint8_t *out, const uint8_t *in, size_t len,
                                         const uint32_t state[16], uint32_t done)
{
    WIDE_KEYSTREAM(state[12] + done)
#define OUT(j, x)                                                                                  \
    if (len < 64 * (j + 1)) {                                                                      \
        xor_some(out + 64 * j, in + 64 * j, len - 64 * j, x);                                      \
        return;                                                                                    \
    }                                                                                              \
    store512(out + 64 * j, xor(x, load512(in + 64 * j)));
    OUT(0, x0) OUT(1, x1) OUT(2, x2) OUT(3, x3)
    OUT(4, x4) OUT(5, x5) OUT(6, x6) OUT(7, x7)
    OUT(8, x8) OUT(9, x9) OUT(10, x10) OUT(11, x11)
    OUT(12, x12) OUT(13, x13) OUT(14, x14) OUT(15, x15)
}

/* ---- 32 blocks --------------------------------------------------------------------------------------- */

/* One asm block: there is no register to spare, Clang 14 spills in the form in C, and the order counts: one step
 * (add, xor, rotate of four quarter rounds) of group A, then the same step of group B. Row by row (four adds of A, four
 * adds of B, four xors of A, ...) is 2 % slower on Sapphire Rapids, 8 % on Zen 5. */
#define Z(i) "%%zmm" #i
#define ADD(x, y) "vpaddd " Z(y) ", " Z(x) ", " Z(x) "\n\t"
#define XOR(x, y) "vpxord " Z(y) ", " Z(x) ", " Z(x) "\n\t"
#define ROL(x, n) "vprold $" #n ", " Z(x) ", " Z(x) "\n\t"
/* x += y; z = (z xor x) <<< n, four times. */
#define ASM_STEP(x0, x1, x2, x3, y0, y1, y2, y3, z0, z1, z2, z3, n)                                \
    ADD(x0, y0) ADD(x1, y1) ADD(x2, y2) ADD(x3, y3)                                                \
    XOR(z0, x0) XOR(z1, x1) XOR(z2, x2) XOR(z3, x3)                                                \
    ROL(z0, n) ROL(z1, n) ROL(z2, n) ROL(z3, n)
#define ASM_DOUBLE_ROUND                                                                           \
    ASM_STEP(0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 16)                                           \
    ASM_STEP(16, 17, 18, 19, 20, 21, 22, 23, 28, 29, 30, 31, 16)                                   \
    ASM_STEP(8, 9, 10, 11, 12, 13, 14, 15, 4, 5, 6, 7, 12)                                         \
    ASM_STEP(24, 25, 26, 27, 28, 29, 30, 31, 20, 21, 22, 23, 12)                                   \
    ASM_STEP(0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 8)                                            \
    ASM_STEP(16, 17, 18, 19, 20, 21, 22, 23, 28, 29, 30, 31, 8)                                    \
    ASM_STEP(8, 9, 10, 11, 12, 13, 14, 15, 4, 5, 6, 7, 7)                                          \
    ASM_STEP(24, 25, 26, 27, 28, 29, 30, 31, 20, 21, 22, 23, 7)                                    \
    /* diagonals */                                                                                \
    ASM_STEP(0, 1, 2, 3, 5, 6, 7, 4, 15, 12, 13, 14, 16)                                           \
    ASM_STEP(16, 17, 18, 19, 21, 22, 23, 20, 31, 28, 29, 30, 16)                                   \
    ASM_STEP(10, 11, 8, 9, 15, 12, 13, 14, 5, 6, 7, 4, 12)                                         \
    ASM_STEP(26, 27, 24, 25, 31, 28, 29, 30, 21, 22, 23, 20, 12)                                   \
    ASM_STEP(0, 1, 2, 3, 5, 6, 7, 4, 15, 12, 13, 14, 8)                                            \
    ASM_STEP(16, 17, 18, 19, 21, 22, 23, 20, 31, 28, 29, 30, 8)                                    \
    ASM_STEP(10, 11, 8, 9, 15, 12, 13, 14, 5, 6, 7, 4, 7)                                          \
    ASM_STEP(26, 27, 24, 25, 31, 28, 29, 30, 21, 22, 23, 20, 7)

#define ASM_BROADCAST(a, b, i)                                                                     \
    "vpbroadcastd 4*" #i "(%[state]), " Z(a) "\n\tvmovdqa64 " Z(a) ", " Z(b) "\n\t"
#define ASM_START                                                                                  \
    ASM_BROADCAST(0, 16, 0) ASM_BROADCAST(1, 17, 1) ASM_BROADCAST(2, 18, 2)                        \
    ASM_BROADCAST(3, 19, 3) ASM_BROADCAST(4, 20, 4) ASM_BROADCAST(5, 21, 5)                        \
    ASM_BROADCAST(6, 22, 6) ASM_BROADCAST(7, 23, 7) ASM_BROADCAST(8, 24, 8)                        \
    ASM_BROADCAST(9, 25, 9) ASM_BROADCAST(10, 26, 10) ASM_BROADCAST(11, 27, 11)                    \
    "vmovdqa64 (%[work]), " Z(12) "\n\tvmovdqa64 64(%[work]), " Z(28) "\n\t"                      \
    ASM_BROADCAST(13, 29, 13) ASM_BROADCAST(14, 30, 14) ASM_BROADCAST(15, 31, 15)

#define ASM_FEED(a, i) "vpaddd 4*" #i "(%[state])%{1to16%}, " Z(a) ", " Z(a) "\n\t"
#define ASM_FEED_COUNTERS(a, offset) "vpaddd " #offset "(%[work]), " Z(a) ", " Z(a) "\n\t"
#define OP3(op, x, y, to) op " " Z(y) ", " Z(x) ", " Z(to) "\n\t"
#define SHUF(imm, x, y, to) "vshufi32x4 $" #imm ", " Z(y) ", " Z(x) ", " Z(to) "\n\t"
/* As transpose_words and transpose_lanes; t0 .. t3 are scratch. */
#define ASM_WORDS(a, b, c, d, t0, t1, t2, t3)                                                      \
    OP3("vpunpckldq", a, b, t0) OP3("vpunpckhdq", a, b, t1)                                        \
    OP3("vpunpckldq", c, d, t2) OP3("vpunpckhdq", c, d, t3)                                        \
    OP3("vpunpcklqdq", t0, t2, a) OP3("vpunpckhqdq", t0, t2, b)                                    \
    OP3("vpunpcklqdq", t1, t3, c) OP3("vpunpckhqdq", t1, t3, d)
#define ASM_LANES(a, b, c, d, t0, t1, t2, t3)                                                      \
    SHUF(0x88, a, b, t0) SHUF(0xdd, a, b, t1)                                                      \
    SHUF(0x88, c, d, t2) SHUF(0xdd, c, d, t3)                                                      \
    SHUF(0x88, t0, t2, a) SHUF(0x88, t1, t3, b)                                                    \
    SHUF(0xdd, t0, t2, c) SHUF(0xdd, t1, t3, d)
#define ASM_OUT(a, j, in, out)                                                                     \
    "vpxord 64*" #j "(%[" in "]), " Z(a) ", " Z(a) "\n\tvmovdqu64 " Z(a) ", 64*" #j "(%[" out "])\n\t"
/* Vectors a, b, c, d end as blocks j, j + 4, j + 8, j + 12. */
#define ASM_LANES_OUT(a, b, c, d, t0, t1, t2, t3, j0, j1, j2, j3, in, out)                         \
    ASM_LANES(a, b, c, d, t0, t1, t2, t3)                                                          \
    ASM_OUT(a, j0, in, out) ASM_OUT(b, j1, in, out) ASM_OUT(c, j2, in, out) ASM_OUT(d, j3, in, out)
#define ASM_FINISH(x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, t0, t1, t2, t3, counters, in, out) \
    ASM_FEED(x0, 0) ASM_FEED(x1, 1) ASM_FEED(x2, 2) ASM_FEED(x3, 3)                                \
    ASM_WORDS(x0, x1, x2, x3, t0, t1, t2, t3)                                                      \
    ASM_FEED(x4, 4) ASM_FEED(x5, 5) ASM_FEED(x6, 6) ASM_FEED(x7, 7)                                \
    ASM_WORDS(x4, x5, x6, x7, t0, t1, t2, t3)                                                      \
    ASM_FEED(x8, 8) ASM_FEED(x9, 9) ASM_FEED(x10, 10) ASM_FEED(x11, 11)                            \
    ASM_WORDS(x8, x9, x10, x11, t0, t1, t2, t3)                                                    \
    ASM_FEED_COUNTERS(x12, counters) ASM_FEED(x13, 13) ASM_FEED(x14, 14) ASM_FEED(x15, 15)         \
    ASM_WORDS(x12, x13, x14, x15, t0, t1, t2, t3)                                                  \
    ASM_LANES_OUT(x0, x4, x8, x12, t0, t1, t2, t3, 0, 4, 8, 12, in, out)                           \
    ASM_LANES_OUT(x1, x5, x9, x13, t0, t1, t2, t3, 1, 5, 9, 13, in, out)                           \
    ASM_LANES_OUT(x2, x6, x10, x14, t0, t1, t2, t3, 2, 6, 10, 14, in, out)                         \
    ASM_LANES_OUT(x3, x7, x11, x15, t0, t1, t2, t3, 3, 7, 11, 15, in, out)

/* 32 blocks: 1024 bytes from in_a to out_a and 1024 from in_b to out_b. work: the counters of both groups, and room
 * for the four vectors of group B that make way for the transposition of group A. */
typedef struct wide_work {
    uint32_t counters[2][16];
    uint32_t parked[4][16];
} wide_work;
PLAIT_INLINE void wide_blocks32(uint8_t *out_a, const uint8_t *in_a, uint8_t *out_b, const uint8_t *in_b,
                                const uint32_t state[16], wide_work *work)
{
    uint32_t rounds = 10;
    __asm__ volatile(
        ASM_START
        ".p2align 5\n"
        "1:\n\t"
        ASM_DOUBLE_ROUND
        "decl %[rounds]\n\t"
        "jnz 1b\n\t"
        "vmovdqa64 %%zmm28, 128(%[work])\n\t"
        "vmovdqa64 %%zmm29, 192(%[work])\n\t"
        "vmovdqa64 %%zmm30, 256(%[work])\n\t"
        "vmovdqa64 %%zmm31, 320(%[work])\n\t"
        ASM_FINISH(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 28, 29, 30, 31, 0, "in_a", "out_a")
        "vmovdqa64 128(%[work]), %%zmm28\n\t"
        "vmovdqa64 192(%[work]), %%zmm29\n\t"
        "vmovdqa64 256(%[work]), %%zmm30\n\t"
        "vmovdqa64 320(%[work]), %%zmm31\n\t"
        ASM_FINISH(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0, 1, 2, 3, 64, "in_b", "out_b")
        : [rounds] "+r"(rounds)
        : [out_a] "r"(out_a), [in_a] "r"(in_a), [out_b] "r"(out_b), [in_b] "r"(in_b), [state] "r"(state),
          [work] "r"(work)
        : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
          "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20",
          "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
}

/* Up to this many bytes, 16 blocks and then up to 8 take no longer than 32 blocks. */
#define WIDE_MIN 1536

/* Sets of 32 blocks, while more than WIDE_MIN bytes are left; the last set may be used in part. Returns how many bytes
 * were done. */
PLAIT_NOINLINE static size_t wide_stream(uint8_t *out, const uint8_t *in, size_t len,
                                         const uint32_t state[16])
{
    __attribute__((aligned(64))) wide_work work;
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i counters = add(_mm512_set1_epi32((int)state[12]), lanes);
    size_t done = 0;
    for (; len - done > WIDE_MIN; done += 2048) {
        store512(work.counters[0], counters);
        store512(work.counters[1], add(counters, _mm512_set1_epi32(16)));
        if (len - done >= 2048) {
            wide_blocks32(out + done, in + done, out + done + 1024, in + done + 1024, state, &work);
        } else {
            uint8_t ks[1024] __attribute__((aligned(64)));
            memset(ks, 0, sizeof ks);
            wide_blocks32(out + done, in + done, ks, ks, state, &work);
            for (size_t i = 1024; i < len - done; i += 64)
                xor_some(out + done + i, in + done + i, len - done - i, load512(ks + i - 1024));
            plait_wipe(ks, sizeof ks);
            done = len;
            break;
        }
        counters = add(counters, _mm512_set1_epi32(32));
    }
    plait_wipe(work.parked, sizeof work.parked);
    return done;
}

static void avx512_xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    uint32_t done = 0;
    if (len > WIDE_MIN) {
        const size_t n = wide_stream(out, in, len, state);
        if (n == len) return;
        out += n, in += n, len -= n, done = (uint32_t)(n / 64);
    }
    if (len >= 1024) {
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
