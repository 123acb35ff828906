/* SPDX-License-Identifier: Apache-2.0
 *
 * ChaCha20 in 512-bit vectors, for chacha20_avx512 (see there) and for the fused kernels, which add
 * a scalar block to a pass (chacha20_scalar_body.h). Passes over 1 to 4 blocks come from the
 * template in C; the wider ones are one asm block each: there are registers to spare in none of
 * them, Clang 14 spills in the form in C, and the order of instructions counts, since a port is
 * chosen when an instruction is decoded.
 *
 * The orders that won on Sapphire Rapids (512-bit rotations go to one port, shuffles to another,
 * the rest to either), of those tried, in cycles for the ten double rounds; the bound is half the
 * number of instructions:
 *
 *      8 blocks    300   row layout, the second group half a quarter round behind the first: 347;
 *                        step by step: 368 to 404
 *     16 blocks    480   one quarter round's step after the other's: 502;
 *                        four adds, four xors, four rotations: 534
 *     32 blocks    960   such a step of group A, then of group B: 961;
 *                        four adds of A, four adds of B, ...: 1008
 *
 * The last difference is 8 % on Zen 5.
 */
#define SC_SLOTS "0"
#include "chacha20_scalar_body.h"

#define ROW_MAX 2
#include "chacha20_row512_body.h"

/* What the asm blocks below find by one register, since a scalar block takes nearly all others. */
typedef struct wide_work {
    uint32_t slots[20];
    const uint32_t *state;
    const uint8_t *in_a;
    uint8_t *out_a;
    const uint8_t *in_b;
    uint8_t *out_b;
    uint64_t unused;
    uint32_t counters[2][16];
    uint32_t parked[4][16]; /* vectors of group B that make way for the transposition of group A */
    const uint8_t *in[16];  /* of each block of the last group, where it is used in part */
    uint8_t *out[16];
    uint8_t rest[2][64]; /* the keystream of a partial block; of those that nobody wants */
} wide_work;
typedef char
    wide_offsets[offsetof(wide_work, state) == 80 && offsetof(wide_work, counters) == 128 &&
                         offsetof(wide_work, parked) == 256 && offsetof(wide_work, in) == 512 &&
                         offsetof(wide_work, out) == 640 && sizeof(wide_work) == 896
                     ? 1
                     : -1];
#define WIDE_WORK __attribute__((aligned(64))) wide_work

/* M with the pieces of a scalar block as its arguments; or with nothing. */
#define WITH_SCALAR(M)                                                                             \
    M(SCALAR_1, SCALAR_2, SCALAR_3, SCALAR_4, SCALAR_5, SCALAR_6, SCALAR_7, SCALAR_8, SCALAR_9,    \
      SCALAR_10, SCALAR_11, SCALAR_12, SCALAR_13, SCALAR_14, SCALAR_15, SCALAR_16)
#define WITHOUT_SCALAR(M) M(, , , , , , , , , , , , , , , )

/* ---- 8 blocks, in row layout ----------------------------------------------------------------- */

#define R_OP(op, x, y) op " %[" #y "], %[" #x "], %[" #x "]\n\t"
#define R_IMM(op, n, x) op " $" #n ", %[" #x "], %[" #x "]\n\t"
#define R_A(g) R_OP("vpaddd", a##g, b##g)
#define R_D(g) R_OP("vpxord", d##g, a##g)
#define R_C(g) R_OP("vpaddd", c##g, d##g)
#define R_B(g) R_OP("vpxord", b##g, c##g)
#define R_D16(g) R_IMM("vprold", 16, d##g)
#define R_B12(g) R_IMM("vprold", 12, b##g)
#define R_D8(g) R_IMM("vprold", 8, d##g)
#define R_B7(g) R_IMM("vprold", 7, b##g)
#define R_A1(g) R_IMM("vpshufd", 0x39, a##g) /* turns by 1, 2 and 3 words */
#define R_A3(g) R_IMM("vpshufd", 0x93, a##g)
#define R_C1(g) R_IMM("vpshufd", 0x39, c##g)
#define R_C3(g) R_IMM("vpshufd", 0x93, c##g)
#define R_D2(g) R_IMM("vpshufd", 0x4e, d##g)

/* Group 1 is seven instructions behind group 0. */
#define TWO_ROWS_DOUBLE_ROUND(S1, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11, S12, S13, S14, S15,    \
                              S16)                                                                 \
    R_A(0) R_D(0) R_D16(0) R_C(0) S1 R_B(0) R_B12(0) R_A(0) S2                                     \
    R_D(0) R_A(1) R_D8(0) R_D(1) S3 R_C(0) R_D16(1) R_B(0) R_C(1) S4                               \
    R_B7(0) R_B(1) R_A3(0) R_B12(1) S5 R_D2(0) R_A(1) R_C1(0) R_D(1) S6                            \
    R_A(0) R_D8(1) R_D(0) R_C(1) S7 R_D16(0) R_B(1) R_C(0) R_B7(1) S8                              \
    R_B(0) R_A3(1) R_B12(0) R_D2(1) S9 R_A(0) R_C1(1) S10                                          \
    R_D(0) R_A(1) R_D8(0) R_D(1) S11 R_C(0) R_D16(1) R_B(0) R_C(1) S12                             \
    R_B7(0) R_B(1) R_A1(0) R_B12(1) S13 R_D2(0) R_A(1) R_C3(0) R_D(1) S14                          \
    R_D8(1) R_C(1) R_B(1) R_B7(1) S15 R_A1(1) R_D2(1) R_C3(1) S16

/* In place of ROW_ROUNDS(ROW_EACH2), with or without a scalar block in work->slots. */
#define TWO_ROWS_ROUNDS(START, SCALAR, END, ...)                                                   \
    work->slots[16] = 10;                                                                          \
    __asm__ volatile(START ".p2align 5\n1:\n\t"                                                   \
                     SCALAR(TWO_ROWS_DOUBLE_ROUND) SCALAR_LOOP("1b") END                           \
                     : [a0] "+v"(a0), [b0] "+v"(b0), [c0] "+v"(c0), [d0] "+v"(d0), [a1] "+v"(a1),  \
                       [b1] "+v"(b1), [c1] "+v"(c1), [d1] "+v"(d1)                                 \
                     : [work] "r"(work)                                                            \
                     : "memory", __VA_ARGS__);

/* As row512_2. */
PLAIT_NOINLINE static void two_rows_blocks(uint8_t *out, const uint8_t *in, size_t len,
                                           const uint32_t state[16], uint32_t done)
{
    const __m512i ROW_LOAD_STATE(row0, row1, row2, row3);
    wide_work space, *work = &space; /* only the counter of rounds */
    ROW_EACH2(ROW_START)
    TWO_ROWS_ROUNDS("", WITHOUT_SCALAR, "", "cc")
    ROW_EACH2(ROW_FEED_FORWARD)
    if (len == 512) {
        ROW_EACH2(ROW_ALL_OUT)
    } else {
        ROW_EACH2(ROW_SOME_OUT)
    }
}

/* ---- 16 and 32 blocks ------------------------------------------------------------------------ */

#define Z(i) "%%zmm" #i
#define OP3(op, x, y, to) op " " Z(y) ", " Z(x) ", " Z(to) "\n\t"
/* x += y; z = (z xor x) <<< n, for four quarter rounds. */
#define STEP1(x, y, z, n)                                                                          \
    OP3("vpaddd", x, y, x) OP3("vpxord", z, x, z) "vprold $" #n ", " Z(z) ", " Z(z) "\n\t"
#define STEP4(x0, x1, x2, x3, y0, y1, y2, y3, z0, z1, z2, z3, n)                                   \
    OP3("vpaddd", x0, y0, x0) OP3("vpaddd", x1, y1, x1)                                            \
    OP3("vpaddd", x2, y2, x2) OP3("vpaddd", x3, y3, x3)                                            \
    OP3("vpxord", z0, x0, z0) OP3("vpxord", z1, x1, z1)                                            \
    OP3("vpxord", z2, x2, z2) OP3("vpxord", z3, x3, z3)                                            \
    "vprold $" #n ", " Z(z0) ", " Z(z0) "\n\tvprold $" #n ", " Z(z1) ", " Z(z1) "\n\t"             \
    "vprold $" #n ", " Z(z2) ", " Z(z2) "\n\tvprold $" #n ", " Z(z3) ", " Z(z3) "\n\t"

/* Word i of group A is in zmm(i). */
#define DOUBLE_ROUND16(S1, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11, S12, S13, S14, S15, S16)      \
    STEP1(0, 4, 12, 16) STEP1(1, 5, 13, 16) S1 STEP1(2, 6, 14, 16) STEP1(3, 7, 15, 16) S2          \
    STEP1(8, 12, 4, 12) STEP1(9, 13, 5, 12) S3 STEP1(10, 14, 6, 12) STEP1(11, 15, 7, 12) S4        \
    STEP1(0, 4, 12, 8) STEP1(1, 5, 13, 8) S5 STEP1(2, 6, 14, 8) STEP1(3, 7, 15, 8) S6              \
    STEP1(8, 12, 4, 7) STEP1(9, 13, 5, 7) S7 STEP1(10, 14, 6, 7) STEP1(11, 15, 7, 7) S8            \
    /* diagonals */                                                                                \
    STEP1(0, 5, 15, 16) STEP1(1, 6, 12, 16) S9 STEP1(2, 7, 13, 16) STEP1(3, 4, 14, 16) S10         \
    STEP1(10, 15, 5, 12) STEP1(11, 12, 6, 12) S11 STEP1(8, 13, 7, 12) STEP1(9, 14, 4, 12) S12      \
    STEP1(0, 5, 15, 8) STEP1(1, 6, 12, 8) S13 STEP1(2, 7, 13, 8) STEP1(3, 4, 14, 8) S14            \
    STEP1(10, 15, 5, 7) STEP1(11, 12, 6, 7) S15 STEP1(8, 13, 7, 7) STEP1(9, 14, 4, 7) S16

/* Word i of group A is in zmm(i), of group B in zmm(16 + i). */
#define DOUBLE_ROUND32(S1, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11, S12, S13, S14, S15, S16)      \
    STEP4(0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 16) S1                                           \
    STEP4(16, 17, 18, 19, 20, 21, 22, 23, 28, 29, 30, 31, 16) S2                                   \
    STEP4(8, 9, 10, 11, 12, 13, 14, 15, 4, 5, 6, 7, 12) S3                                         \
    STEP4(24, 25, 26, 27, 28, 29, 30, 31, 20, 21, 22, 23, 12) S4                                   \
    STEP4(0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 8) S5                                            \
    STEP4(16, 17, 18, 19, 20, 21, 22, 23, 28, 29, 30, 31, 8) S6                                    \
    STEP4(8, 9, 10, 11, 12, 13, 14, 15, 4, 5, 6, 7, 7) S7                                          \
    STEP4(24, 25, 26, 27, 28, 29, 30, 31, 20, 21, 22, 23, 7) S8                                    \
    /* diagonals */                                                                                \
    STEP4(0, 1, 2, 3, 5, 6, 7, 4, 15, 12, 13, 14, 16) S9                                           \
    STEP4(16, 17, 18, 19, 21, 22, 23, 20, 31, 28, 29, 30, 16) S10                                  \
    STEP4(10, 11, 8, 9, 15, 12, 13, 14, 5, 6, 7, 4, 12) S11                                        \
    STEP4(26, 27, 24, 25, 31, 28, 29, 30, 21, 22, 23, 20, 12) S12                                  \
    STEP4(0, 1, 2, 3, 5, 6, 7, 4, 15, 12, 13, 14, 8) S13                                           \
    STEP4(16, 17, 18, 19, 21, 22, 23, 20, 31, 28, 29, 30, 8) S14                                   \
    STEP4(10, 11, 8, 9, 15, 12, 13, 14, 5, 6, 7, 4, 7) S15                                         \
    STEP4(26, 27, 24, 25, 31, 28, 29, 30, 21, 22, 23, 20, 7) S16

/* The pointers of work; only before and after the rounds. */
#define STATE "%%rax"
#define WIDE_POINTERS                                                                              \
    "movq 80(%[work]), " STATE "\n\tmovq 88(%[work]), %%rbx\n\tmovq 96(%[work]), %%rcx\n\t"        \
    "movq 104(%[work]), %%rsi\n\tmovq 112(%[work]), %%rdi\n\t"
#define IN_A "(%%rbx)"
#define OUT_A "(%%rcx)"
#define IN_B "(%%rsi)"
#define OUT_B "(%%rdi)"

#define START_A(i) "vpbroadcastd 4*" #i "(" STATE "), " Z(i) "\n\t"
#define START_AB(i, b) START_A(i) "vmovdqa64 " Z(i) ", " Z(b) "\n\t"
#define WIDE_START16                                                                               \
    START_A(0) START_A(1) START_A(2) START_A(3) START_A(4) START_A(5) START_A(6) START_A(7)        \
    START_A(8) START_A(9) START_A(10) START_A(11) START_A(13) START_A(14) START_A(15)              \
    "vmovdqa64 128(%[work]), " Z(12) "\n\t"
#define WIDE_START32                                                                               \
    START_AB(0, 16) START_AB(1, 17) START_AB(2, 18) START_AB(3, 19) START_AB(4, 20)                \
    START_AB(5, 21) START_AB(6, 22) START_AB(7, 23) START_AB(8, 24) START_AB(9, 25)                \
    START_AB(10, 26) START_AB(11, 27) START_AB(13, 29) START_AB(14, 30) START_AB(15, 31)           \
    "vmovdqa64 128(%[work]), " Z(12) "\n\tvmovdqa64 192(%[work]), " Z(28) "\n\t"

#define FEED(x, i) "vpaddd 4*" #i "(" STATE ")%{1to16%}, " Z(x) ", " Z(x) "\n\t"
#define FEED_COUNTERS(x, offset) "vpaddd " #offset "(%[work]), " Z(x) ", " Z(x) "\n\t"
/* Vectors of words 4k .. 4k + 3 of all blocks become, in lane j, these words of blocks 4j, 4j + 1,
 * 4j + 2, 4j + 3. */
#define TRANSPOSE_WORDS(a, b, c, d, t0, t1, t2, t3)                                                \
    OP3("vpunpckldq", a, b, t0) OP3("vpunpckhdq", a, b, t1)                                        \
    OP3("vpunpckldq", c, d, t2) OP3("vpunpckhdq", c, d, t3)                                        \
    OP3("vpunpcklqdq", t0, t2, a) OP3("vpunpckhqdq", t0, t2, b)                                    \
    OP3("vpunpcklqdq", t1, t3, c) OP3("vpunpckhqdq", t1, t3, d)
/* 4 x 4 lanes: then a, b, c, d are blocks j, j + 4, j + 8, j + 12. */
#define TRANSPOSE_LANES(a, b, c, d, t0, t1, t2, t3)                                                \
    OP3("vshufi32x4 $0x88,", a, b, t0) OP3("vshufi32x4 $0xdd,", a, b, t1)                          \
    OP3("vshufi32x4 $0x88,", c, d, t2) OP3("vshufi32x4 $0xdd,", c, d, t3)                          \
    OP3("vshufi32x4 $0x88,", t0, t2, a) OP3("vshufi32x4 $0x88,", t1, t3, b)                        \
    OP3("vshufi32x4 $0xdd,", t0, t2, c) OP3("vshufi32x4 $0xdd,", t1, t3, d)
#define PUT_XOR(x, j, in, out)                                                                     \
    "vpxord 64*" #j in ", " Z(x) ", " Z(x) "\n\tvmovdqu64 " Z(x) ", 64*" #j out "\n\t"
/* By the pointers work->in and work->out. */
#define PUT_EACH(x, j, in, out)                                                                    \
    "movq 8*" #j "+512(%[work]), %%r8\n\tvpxord (%%r8), " Z(x) ", " Z(x) "\n\t"                    \
    "movq 8*" #j "+640(%[work]), %%r8\n\tvmovdqu64 " Z(x) ", (%%r8)\n\t"
#define LANES_OUT(a, b, c, d, t0, t1, t2, t3, PUT, j0, j1, j2, j3, in, out)                        \
    TRANSPOSE_LANES(a, b, c, d, t0, t1, t2, t3)                                                    \
    PUT(a, j0, in, out) PUT(b, j1, in, out) PUT(c, j2, in, out) PUT(d, j3, in, out)
/* The rest of a group; t0 .. t3 are scratch. */
#define WIDE_FINISH(x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15,          \
                    t0, t1, t2, t3, counters, PUT, in, out)                                        \
    FEED(x0, 0) FEED(x1, 1) FEED(x2, 2) FEED(x3, 3)                                                \
    TRANSPOSE_WORDS(x0, x1, x2, x3, t0, t1, t2, t3)                                                \
    FEED(x4, 4) FEED(x5, 5) FEED(x6, 6) FEED(x7, 7)                                                \
    TRANSPOSE_WORDS(x4, x5, x6, x7, t0, t1, t2, t3)                                                \
    FEED(x8, 8) FEED(x9, 9) FEED(x10, 10) FEED(x11, 11)                                            \
    TRANSPOSE_WORDS(x8, x9, x10, x11, t0, t1, t2, t3)                                              \
    FEED_COUNTERS(x12, counters) FEED(x13, 13) FEED(x14, 14) FEED(x15, 15)                         \
    TRANSPOSE_WORDS(x12, x13, x14, x15, t0, t1, t2, t3)                                            \
    LANES_OUT(x0, x4, x8, x12, t0, t1, t2, t3, PUT, 0, 4, 8, 12, in, out)                          \
    LANES_OUT(x1, x5, x9, x13, t0, t1, t2, t3, PUT, 1, 5, 9, 13, in, out)                          \
    LANES_OUT(x2, x6, x10, x14, t0, t1, t2, t3, PUT, 2, 6, 10, 14, in, out)                        \
    LANES_OUT(x3, x7, x11, x15, t0, t1, t2, t3, PUT, 3, 7, 11, 15, in, out)
/* PUT: for the last group. */
#define WIDE_FINISH16(PUT)                                                                         \
    WIDE_FINISH(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 128, PUT,    \
                IN_A, OUT_A)
#define WIDE_FINISH32(PUT)                                                                         \
    "vmovdqa64 " Z(28) ", 256(%[work])\n\tvmovdqa64 " Z(29) ", 320(%[work])\n\t"                   \
    "vmovdqa64 " Z(30) ", 384(%[work])\n\tvmovdqa64 " Z(31) ", 448(%[work])\n\t"                   \
    WIDE_FINISH(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 28, 29, 30, 31, 128,         \
                PUT_XOR, IN_A, OUT_A)                                                              \
    "vmovdqa64 256(%[work]), " Z(28) "\n\tvmovdqa64 320(%[work]), " Z(29) "\n\t"                   \
    "vmovdqa64 384(%[work]), " Z(30) "\n\tvmovdqa64 448(%[work]), " Z(31) "\n\t"                   \
    WIDE_FINISH(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0, 1, 2, 3, 192,   \
                PUT, IN_B, OUT_B)

/* n is 16 or 32. Afterwards rows a and b of the scalar block, if any, are in work->slots, without
 * the start state. */
#define WIDE_PASS(n, S_START, SCALAR, S_END, PUT)                                                  \
    work->slots[16] = 10;                                                                          \
    __asm__ volatile(WIDE_POINTERS WIDE_START##n S_START ".p2align 5\n1:\n\t"                      \
                     SCALAR(DOUBLE_ROUND##n) SCALAR_LOOP("1b")                                     \
                     S_END WIDE_POINTERS WIDE_FINISH##n(PUT)                                       \
                     :                                                                             \
                     : [work] "r"(work)                                                            \
                     : "memory", "cc", SCALAR_CLOBBERS, "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",    \
                       "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
                       "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21",     \
                       "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29",     \
                       "xmm30", "xmm31");

/* 16 blocks, 1024 bytes from work->in_a to work->out_a; counters[0] as start state's word 12. */
PLAIT_NOINLINE static void wide16(wide_work *work)
{
    WIDE_PASS(16, "", WITHOUT_SCALAR, "", PUT_XOR)
}
/* Each block by its pointers. */
PLAIT_NOINLINE static void wide16_each(wide_work *work)
{
    WIDE_PASS(16, "", WITHOUT_SCALAR, "", PUT_EACH)
}
/* 32 blocks: group B from in_b to out_b, with counters[1]. */
PLAIT_NOINLINE static void wide32(wide_work *work)
{
    WIDE_PASS(32, "", WITHOUT_SCALAR, "", PUT_XOR)
}

PLAIT_INLINE void wide_counters(wide_work *work, uint32_t first)
{
    const __m512i n = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i a = add(_mm512_set1_epi32((int)first), n);
    _mm512_store_si512(work->counters[0], a);
    _mm512_store_si512(work->counters[1], add(a, _mm512_set1_epi32(16)));
}

/* plait_wipe for multiples of 64 bytes. */
PLAIT_INLINE void wipe512(void *p, size_t n)
{
    PLAIT_WIPE_VECTORS(store512, _mm512_setzero_si512(), 64)
}

/* What a block reads that has nothing to read. */
static const uint8_t wide_nothing[64] __attribute__((aligned(64)));

/* Pointers for a group of which len <= 1024 bytes are wanted. (A pass to memory and another over
 * that memory took 45 cycles more, so that 528 bytes were slower than 1024.) */
PLAIT_INLINE void wide_each(wide_work *work, uint8_t *out, const uint8_t *in, size_t len)
{
    const size_t whole = len / 64;
    const __mmask16 there = (__mmask16)_bzhi_u32(0xffff, (unsigned)whole);
    const __mmask16 last = (__mmask16)(1u << whole); /* none, if whole = 16 */
    const __m512i nowhere = _mm512_set1_epi64((int64_t)(uintptr_t)wide_nothing);
    const __m512i rest = _mm512_set1_epi64((int64_t)(uintptr_t)work->rest[0]);
    const __m512i unused = _mm512_set1_epi64((int64_t)(uintptr_t)work->rest[1]);
    const __m512i at = _mm512_setr_epi64(0, 64, 128, 192, 256, 320, 384, 448);
    for (unsigned i = 0; i < 16; i += 8) {
        const __m512i x = _mm512_add_epi64(at, _mm512_set1_epi64(64 * (int64_t)i));
        const __mmask8 k = (__mmask8)(there >> i);
        const __m512i to = _mm512_mask_mov_epi64(unused, (__mmask8)(last >> i), rest);
        _mm512_store_si512(&work->in[i],
                           _mm512_mask_add_epi64(nowhere, k, x,
                                                 _mm512_set1_epi64((int64_t)(uintptr_t)in)));
        _mm512_store_si512(&work->out[i],
                           _mm512_mask_add_epi64(to, k, x,
                                                 _mm512_set1_epi64((int64_t)(uintptr_t)out)));
    }
}

/* The partial block of such a group, after the pass. */
PLAIT_INLINE void wide_rest(wide_work *work, uint8_t *out, const uint8_t *in, size_t len)
{
    const size_t whole = len & ~(size_t)63;
    xor_some(out + whole, in + whole, len - whole, load512(work->rest[0]));
    wipe512(work->rest, sizeof work->rest);
}

/* As wide32, but group B has len < 1024 bytes. */
PLAIT_NOINLINE static void wide32_some(wide_work *work, size_t len)
{
    wide_each(work, work->out_b, work->in_b, len);
    WIDE_PASS(32, "", WITHOUT_SCALAR, "", PUT_EACH)
    wide_rest(work, work->out_b, work->in_b, len);
}

/* As row512_1, for len <= 1024. */
PLAIT_NOINLINE static void wide_blocks16(uint8_t *out, const uint8_t *in, size_t len,
                                         const uint32_t state[16], uint32_t done)
{
    WIDE_WORK work;
    wide_counters(&work, state_word(state, 12) + done);
    work.state = state;
    if (len == 1024) {
        work.in_a = in;
        work.out_a = out;
        wide16(&work);
    } else {
        wide_each(&work, out, in, len);
        wide16_each(&work);
        wide_rest(&work, out, in, len);
    }
}

/* Up to this many bytes, 16 blocks and then up to 8 take no longer than 32 blocks. */
#define WIDE_MIN 1536

/* Sets of 32 blocks, while more than WIDE_MIN bytes are left; the last set may be used in part.
 * Returns how many bytes were done. */
PLAIT_NOINLINE static size_t wide_stream(uint8_t *out, const uint8_t *in, size_t len,
                                         const uint32_t state[16])
{
    WIDE_WORK work;
    size_t done = 0;
    work.state = state;
    while (len - done > WIDE_MIN) {
        const size_t last = len - done - 1024; /* of group B, if less than 1024 */
        wide_counters(&work, state_word(state, 12) + (uint32_t)(done / 64));
        work.in_a = in + done;
        work.out_a = out + done;
        work.in_b = in + done + 1024;
        work.out_b = out + done + 1024;
        if (last < 1024) {
            wide32_some(&work, last);
            done = len;
            break;
        }
        wide32(&work);
        done += 2048;
    }
    wipe512(work.parked, sizeof work.parked);
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
    if (len > 512)
        wide_blocks16(out, in, len, state, done);
    else if (len > 256)
        two_rows_blocks(out, in, len, state, done);
    else if (len > 0)
        row512_1(out, in, len, state, done);
}
