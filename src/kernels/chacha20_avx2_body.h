/* SPDX-License-Identifier: Apache-2.0
 *
 * ChaCha20 in 256-bit vectors without AVX-512, for chacha20_avx2 (see there) and for fused kernels.
 */
#define SC_SLOTS "1088"
#include "chacha20_scalar_body.h"

#define ROT16(x) SHUFFLED16(x)
#define ROT8(x) SHUFFLED8(x)
#define ROW_MAX 2
#include "chacha20_row128_body.h"
#define ROW_MAX 2
#include "chacha20_row256_body.h"

/* ---- 4 and 6 blocks, in row layout ----------------------------------------------------------- */

/* The rounds of chacha20_row_body.h, with each group a few instructions behind the one before: in C
 * the order is the compiler's, and Clang takes 15 % longer for 6 blocks. */
#define R_OP(op, x, y) op " %[" #y "], %[" #x "], %[" #x "]\n\t"
#define R_IMM(op, n, x) op " $" #n ", %[" #x "], %[" #x "]\n\t"
#define R_RIGHT(n, x, g) "vpsrld $" #n ", %[" #x "], " R_T##g "\n\t"
#define R_OR(x, g) "vpor " R_T##g ", %[" #x "], %[" #x "]\n\t"
#define R_T0 "%%ymm13"
#define R_T1 "%%ymm14"
#define R_T2 "%%ymm15"
#define R_S1(g) R_OP("vpaddd", a##g, b##g)
#define R_S2(g) R_OP("vpxor", d##g, a##g)
#define R_S3(g) R_OP("vpshufb", d##g, rotate16)
#define R_S4(g) R_OP("vpaddd", c##g, d##g)
#define R_S5(g) R_OP("vpxor", b##g, c##g)
#define R_S6(g) R_RIGHT(20, b##g, g)
#define R_S7(g) R_IMM("vpslld", 12, b##g)
#define R_S8(g) R_OR(b##g, g)
#define R_S9(g) R_S1(g)
#define R_S10(g) R_S2(g)
#define R_S11(g) R_OP("vpshufb", d##g, rotate8)
#define R_S12(g) R_S4(g)
#define R_S13(g) R_S5(g)
#define R_S14(g) R_RIGHT(25, b##g, g)
#define R_S15(g) R_IMM("vpslld", 7, b##g)
#define R_S16(g) R_OR(b##g, g)
#define R_TURN_A3(g) R_IMM("vpshufd", 0x93, a##g)
#define R_TURN_A1(g) R_IMM("vpshufd", 0x39, a##g)
#define R_TURN_D2(g) R_IMM("vpshufd", 0x4e, d##g)
#define R_TURN_C1(g) R_IMM("vpshufd", 0x39, c##g)
#define R_TURN_C3(g) R_IMM("vpshufd", 0x93, c##g)
#define TWO_ROWS_DOUBLE_ROUND                                                                      \
    R_S1(0) R_S2(0) R_S3(0) R_S4(0) R_S1(1) R_S5(0) R_S2(1) R_S6(0) R_S3(1) R_S7(0) R_S4(1)        \
    R_S8(0) R_S5(1) R_S9(0) R_S6(1) R_S10(0) R_S7(1) R_S11(0) R_S8(1) R_S12(0) R_S9(1) R_S13(0)    \
    R_S10(1) R_S14(0) R_S11(1) R_S15(0) R_S12(1) R_S16(0) R_S13(1) R_TURN_A3(0) R_S14(1)           \
    R_TURN_D2(0) R_S15(1) R_TURN_C1(0) R_S16(1) R_S1(0) R_TURN_A3(1) R_S2(0) R_TURN_D2(1)          \
    R_S3(0) R_TURN_C1(1) R_S4(0) R_S1(1) R_S5(0) R_S2(1) R_S6(0) R_S3(1) R_S7(0) R_S4(1) R_S8(0)   \
    R_S5(1) R_S9(0) R_S6(1) R_S10(0) R_S7(1) R_S11(0) R_S8(1) R_S12(0) R_S9(1) R_S13(0) R_S10(1)   \
    R_S14(0) R_S11(1) R_S15(0) R_S12(1) R_S16(0) R_S13(1) R_TURN_A1(0) R_S14(1) R_TURN_D2(0)       \
    R_S15(1) R_TURN_C3(0) R_S16(1) R_TURN_A1(1) R_TURN_D2(1) R_TURN_C3(1)
#define THREE_ROWS_DOUBLE_ROUND                                                                    \
    R_S1(0) R_S2(0) R_S3(0) R_S4(0) R_S5(0) R_S6(0) R_S1(1) R_S7(0) R_S2(1) R_S8(0) R_S3(1)        \
    R_S9(0) R_S4(1) R_S10(0) R_S5(1) R_S11(0) R_S6(1) R_S1(2) R_S12(0) R_S7(1) R_S2(2) R_S13(0)    \
    R_S8(1) R_S3(2) R_S14(0) R_S9(1) R_S4(2) R_S15(0) R_S10(1) R_S5(2) R_S16(0) R_S11(1) R_S6(2)   \
    R_TURN_A3(0) R_S12(1) R_S7(2) R_TURN_D2(0) R_S13(1) R_S8(2) R_TURN_C1(0) R_S14(1) R_S9(2)      \
    R_S1(0) R_S15(1) R_S10(2) R_S2(0) R_S16(1) R_S11(2) R_S3(0) R_TURN_A3(1) R_S12(2) R_S4(0)      \
    R_TURN_D2(1) R_S13(2) R_S5(0) R_TURN_C1(1) R_S14(2) R_S6(0) R_S1(1) R_S15(2) R_S7(0) R_S2(1)   \
    R_S16(2) R_S8(0) R_S3(1) R_TURN_A3(2) R_S9(0) R_S4(1) R_TURN_D2(2) R_S10(0) R_S5(1)            \
    R_TURN_C1(2) R_S11(0) R_S6(1) R_S1(2) R_S12(0) R_S7(1) R_S2(2) R_S13(0) R_S8(1) R_S3(2)        \
    R_S14(0) R_S9(1) R_S4(2) R_S15(0) R_S10(1) R_S5(2) R_S16(0) R_S11(1) R_S6(2) R_TURN_A1(0)      \
    R_S12(1) R_S7(2) R_TURN_D2(0) R_S13(1) R_S8(2) R_TURN_C3(0) R_S14(1) R_S9(2) R_S15(1)          \
    R_S10(2) R_S16(1) R_S11(2) R_TURN_A1(1) R_S12(2) R_TURN_D2(1) R_S13(2) R_TURN_C3(1) R_S14(2)   \
    R_S15(2) R_S16(2) R_TURN_A1(2) R_TURN_D2(2) R_TURN_C3(2)

#define ROWS_GROUP(g) [a##g] "+x"(a##g), [b##g] "+x"(b##g), [c##g] "+x"(c##g), [d##g] "+x"(d##g)
/* In place of ROW_ROUNDS and ROW_FEED_FORWARD. */
#define ROWS_ROUNDS(EACH, DOUBLE_ROUND, where, ...)                                                \
    const __m256i rotate16 = _mm256_broadcastsi128_si256(_mm_setr_epi8(BYTES16));                  \
    const __m256i rotate8 = _mm256_broadcastsi128_si256(_mm_setr_epi8(BYTES8));                    \
    uint32_t rounds = 10;                                                                          \
    EACH(ROW_START)                                                                                \
    __asm__(".p2align 5\n1:\n\t" DOUBLE_ROUND "decl %[rounds]\n\tjnz 1b"                           \
            : [rounds] "+r"(rounds), __VA_ARGS__                                                   \
            : [rotate16] where(rotate16), [rotate8] where(rotate8)                                 \
            : "cc", "xmm13", "xmm14", "xmm15");                                                    \
    ROW_LOAD_STATE_AGAIN                                                                           \
    EACH(ROW_FEED_FORWARD)
#define ROWS_ROUNDS2                                                                               \
    ROWS_ROUNDS(ROW_EACH2, TWO_ROWS_DOUBLE_ROUND, "x", ROWS_GROUP(0), ROWS_GROUP(1))
#define ROWS_ROUNDS3                                                                               \
    ROWS_ROUNDS(ROW_EACH3, THREE_ROWS_DOUBLE_ROUND, "m", ROWS_GROUP(0), ROWS_GROUP(1),             \
                ROWS_GROUP(2))
#define ROWS_FUNCTION(groups, EACH)                                                                \
    PLAIT_NOINLINE static void rows_##groups(uint8_t *out, const uint8_t *in, size_t len,          \
                                             const uint32_t state[16], uint32_t done)              \
    {                                                                                              \
        __m256i ROW_LOAD_STATE(row0, row1, row2, row3);                                            \
        ROWS_ROUNDS##groups                                                                        \
        if (len == 128 * groups) {                                                                 \
            EACH(ROW_ALL_OUT)                                                                      \
        } else {                                                                                   \
            ROW_THROUGH_MEMORY(groups, EACH)                                                       \
        }                                                                                          \
    }
/* As row256_2 and row256_3. */
ROWS_FUNCTION(2, ROW_EACH2)
ROWS_FUNCTION(3, ROW_EACH3)

/* A pass over 8 or 16 blocks: word i of the first 8 is x[0][i], of the next 8 x[1][i]. The rounds
 * keep what they have no registers for there. slots: of a scalar block beside them, and the count
 * of double rounds. */
typedef struct wide_work {
    uint32_t x[2][16][8];
    uint8_t rotate16[32], rotate8[32]; /* byte shuffles */
    uint32_t slots[24];
} wide_work;
typedef char wide_offsets[offsetof(wide_work, rotate16) == 1024 &&
                                  offsetof(wide_work, rotate8) == 1056 &&
                                  offsetof(wide_work, slots) == 1088
                              ? 1
                              : -1];
#define WIDE_WORK __attribute__((aligned(32))) wide_work

#define Y(i) "%%ymm" #i
#define OP(op, x, y) op " " Y(y) ", " Y(x) ", " Y(x) "\n\t"
#define OP3(op, x, y, to) op " " Y(y) ", " Y(x) ", " Y(to) "\n\t"
#define OPM(op, m, x, to) op " " m ", " Y(x) ", " Y(to) "\n\t"
#define IMM(op, n, x, to) op " $" #n ", " Y(x) ", " Y(to) "\n\t"
#define LOAD(m, x) "vmovdqa " m ", " Y(x) "\n\t"
#define SAVE(x, m) "vmovdqa " Y(x) ", " m "\n\t"
#define WORD(w) "32*" #w "(%[work])"
#define ROTATE16 "1024(%[work])"
#define ROTATE8 "1056(%[work])"

/* ---- 16 blocks ------------------------------------------------------------------------------- */

/* One quarter round after the other: with rows a, c and d in memory, and row b of both groups in
 * ymm0 .. 7, eight of them are independent, and the core takes as many at a time as it likes,
 * whatever the order (475 cycles for the ten double rounds of 8 blocks on Golden Cove; 427 is the
 * bound). Row b is what would wait for its way through memory. */
#define QUARTER16(a, b, c, d)                                                                      \
    OPM("vpaddd", WORD(a), b, 8)                                                                   \
    OPM("vpxor", WORD(d), 8, 9)                                                                    \
    OP("vpshufb", 9, 14)                                                                           \
    OPM("vpaddd", WORD(c), 9, 10)                                                                  \
    OP("vpxor", b, 10)                                                                             \
    IMM("vpsrld", 20, b, 11) IMM("vpslld", 12, b, b) OP("vpor", b, 11)                             \
    OP("vpaddd", 8, b)                                                                             \
    OP("vpxor", 9, 8) SAVE(8, WORD(a))                                                             \
    OP("vpshufb", 9, 15)                                                                           \
    OP("vpaddd", 10, 9) SAVE(9, WORD(d))                                                           \
    OP("vpxor", b, 10) SAVE(10, WORD(c))                                                           \
    IMM("vpsrld", 25, b, 11) IMM("vpslld", 7, b, b) OP("vpor", b, 11)

/* a, c and d: numbers of words, those of the second group plus 16; b: registers. H1 .. H16: what a
 * fused kernel puts between them. */
#define DOUBLE_ROUND16(H1, H2, H3, H4, H5, H6, H7, H8, H9, H10, H11, H12, H13, H14, H15, H16)      \
    QUARTER16(0, 0, 8, 12) H1 QUARTER16(1, 1, 9, 13) H2 QUARTER16(2, 2, 10, 14) H3                 \
    QUARTER16(3, 3, 11, 15) H4 QUARTER16(16, 4, 24, 28) H5 QUARTER16(17, 5, 25, 29) H6             \
    QUARTER16(18, 6, 26, 30) H7 QUARTER16(19, 7, 27, 31) H8                                        \
    /* diagonals */                                                                                \
    QUARTER16(0, 1, 10, 15) H9 QUARTER16(1, 2, 11, 12) H10 QUARTER16(2, 3, 8, 13) H11              \
    QUARTER16(3, 0, 9, 14) H12 QUARTER16(16, 5, 26, 31) H13 QUARTER16(17, 6, 27, 28) H14           \
    QUARTER16(18, 7, 24, 29) H15 QUARTER16(19, 4, 25, 30) H16
#define WITH_NOTHING(M) M(, , , , , , , , , , , , , , , )

/* 16 blocks; EACH makes the loop body of DOUBLE_ROUND16 and what else is to be done in it. */
#define ROUNDS16(START, EACH, END, INPUTS, ...)                                                    \
    work->slots[16] = 10;                                                                          \
    __asm__ volatile(LOAD(ROTATE16, 14) LOAD(ROTATE8, 15)                                          \
                     LOAD(WORD(4), 0) LOAD(WORD(5), 1) LOAD(WORD(6), 2) LOAD(WORD(7), 3)           \
                     LOAD(WORD(20), 4) LOAD(WORD(21), 5) LOAD(WORD(22), 6) LOAD(WORD(23), 7)       \
                     START ".p2align 5\n1:\n\t" EACH(DOUBLE_ROUND16) SCALAR_LOOP("1b") END         \
                     SAVE(0, WORD(4)) SAVE(1, WORD(5)) SAVE(2, WORD(6)) SAVE(3, WORD(7))           \
                     SAVE(4, WORD(20)) SAVE(5, WORD(21)) SAVE(6, WORD(22)) SAVE(7, WORD(23))       \
                     :                                                                             \
                     : INPUTS                                                                      \
                     : "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",   \
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm14", "xmm15", __VA_ARGS__);
#define WORK_ALONE [work] "r"(work)
PLAIT_INLINE void rounds16(wide_work *work)
{
    ROUNDS16("", WITH_NOTHING, "", WORK_ALONE, "cc")
}

/* ---- 8 blocks -------------------------------------------------------------------------------- */

/* Rows a, b and d in ymm0 .. 11, row c in memory: between two uses of a word of it there is time
 * for a store and a load. Four registers are scratch, one for each quarter round of four. Each is
 * two instructions behind the one before. */
#define A1(a, b, c, d, t) OP("vpaddd", a, b)
#define A2(a, b, c, d, t) OP("vpxor", d, a)
#define A3(a, b, c, d, t) OPM("vpshufb", ROTATE16, d, d)
#define A4(a, b, c, d, t) OPM("vpaddd", WORD(c), d, t)
#define A5(a, b, c, d, t) OP("vpxor", b, t)
#define A6(a, b, c, d, t) SAVE(t, WORD(c))
#define A7(a, b, c, d, t) IMM("vpsrld", 20, b, t)
#define A8(a, b, c, d, t) IMM("vpslld", 12, b, b)
#define A9(a, b, c, d, t) OP("vpor", b, t)
#define B1 A1
#define B2 A2
#define B3(a, b, c, d, t) OPM("vpshufb", ROTATE8, d, d)
#define B4 A4
#define B5 A5
#define B6 A6
#define B7(a, b, c, d, t) IMM("vpsrld", 25, b, t)
#define B8(a, b, c, d, t) IMM("vpslld", 7, b, b)
#define B9 A9
#define AT(step, q) step q
/* H1 .. H8: what a fused kernel puts between them. */
#define QUARTERS8(p, q, r, s, H1, H2, H3, H4, H5, H6, H7, H8)                                      \
    AT(A1, p) AT(A2, p)                                                                            \
    AT(A3, p) AT(A1, q) AT(A4, p) AT(A2, q) H1                                                     \
    AT(A5, p) AT(A3, q) AT(A1, r) AT(A6, p) AT(A4, q) AT(A2, r)                                    \
    AT(A7, p) AT(A5, q) AT(A3, r) AT(A1, s) AT(A8, p) AT(A6, q) AT(A4, r) AT(A2, s) H2             \
    AT(A9, p) AT(A7, q) AT(A5, r) AT(A3, s) AT(B1, p) AT(A8, q) AT(A6, r) AT(A4, s) H3             \
    AT(B2, p) AT(A9, q) AT(A7, r) AT(A5, s) AT(B3, p) AT(B1, q) AT(A8, r) AT(A6, s) H4             \
    AT(B4, p) AT(B2, q) AT(A9, r) AT(A7, s) AT(B5, p) AT(B3, q) AT(B1, r) AT(A8, s) H5             \
    AT(B6, p) AT(B4, q) AT(B2, r) AT(A9, s) AT(B7, p) AT(B5, q) AT(B3, r) AT(B1, s) H6             \
    AT(B8, p) AT(B6, q) AT(B4, r) AT(B2, s) AT(B9, p) AT(B7, q) AT(B5, r) AT(B3, s) H7             \
    AT(B8, q) AT(B6, r) AT(B4, s) AT(B9, q) AT(B7, r) AT(B5, s)                                    \
    AT(B8, r) AT(B6, s) AT(B9, r) AT(B7, s) AT(B8, s) AT(B9, s) H8
#define DOUBLE_ROUND8(H1, H2, H3, H4, H5, H6, H7, H8, H9, H10, H11, H12, H13, H14, H15, H16)       \
    QUARTERS8((0, 4, 8, 8, 12), (1, 5, 9, 9, 13), (2, 6, 10, 10, 14), (3, 7, 11, 11, 15),          \
              H1, H2, H3, H4, H5, H6, H7, H8)                                                      \
    QUARTERS8((3, 4, 9, 10, 15), (0, 5, 10, 11, 12), (1, 6, 11, 8, 13), (2, 7, 8, 9, 14),          \
              H9, H10, H11, H12, H13, H14, H15, H16)

/* 8 blocks; EACH makes the loop body of DOUBLE_ROUND8 and what else is to be done in it. */
#define ROUNDS8(START, EACH, END, INPUTS, ...)                                                     \
    work->slots[16] = 10;                                                                          \
    __asm__ volatile(LOAD(WORD(0), 0) LOAD(WORD(1), 1) LOAD(WORD(2), 2) LOAD(WORD(3), 3)           \
                     LOAD(WORD(4), 4) LOAD(WORD(5), 5) LOAD(WORD(6), 6) LOAD(WORD(7), 7)           \
                     LOAD(WORD(12), 8) LOAD(WORD(13), 9) LOAD(WORD(14), 10) LOAD(WORD(15), 11)     \
                     START ".p2align 5\n1:\n\t" EACH(DOUBLE_ROUND8)                               \
                     SCALAR_LOOP("1b") END                                                         \
                     SAVE(0, WORD(0)) SAVE(1, WORD(1)) SAVE(2, WORD(2)) SAVE(3, WORD(3))           \
                     SAVE(4, WORD(4)) SAVE(5, WORD(5)) SAVE(6, WORD(6)) SAVE(7, WORD(7))           \
                     SAVE(8, WORD(12)) SAVE(9, WORD(13)) SAVE(10, WORD(14)) SAVE(11, WORD(15))     \
                     :                                                                             \
                     : INPUTS                                                                      \
                     : "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",           \
                       "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",        \
                       "xmm15", __VA_ARGS__);
PLAIT_INLINE void rounds8(wide_work *work)
{
    ROUNDS8("", WITH_NOTHING, "", WORK_ALONE, "cc")
}

/* ---- start and end of a pass ----------------------------------------------------------------- */

PLAIT_INLINE __m256i all8(uint32_t x)
{
    return _mm256_set1_epi32((int)x);
}
PLAIT_INLINE __m256i counters8(uint32_t first)
{
    return add(all8(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

#define START1(i) store256(work->x[0][i], all8(state_word(state, i)));
#define START2(i)                                                                                  \
    {                                                                                              \
        const __m256i word = all8(state_word(state, i));                                           \
        store256(work->x[0][i], word);                                                             \
        store256(work->x[1][i], word);                                                             \
    }
#define EACH_WORD(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(13) F(14) F(15)
PLAIT_INLINE void wide_start8(wide_work *work, const uint32_t state[16], uint32_t counter)
{
    EACH_WORD(START1)
    store256(work->x[0][12], counters8(counter));
}
PLAIT_INLINE void wide_start16(wide_work *work, const uint32_t state[16], uint32_t counter)
{
    EACH_WORD(START2)
    store256(work->x[0][12], counters8(counter));
    store256(work->x[1][12], counters8(counter + 8));
}
PLAIT_INLINE void wide_init(wide_work *work)
{
    store256(work->rotate16, _mm256_broadcastsi128_si256(_mm_setr_epi8(BYTES16)));
    store256(work->rotate8, _mm256_broadcastsi128_si256(_mm_setr_epi8(BYTES8)));
}
/* plait_wipe for multiples of 32 bytes. */
PLAIT_INLINE void wipe256(void *p, size_t n)
{
    PLAIT_WIPE_VECTORS(store256, _mm256_setzero_si256(), 32)
}

/* The words of a group, as the rounds left them, with the start state added. (No loops here: GCC 12
 * does not unroll them at -O2, and then keeps arrays of vectors in memory.) */
#define FED(i) add(load256(x[i]), all8(state_word(state, i)))
#define FED_COUNTERS add(load256(x[12]), counters8(counter))
/* 8 x 8 words: afterwards y0 .. y7 are the words of u0 .. u7 for block 0 .. 7. */
#define TRANSPOSE8(u0, u1, u2, u3, u4, u5, u6, u7)                                                 \
    const __m256i t0 = _mm256_unpacklo_epi32(u0, u1), t1 = _mm256_unpackhi_epi32(u0, u1);          \
    const __m256i t2 = _mm256_unpacklo_epi32(u2, u3), t3 = _mm256_unpackhi_epi32(u2, u3);          \
    const __m256i t4 = _mm256_unpacklo_epi32(u4, u5), t5 = _mm256_unpackhi_epi32(u4, u5);          \
    const __m256i t6 = _mm256_unpacklo_epi32(u6, u7), t7 = _mm256_unpackhi_epi32(u6, u7);          \
    /* words 0 .. 3 or 4 .. 7 of blocks 0 and 4, 1 and 5, 2 and 6, 3 and 7 */                      \
    const __m256i v0 = _mm256_unpacklo_epi64(t0, t2), v1 = _mm256_unpackhi_epi64(t0, t2);          \
    const __m256i v2 = _mm256_unpacklo_epi64(t1, t3), v3 = _mm256_unpackhi_epi64(t1, t3);          \
    const __m256i v4 = _mm256_unpacklo_epi64(t4, t6), v5 = _mm256_unpackhi_epi64(t4, t6);          \
    const __m256i v6 = _mm256_unpacklo_epi64(t5, t7), v7 = _mm256_unpackhi_epi64(t5, t7);          \
    const __m256i y0 = _mm256_permute2x128_si256(v0, v4, 0x20);                                    \
    const __m256i y1 = _mm256_permute2x128_si256(v1, v5, 0x20);                                    \
    const __m256i y2 = _mm256_permute2x128_si256(v2, v6, 0x20);                                    \
    const __m256i y3 = _mm256_permute2x128_si256(v3, v7, 0x20);                                    \
    const __m256i y4 = _mm256_permute2x128_si256(v0, v4, 0x31);                                    \
    const __m256i y5 = _mm256_permute2x128_si256(v1, v5, 0x31);                                    \
    const __m256i y6 = _mm256_permute2x128_si256(v2, v6, 0x31);                                    \
    const __m256i y7 = _mm256_permute2x128_si256(v3, v7, 0x31);
#define LOW_WORDS TRANSPOSE8(FED(0), FED(1), FED(2), FED(3), FED(4), FED(5), FED(6), FED(7))
#define HIGH_WORDS                                                                                 \
    TRANSPOSE8(FED(8), FED(9), FED(10), FED(11), FED_COUNTERS, FED(13), FED(14), FED(15))
#define XOR_HALF(j, half) store256(out + 64 * j + half, xor(y##j, load256(in + 64 * j + half)));
#define SAVE_HALF(j, half) store256(ks + 64 * j + half, y##j);
#define EACH_HALF(F, half)                                                                         \
    F(0, half) F(1, half) F(2, half) F(3, half) F(4, half) F(5, half) F(6, half) F(7, half)

/* Compilers spill keystream in wide_finish and rows_3, which are calls, so that it is just below
 * the frame of their caller, who burns it. At most: */
#define WIDE_SPILLS 768
/* plait_burn_stack, without the call of memset: 45 cycles less after passes that take 600. */
#define BURN_FUNCTION(name, bytes)                                                                 \
    PLAIT_NOINLINE static void name(void)                                                          \
    {                                                                                              \
        uint8_t below[bytes] __attribute__((aligned(32)));                                         \
        wipe256(below, sizeof below);                                                              \
    }
BURN_FUNCTION(burn_wide, WIDE_SPILLS)

/* out = in xor the keystream of a group, len bytes of it, len <= 512. */
PLAIT_NOINLINE static void wide_finish(uint8_t *out, const uint8_t *in, size_t len,
                                       uint32_t x[16][8], const uint32_t state[16],
                                       uint32_t counter)
{
    if (len >= 512) {
        {
            LOW_WORDS
            EACH_HALF(XOR_HALF, 0)
        }
        {
            HIGH_WORDS
            EACH_HALF(XOR_HALF, 32)
        }
    } else {
        __attribute__((aligned(32))) uint8_t ks[512];
        {
            LOW_WORDS
            EACH_HALF(SAVE_HALF, 0)
        }
        {
            HIGH_WORDS
            EACH_HALF(SAVE_HALF, 32)
        }
        xor_bytes(out, in, ks, len);
        wipe256(ks, sizeof ks);
    }
}

/* As row256_1, for len <= 512. */
PLAIT_NOINLINE static void wide_blocks8(uint8_t *out, const uint8_t *in, size_t len,
                                        const uint32_t state[16], uint32_t done)
{
    WIDE_WORK work;
    wide_init(&work);
    wide_start8(&work, state, state_word(state, 12) + done);
    rounds8(&work);
    wide_finish(out, in, len, work.x[0], state, state_word(state, 12) + done);
    burn_wide();
    wipe256(work.x[0], sizeof work.x[0]);
}

/* From this many bytes on, 16 blocks take less time than 8 and the row layout for the rest. */
#define WIDE16_MIN 768

/* Sets of 16 blocks while more than WIDE16_MIN bytes are left; the last set may be used in part.
 * Returns how many bytes were done. */
PLAIT_NOINLINE static size_t wide_stream(uint8_t *out, const uint8_t *in, size_t len,
                                         const uint32_t state[16])
{
    WIDE_WORK work;
    size_t done = 0;
    wide_init(&work);
    while (len - done > WIDE16_MIN) {
        const size_t now = len - done < 1024 ? len - done : 1024;
        const uint32_t counter = state_word(state, 12) + (uint32_t)(done / 64);
        wide_start16(&work, state, counter);
        rounds16(&work);
        wide_finish(out + done, in + done, 512, work.x[0], state, counter);
        wide_finish(out + done + 512, in + done + 512, now - 512, work.x[1], state, counter + 8);
        done += now;
    }
    burn_wide();
    wipe256(work.x, sizeof work.x);
    return done;
}

PLAIT_UNUSED static void avx2_xor_stream(uint8_t *out, const uint8_t *in, size_t len,
                                         const uint32_t state[16])
{
    uint32_t done = 0;
    if (len > WIDE16_MIN) {
        const size_t n = wide_stream(out, in, len, state);
        if (n == len) return;
        out += n, in += n, len -= n, done = (uint32_t)(n / 64);
    }
    if (len >= 512) {
        wide_blocks8(out, in, 512, state, done);
        out += 512, in += 512, len -= 512, done += 8;
    }
    if (len > 384)
        wide_blocks8(out, in, len, state, done);
    else if (len > 256) {
        rows_3(out, in, len, state, done);
        burn_wide();
    } else if (len > 128)
        rows_2(out, in, len, state, done);
    else if (len > 64)
        row256_1(out, in, len, state, done);
    else if (len > 0)
        row128_1(out, in, len, state, done); /* no lanes to put in order in the end */
}
