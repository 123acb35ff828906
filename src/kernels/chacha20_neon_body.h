/* SPDX-License-Identifier: Apache-2.0
 *
 * What the AArch64 ChaCha20 kernels share: the vocabulary of their assembler text, the quarter
 * round as a list of steps, the two layouts, and the ladder for any length.
 *
 * Why text and not intrinsics: these kernels differ in the order of their instructions, and both
 * GCC and Clang reorder intrinsics as their tables for some CPU tell them. The text of one asm
 * statement stays as it is.
 *
 * Two layouts of a vector of four 32-bit words (w(i) is word i of a block, b a block):
 *
 *      block   X(i) = w(i) of b0 | w(i) of b1 | w(i) of b2 | w(i) of b3     16 vectors, 4 blocks
 *      row     X(r) = w(4r)      | w(4r + 1)  | w(4r + 2)  | w(4r + 3)       4 vectors, 1 block
 *
 * In block layout a round of diagonals only names other vectors, and the blocks are transposed
 * once at the end. In row layout rows 1 to 3 are turned by 1 to 3 words before and after it: six
 * instructions more per block and double round, but any number of blocks.
 *
 * Registers: v0-v7 and v16-v23 hold the blocks of a kernel with four of them, v24-v27 are scratch;
 * so v8-v15, whose low halves belong to the caller, stay untouched. v31 holds the byte pattern of
 * the rotation by 8.
 */

/* C promises strings of up to 4095 bytes only; the text of a loop is longer, and no compiler that
 * knows asm minds. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

/* ---- vocabulary: every argument is the number of a vector register ---- */

/* clang-format off */
#define TEXT(x) #x
#define STR(x) TEXT(x)
#define V4S(r) "v" STR(r) ".4s"
#define V2D(r) "v" STR(r) ".2d"
#define VB(r) "v" STR(r) ".16b"
#define Q(r) "q" STR(r)
#define OP3(op, shape, x, y, z) op " " shape(x) ", " shape(y) ", " shape(z) "\n\t"

#define ADD(x, y) OP3("add", V4S, x, x, y)
#define XOR(x, y) OP3("eor", VB, x, x, y)
#define XOR_TO(t, x, y) OP3("eor", VB, t, x, y)
#define ROT16(x) "rev32 v" STR(x) ".8h, v" STR(x) ".8h\n\t"
#define ROT8(x) "tbl " VB(x) ", {" VB(x) "}, v31.16b\n\t"
#define SHR(x, t, n) "ushr " V4S(x) ", " V4S(t) ", #" STR(n) "\n\t"
#define SLI(x, t, n) "sli " V4S(x) ", " V4S(t) ", #" STR(n) "\n\t"
#define TURN(x, bytes) "ext " VB(x) ", " VB(x) ", " VB(x) ", #" STR(bytes) "\n\t"
#define COPY(x, y) "mov " VB(x) ", " VB(y) "\n\t"
#define ALL_LANES(x, y, lane) "dup " V4S(x) ", v" STR(y) ".s[" STR(lane) "]\n\t"
#define LOAD2(x, y, base, offset) "ldp " Q(x) ", " Q(y) ", [%[" base "], #" STR(offset) "]\n\t"
#define LOAD2_NEXT(x, y, base) "ldp " Q(x) ", " Q(y) ", [%[" base "]], #32\n\t"
#define STORE2_NEXT(x, y, base) "stp " Q(x) ", " Q(y) ", [%[" base "]], #32\n\t"

/* ---- the quarter round on chain (a, b, c, d), scratch t: 14 steps, each needing the one before ----
 * Rotations: by 16 one half-word reverse, by 8 one table lookup, by 12 and 7 a shift and a shift with
 * insertion, for which the xor before goes to t so that the first shift leaves its source whole. */

#define STEP1(a, b, c, d, t) ADD(a, b)
#define STEP2(a, b, c, d, t) XOR(d, a)
#define STEP3(a, b, c, d, t) ROT16(d)
#define STEP4(a, b, c, d, t) ADD(c, d)
#define STEP5(a, b, c, d, t) XOR_TO(t, b, c)
#define STEP6(a, b, c, d, t) SHR(b, t, 20)
#define STEP7(a, b, c, d, t) SLI(b, t, 12)
#define STEP8(a, b, c, d, t) ADD(a, b)
#define STEP9(a, b, c, d, t) XOR(d, a)
#define STEP10(a, b, c, d, t) ROT8(d)
#define STEP11(a, b, c, d, t) ADD(c, d)
#define STEP12(a, b, c, d, t) XOR_TO(t, b, c)
#define STEP13(a, b, c, d, t) SHR(b, t, 25)
#define STEP14(a, b, c, d, t) SLI(b, t, 7)

/* Row layout, after the columns: diagonals become columns; and back. */
#define TURN_B1(a, b, c, d, t) TURN(b, 4)
#define TURN_C2(a, b, c, d, t) TURN(c, 8)
#define TURN_D3(a, b, c, d, t) TURN(d, 12)
#define TURN_B3(a, b, c, d, t) TURN(b, 12)
#define TURN_D1(a, b, c, d, t) TURN(d, 4)

/* ---- two orders of the same instructions, for chains given as (a, b, c, d, t) ---- */

#define QUARTER_ROUND(q)                                                                           \
    STEP1 q STEP2 q STEP3 q STEP4 q STEP5 q STEP6 q STEP7 q                                        \
    STEP8 q STEP9 q STEP10 q STEP11 q STEP12 q STEP13 q STEP14 q
#define EACH(step, p, q, r, s) step p step q step r step s

/* One quarter round after the other: neighbours depend on each other. */
#define ONE_BY_ONE(p, q, r, s) QUARTER_ROUND(p) QUARTER_ROUND(q) QUARTER_ROUND(r) QUARTER_ROUND(s)

/* The same step of all four: whoever waits, waits for the fourth instruction before. */
#define STEP_BY_STEP(p, q, r, s)                                                                   \
    EACH(STEP1, p, q, r, s) EACH(STEP2, p, q, r, s) EACH(STEP3, p, q, r, s)                        \
    EACH(STEP4, p, q, r, s) EACH(STEP5, p, q, r, s) EACH(STEP6, p, q, r, s)                        \
    EACH(STEP7, p, q, r, s) EACH(STEP8, p, q, r, s) EACH(STEP9, p, q, r, s)                        \
    EACH(STEP10, p, q, r, s) EACH(STEP11, p, q, r, s) EACH(STEP12, p, q, r, s)                     \
    EACH(STEP13, p, q, r, s) EACH(STEP14, p, q, r, s)

/* The turns of the rows in the same two orders. */
#define TURN_ROWS(b, c, d, q) b q c q d q
#define TURNS_ONE_BY_ONE(b, c, d, p, q, r, s)                                                      \
    TURN_ROWS(b, c, d, p) TURN_ROWS(b, c, d, q) TURN_ROWS(b, c, d, r) TURN_ROWS(b, c, d, s)
#define TURNS_STEP_BY_STEP(b, c, d, p, q, r, s)                                                    \
    EACH(b, p, q, r, s) EACH(c, p, q, r, s) EACH(d, p, q, r, s)

/* ---- start and end of a pass; operands: [state], [count], [k], [in], [out] ---- */

/* The four rows of the start state, with the counter of the block. */
#define LOAD_STATE(a, b, c, d)                                                                     \
    LOAD2(a, b, "state", 0) LOAD2(c, d, "state", 32) SET_COUNT(d)
#define SET_COUNT(d) "mov v" STR(d) ".s[0], %w[count]\n\t"

/* Words 0..3 of v(w), each to all lanes of a vector of its own. */
#define SPREAD(w, x0, x1, x2, x3)                                                                  \
    ALL_LANES(x0, w, 0) ALL_LANES(x1, w, 1) ALL_LANES(x2, w, 2) ALL_LANES(x3, w, 3)

/* x(i) = word i of blocks 0..3 becomes x(b) = words 0..3 of block b; scratch t, u, v, w. */
#define TRANSPOSE(x0, x1, x2, x3, t, u, v, w)                                                      \
    OP3("zip1", V4S, t, x0, x1) OP3("zip2", V4S, u, x0, x1)                                        \
    OP3("zip1", V4S, v, x2, x3) OP3("zip2", V4S, w, x2, x3)                                        \
    OP3("zip1", V2D, x0, t, v) OP3("zip2", V2D, x1, t, v)                                          \
    OP3("zip1", V2D, x2, u, w) OP3("zip2", V2D, x3, u, w)

/* The next 64 bytes: rows a, b, c, d plus the start state in v24-v27; scratch v28-v31. */
#define XOR_BLOCK(a, b, c, d)                                                                      \
    LOAD2_NEXT(28, 29, "in") LOAD2_NEXT(30, 31, "in")                                              \
    ADD(a, 24) ADD(b, 25) ADD(c, 26) ADD(d, 27)                                                    \
    XOR(a, 28) XOR(b, 29) XOR(c, 30) XOR(d, 31)                                                    \
    STORE2_NEXT(a, b, "out") STORE2_NEXT(c, d, "out")
#define NEXT_BLOCK "add %w[count], %w[count], #1\n\t" SET_COUNT(27)

#define TEN_TIMES(double_round)                                                                    \
    "mov %w[rounds], #10\n"                                                                        \
    "1:\n\t" double_round                                                                          \
    "subs %w[rounds], %w[rounds], #1\n\t"                                                          \
    "b.ne 1b\n\t"
/* clang-format on */

/* Byte pattern of a rotation of each word to the left by 8; the blocks of a vector; one block. */
static const struct {
    uint8_t rot8[16];
    uint32_t lanes[4];
    uint32_t one[4];
} k = {{3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14}, {0, 1, 2, 3}, {1, 0, 0, 0}};

/* ---- any length ---- */

#include "chacha20_block_body.h"

/* Up to one block, in general registers: they have a latency of 1 where vectors have 2 to 3, and
 * one block is a matter of latency, so this takes about half the time of a pass of vectors. */
PLAIT_NOINLINE static void xor_up_to_64(uint8_t *out, const uint8_t *in, size_t len,
                                        const uint32_t state[16], uint32_t count)
{
    uint32_t x[16], s[16];
    uint8_t text[64] = {0};
    memcpy(s, state, 64);
    s[12] = count;
    block(x, s);
    memcpy(text, in, len);
    for (int i = 0; i < 16; i++)
        plait_store32_le(text + 4 * i, plait_load32_le(text + 4 * i) ^ x[i]);
    memcpy(out, text, len);
    plait_wipe(x, sizeof x);
    plait_wipe(s, sizeof s);
    plait_wipe(text, sizeof text);
}

/* A pass over 4 blocks: out = in xor keystream, from the block with this counter on. */
static void pass4(uint8_t *out, const uint8_t *in, const uint32_t state[16], uint32_t count);

/* Up to 4 blocks, by a pass over a copy. */
PLAIT_NOINLINE static void xor_up_to_256(uint8_t *out, const uint8_t *in, size_t len,
                                         const uint32_t state[16], uint32_t count)
{
    uint8_t text[256];
    memset(text, 0, sizeof text);
    memcpy(text, in, len);
    pass4(text, text, state, count);
    memcpy(out, text, len);
    plait_wipe(text, sizeof text);
}

/* Passes over 4 blocks, then what is left. */
PLAIT_INLINE void xor_by_4(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16],
                           uint32_t count)
{
    for (; len >= 256; len -= 256, in += 256, out += 256, count += 4) pass4(out, in, state, count);
    if (len > 64)
        xor_up_to_256(out, in, len, state, count);
    else if (len > 0)
        xor_up_to_64(out, in, len, state, count);
}
