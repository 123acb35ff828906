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

/* ---- the quarter round on chain (a, b, c, d), scratch t ----
 *
 * 14 steps, each needing the one before. Rotations: by 16 one half-word reverse, by 8 one table
 * lookup, by 12 and 7 a shift and a shift with insertion, for which the xor before goes to t so
 * that the first shift leaves its source whole. */

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

/* In place of steps 9 and 10, for cores where a table lookup is slow. */
#define ROT8_SHIFT1(a, b, c, d, t) XOR_TO(t, d, a)
#define ROT8_SHIFT2(a, b, c, d, t) SHR(d, t, 24)
#define ROT8_SHIFT3(a, b, c, d, t) SLI(d, t, 8)

/* Row layout, after the columns: diagonals become columns; and back. */
#define TURN_B1(a, b, c, d, t) TURN(b, 4)
#define TURN_C2(a, b, c, d, t) TURN(c, 8)
#define TURN_D3(a, b, c, d, t) TURN(d, 12)
#define TURN_B3(a, b, c, d, t) TURN(b, 12)
#define TURN_D1(a, b, c, d, t) TURN(d, 4)

/* ---- two orders of the same instructions, for chains given as (a, b, c, d, t) ---- */

#define QUARTER_ROUND(...)                                                                         \
    STEP1(__VA_ARGS__) STEP2(__VA_ARGS__) STEP3(__VA_ARGS__) STEP4(__VA_ARGS__)                    \
    STEP5(__VA_ARGS__) STEP6(__VA_ARGS__) STEP7(__VA_ARGS__) STEP8(__VA_ARGS__)                    \
    STEP9(__VA_ARGS__) STEP10(__VA_ARGS__) STEP11(__VA_ARGS__) STEP12(__VA_ARGS__)                 \
    STEP13(__VA_ARGS__) STEP14(__VA_ARGS__)
#define EACH_(step, p, q, r, s) step p step q step r step s
#define EACH(step, ...) EACH_(step, __VA_ARGS__)

/* One quarter round after the other: neighbours depend on each other. */
#define ONE_BY_ONE(...) EACH(QUARTER_ROUND, __VA_ARGS__)

/* The same step of all four: whoever waits, waits for the fourth instruction before. */
#define STEP_BY_STEP(...)                                                                          \
    EACH(STEP1, __VA_ARGS__) EACH(STEP2, __VA_ARGS__) EACH(STEP3, __VA_ARGS__)                     \
    EACH(STEP4, __VA_ARGS__) EACH(STEP5, __VA_ARGS__) EACH(STEP6, __VA_ARGS__)                     \
    EACH(STEP7, __VA_ARGS__) EACH(STEP8, __VA_ARGS__) EACH(STEP9, __VA_ARGS__)                     \
    EACH(STEP10, __VA_ARGS__) EACH(STEP11, __VA_ARGS__) EACH(STEP12, __VA_ARGS__)                  \
    EACH(STEP13, __VA_ARGS__) EACH(STEP14, __VA_ARGS__)

/* The turns of the rows in the same two orders. */
#define TURN_ROWS(b, c, d, q) b q c q d q
#define TURNS_ONE_BY_ONE_(b, c, d, p, q, r, s)                                                     \
    TURN_ROWS(b, c, d, p) TURN_ROWS(b, c, d, q) TURN_ROWS(b, c, d, r) TURN_ROWS(b, c, d, s)
#define TURNS_ONE_BY_ONE(b, c, d, ...) TURNS_ONE_BY_ONE_(b, c, d, __VA_ARGS__)
#define TURNS_STEP_BY_STEP(b, c, d, ...)                                                           \
    EACH(b, __VA_ARGS__) EACH(c, __VA_ARGS__) EACH(d, __VA_ARGS__)

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

/* The operands of the asm statement of a pass: in, out and count move on. */
#define PASS_OPERANDS                                                                              \
    [out] "+r"(out), [in] "+r"(in), [count] "+r"(count), [rounds] "=&r"(rounds)
#define PASS_INPUTS [state] "r"(state), [k] "r"(&k)
#define VECTOR_CLOBBERS                                                                            \
    "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19",    \
    "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"

#define TEN_TIMES(double_round)                                                                    \
    "mov %w[rounds], #10\n"                                                                        \
    "1:\n\t" double_round                                                                          \
    "subs %w[rounds], %w[rounds], #1\n\t"                                                          \
    "b.ne 1b\n\t"
/* ---- one block in general registers ----
 *
 *      word i: w(3 + i) for i = 0..14, w20 for i = 15; w21-w24 are counts of rotation, or scratch
 *
 * Beside vectors, or alone where there is only one block: general registers have a latency of 1
 * where vectors have 2 to 3, and one block is a matter of latency.
 * Rotations take their count from a register: LLVM's models of Neoverse N2 and of Apple's cores
 * price a rotation by a constant, an extraction from two registers by its encoding, at two
 * operations; by a register it is one operation everywhere. Arguments are numbers of registers. */

#define W(r) "w" STR(r)
#define X(r) "x" STR(r)
#define W_OP(op, x, y) op " " W(x) ", " W(x) ", " W(y) "\n\t"
#define ROTATIONS "mov w21, #16\n\tmov w22, #20\n\tmov w23, #24\n\tmov w24, #25\n\t"

/* The scalar quarter round on chain (a, b, c, d): 12 steps. */
#define SCALAR1(a, b, c, d) W_OP("add", a, b)
#define SCALAR2(a, b, c, d) W_OP("eor", d, a)
#define SCALAR3(a, b, c, d) W_OP("ror", d, 21)
#define SCALAR4(a, b, c, d) W_OP("add", c, d)
#define SCALAR5(a, b, c, d) W_OP("eor", b, c)
#define SCALAR6(a, b, c, d) W_OP("ror", b, 22)
#define SCALAR7(a, b, c, d) W_OP("add", a, b)
#define SCALAR8(a, b, c, d) W_OP("eor", d, a)
#define SCALAR9(a, b, c, d) W_OP("ror", d, 23)
#define SCALAR10(a, b, c, d) W_OP("add", c, d)
#define SCALAR11(a, b, c, d) W_OP("eor", b, c)
#define SCALAR12(a, b, c, d) W_OP("ror", b, 24)

#define SCALAR_COLUMNS (3, 7, 11, 15), (4, 8, 12, 16), (5, 9, 13, 17), (6, 10, 14, 20)
#define SCALAR_DIAGONALS (3, 8, 13, 20), (4, 9, 14, 15), (5, 10, 11, 16), (6, 7, 12, 17)

#define LOAD_W(x, y, offset) "ldp " W(x) ", " W(y) ", [%[state], #" STR(offset) "]\n\t"
#define SCALAR_LOAD                                                                                \
    LOAD_W(3, 4, 0) LOAD_W(5, 6, 8) LOAD_W(7, 8, 16) LOAD_W(9, 10, 24)                             \
    LOAD_W(11, 12, 32) LOAD_W(13, 14, 40) LOAD_W(15, 16, 48) LOAD_W(17, 20, 56)

/* in xor (words x0..x3 + those at offset `from` of the state), 16 bytes at offset `at`. */
#define SCALAR_XOR(x0, x1, x2, x3, from, at)                                                       \
    LOAD_W(21, 22, from) LOAD_W(23, 24, from + 8)                                                  \
    W_OP("add", x0, 21) W_OP("add", x1, 22) W_OP("add", x2, 23) W_OP("add", x3, 24)                \
    "ldp x21, x22, [%[in], #" STR(at) "]\n\t"                                                      \
    "orr " X(x0) ", " X(x0) ", " X(x1) ", lsl #32\n\t"                                             \
    "orr " X(x2) ", " X(x2) ", " X(x3) ", lsl #32\n\t"                                             \
    "eor x21, x21, " X(x0) "\n\t"                                                                  \
    "eor x22, x22, " X(x2) "\n\t"                                                                  \
    "stp x21, x22, [%[out], #" STR(at) "]\n\t"

/* Block number `block` of the pass begins and ends: its counter is that of the pass plus `block`,
 * whatever the start state says. */
#define SCALAR_BEGIN(block) SCALAR_LOAD "add w15, %w[count], #" STR(block) "\n\t" ROTATIONS
#define SCALAR_END(block, at)                                                                      \
    "add w15, w15, %w[count]\n\tadd w15, w15, #" STR(block) "\n\t"                                 \
    "ldr w21, [%[state], #48]\n\tsub w15, w15, w21\n\t"                                            \
    SCALAR_XOR(3, 4, 5, 6, 0, at) SCALAR_XOR(7, 8, 9, 10, 16, at + 16)                             \
    SCALAR_XOR(11, 12, 13, 14, 32, at + 32) SCALAR_XOR(15, 16, 17, 20, 48, at + 48)

#define SCALAR_ROUNDS(...)                                                                         \
    EACH(SCALAR1, __VA_ARGS__) EACH(SCALAR2, __VA_ARGS__) EACH(SCALAR3, __VA_ARGS__)               \
    EACH(SCALAR4, __VA_ARGS__) EACH(SCALAR5, __VA_ARGS__) EACH(SCALAR6, __VA_ARGS__)               \
    EACH(SCALAR7, __VA_ARGS__) EACH(SCALAR8, __VA_ARGS__) EACH(SCALAR9, __VA_ARGS__)               \
    EACH(SCALAR10, __VA_ARGS__) EACH(SCALAR11, __VA_ARGS__) EACH(SCALAR12, __VA_ARGS__)

#define SCALAR_CLOBBERS                                                                            \
    "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",     \
    "x17", "x20", "x21", "x22", "x23", "x24"
/* clang-format on */

/* Byte pattern of a rotation of each word to the left by 8; the blocks of a vector; one block. */
static const struct {
    uint8_t rot8[16];
    uint32_t lanes[4];
    uint32_t one[4];
} k = {{3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14}, {0, 1, 2, 3}, {1, 0, 0, 0}};

/* ---- any length ---- */

/* A pass over as many blocks as the kernel has in flight, from the block with counter `count` on.
 */
typedef void pass_fn(uint8_t *out, const uint8_t *in, const uint32_t state[16], uint32_t count);

/* clang-format off */
PLAIT_NOINLINE static void pass1(uint8_t *out, const uint8_t *in, const uint32_t state[16],
                                 uint32_t count)
{
    uint32_t rounds;
    __asm__ volatile(
        SCALAR_BEGIN(0)
        TEN_TIMES(SCALAR_ROUNDS(SCALAR_COLUMNS) SCALAR_ROUNDS(SCALAR_DIAGONALS))
        SCALAR_END(0, 0)
        : [rounds] "=&r"(rounds)
        : [out] "r"(out), [in] "r"(in), [count] "r"(count), [state] "r"(state)
        : "cc", "memory", SCALAR_CLOBBERS);
}
/* clang-format on */

/* 0 < len <= pass_len <= MOST_BYTES: by one pass, over a copy if it is too long. What follows the
 * copied text is whatever the stack held: its "ciphertext" stays there, and is wiped. */
#define MOST_BYTES 512
PLAIT_INLINE void xor_rest(pass_fn *pass, size_t pass_len, uint8_t *out, const uint8_t *in,
                           size_t len, const uint32_t state[16], uint32_t count)
{
    if (len == pass_len) {
        pass(out, in, state, count);
    } else {
        uint8_t text[MOST_BYTES];
        memcpy(text, in, len);
        pass(text, text, state, count);
        memcpy(out, text, len);
        plait_wipe(text, pass_len);
    }
}

/* Any length: passes over pass_len bytes, then one more, or up to two of one block each. */
PLAIT_INLINE void xor_by_passes(pass_fn *pass, size_t pass_len, uint8_t *out, const uint8_t *in,
                                size_t len, const uint32_t state[16], uint32_t count)
{
    for (; len >= pass_len; len -= pass_len, in += pass_len, out += pass_len) {
        pass(out, in, state, count);
        count += (uint32_t)(pass_len / 64);
    }
    if (len > 128) {
        xor_rest(pass, pass_len, out, in, len, state, count);
        return;
    }
    if (len >= 64) {
        pass1(out, in, state, count);
        len -= 64, in += 64, out += 64, count++;
    }
    if (len > 0) xor_rest(pass1, 64, out, in, len, state, count);
}
