/* SPDX-License-Identifier: Apache-2.0
 *
 * ChaCha20 in row layout, for 1 to 4 groups of vectors in flight: a template for x86-64.
 *
 * A vector holds one row (four words) of the state of ROW_LANES blocks, one block in each 128-bit
 * lane:
 *
 *            lane 0            lane 1 ...
 *      a   w0  w1  w2  w3  |  the same of the next block
 *      b   w4  w5  w6  w7  |
 *      c   w8  w9  w10 w11 |
 *      d   w12 w13 w14 w15 |  w12 = counter + lane
 *
 * One quarter round on (a, b, c, d) does the four columns of each block. For the diagonals the rows
 * are turned against each other: a by 3 words, d by 2, c by 1. To turn b, c, d by 1, 2, 3 would
 * come to the same, but b is what a quarter round makes last and what the next one needs first: its
 * turn would lengthen the chain of dependent instructions, which is what bounds a few blocks; a, c
 * and d are turned while b is still being made.
 *
 * A group is four such vectors. Each step is written for all groups before the next step, so that
 * the chains of the groups fill each other's gaps in program order, for cores that do not look far
 * ahead.
 *
 * Made here are ROW(1), .. ROW(ROW_MAX), for so many groups, and ROW(stream), for any length. The
 * including file defines:
 *   ROW(name)                     the names of the functions made here
 *   ROW_V, ROW_LANES              the vector type, its 128-bit lanes
 *   ROW_ADD(x, y), ROW_XOR(x, y)  32-bit words
 *   ROW_ROT16(x), ROW_ROT12(x), ROW_ROT8(x), ROW_ROT7(x)   32-bit words rotated left
 *   ROW_TURN(x, n)                word i of each lane becomes word (i + n) mod 4
 *   ROW_ALL(p)                    the 16 bytes at p in every lane
 *   ROW_ALL4(w0, w1, w2, w3)      these four words in every lane
 *   ROW_COUNT(n)                  word 0 of lane i: n + i, for a constant n; all other words 0
 *   ROW_ORDER(a, b, c, d)         statement: from rows to the order of the stream, in place
 *   ROW_LOAD(p), ROW_STORE(p, x)  unaligned
 *   ROW_SOME(out, in, len, x)     xors and writes min(len, size of a vector) bytes, perhaps none;
 *   without it, the
 *                                 keystream passes through memory where the blocks in flight are
 *                                 not all used
 *   ROW_MAX                       groups that the widest function should take, 2 to 4
 */
#define ROW_EACH1(F) F(0)
#define ROW_EACH2(F) F(0) F(1)
#define ROW_EACH3(F) F(0) F(1) F(2)
#define ROW_EACH4(F) F(0) F(1) F(2) F(3)

#define ROW_A_ADD_B(g) a##g = ROW_ADD(a##g, b##g);
#define ROW_C_ADD_D(g) c##g = ROW_ADD(c##g, d##g);
#define ROW_D_XOR_A(g) d##g = ROW_XOR(d##g, a##g);
#define ROW_B_XOR_C(g) b##g = ROW_XOR(b##g, c##g);
#define ROW_D_ROT16(g) d##g = ROW_ROT16(d##g);
#define ROW_B_ROT12(g) b##g = ROW_ROT12(b##g);
#define ROW_D_ROT8(g) d##g = ROW_ROT8(d##g);
#define ROW_B_ROT7(g) b##g = ROW_ROT7(b##g);

#define ROW_QUARTER_ROUND(EACH)                                                                    \
    EACH(ROW_A_ADD_B) EACH(ROW_D_XOR_A) EACH(ROW_D_ROT16)                                          \
    EACH(ROW_C_ADD_D) EACH(ROW_B_XOR_C) EACH(ROW_B_ROT12)                                          \
    EACH(ROW_A_ADD_B) EACH(ROW_D_XOR_A) EACH(ROW_D_ROT8)                                           \
    EACH(ROW_C_ADD_D) EACH(ROW_B_XOR_C) EACH(ROW_B_ROT7)

/* The empty asm keeps Clang from moving a turn through the next xor, to join it with the byte
 * shuffle of a rotation: that doubles the rotation. */
#define ROW_TURNED(g, by_a, by_c)                                                                  \
    a##g = ROW_TURN(a##g, by_a);                                                                   \
    d##g = ROW_TURN(d##g, 2);                                                                      \
    c##g = ROW_TURN(c##g, by_c);                                                                   \
    __asm__("" : "+v"(a##g), "+v"(c##g), "+v"(d##g));
#define ROW_TO_DIAGONALS(g) ROW_TURNED(g, 3, 1)
#define ROW_TO_COLUMNS(g) ROW_TURNED(g, 1, 3)

#define ROW_D_START(g) ROW_ADD(row3, ROW_COUNT((g)*ROW_LANES))
#define ROW_START(g) ROW_V a##g = row0, b##g = row1, c##g = row2, d##g = ROW_D_START(g);
#define ROW_FEED_FORWARD(g)                                                                        \
    a##g = ROW_ADD(a##g, row0);                                                                    \
    b##g = ROW_ADD(b##g, row1);                                                                    \
    c##g = ROW_ADD(c##g, row2);                                                                    \
    d##g = ROW_ADD(d##g, ROW_D_START(g));                                                          \
    ROW_ORDER(a##g, b##g, c##g, d##g);
#define ROW_ROUNDS(EACH)                                                                           \
    for (int i = 0; i < 10; i++) {                                                                 \
        ROW_QUARTER_ROUND(EACH)                                                                    \
        EACH(ROW_TO_DIAGONALS)                                                                     \
        ROW_QUARTER_ROUND(EACH)                                                                    \
        EACH(ROW_TO_COLUMNS)                                                                       \
    }
/* From the start rows row0 .. row3 to keystream: a0, b0, c0, d0, a1, ... in the order of the
 * stream. */
#define ROW_KEYSTREAM(EACH)                                                                        \
    EACH(ROW_START)                                                                                \
    ROW_ROUNDS(EACH)                                                                               \
    EACH(ROW_FEED_FORWARD)

#define ROW_BYTES ((size_t)16 * ROW_LANES)
#define ROW_OUT(i, x) ROW_STORE(out + ROW_BYTES * (i), ROW_XOR(x, ROW_LOAD(in + ROW_BYTES * (i))));
#define ROW_ALL_OUT(g)                                                                             \
    ROW_OUT(4 * g + 0, a##g)                                                                       \
    ROW_OUT(4 * g + 1, b##g)                                                                       \
    ROW_OUT(4 * g + 2, c##g)                                                                       \
    ROW_OUT(4 * g + 3, d##g)

#define ROW_LEFT(i) (len > ROW_BYTES * (i) ? len - ROW_BYTES * (i) : 0)
#define ROW_SOME_OUT1(i, x) ROW_SOME(out + ROW_BYTES * (i), in + ROW_BYTES * (i), ROW_LEFT(i), x);
#define ROW_SOME_OUT(g)                                                                            \
    ROW_SOME_OUT1(4 * g + 0, a##g)                                                                 \
    ROW_SOME_OUT1(4 * g + 1, b##g)                                                                 \
    ROW_SOME_OUT1(4 * g + 2, c##g)                                                                 \
    ROW_SOME_OUT1(4 * g + 3, d##g)

#define ROW_SAVE(g)                                                                                \
    ROW_STORE(ks + ROW_BYTES * (4 * g + 0), a##g);                                                 \
    ROW_STORE(ks + ROW_BYTES * (4 * g + 1), b##g);                                                 \
    ROW_STORE(ks + ROW_BYTES * (4 * g + 2), c##g);                                                 \
    ROW_STORE(ks + ROW_BYTES * (4 * g + 3), d##g);
#define ROW_THROUGH_MEMORY(groups, EACH)                                                           \
    uint8_t ks[64 * ROW_LANES * groups];                                                           \
    EACH(ROW_SAVE)                                                                                 \
    xor_bytes(out, in, ks, len);                                                                   \
    wipe128(ks, sizeof ks);

#ifdef ROW_SOME
#define ROW_PART(groups, EACH) EACH(ROW_SOME_OUT)
#else
#define ROW_PART ROW_THROUGH_MEMORY
#endif

/* The start state is read twice: to keep it would take registers that there are not, so that the
 * key would go to the stack and stay there. */
#define ROW_LOAD_STATE(r0, r1, r2, r3)                                                             \
    r0 = ROW_ALL(state), r1 = ROW_ALL(state + 4), r2 = ROW_ALL(state + 8),                         \
    r3 = ROW_ALL4(state_word(state, 12) + done, state_word(state, 13),                             \
                  plait_barrier32(state_word(state, 14)), state_word(state, 15))
#define ROW_LOAD_STATE_AGAIN                                                                       \
    __asm__("" : "+r"(state));                                                                     \
    ROW_LOAD_STATE(row0, row1, row2, row3);

/* Row 3 is gathered word by word: callers have just written nonce and counter, in smaller pieces
 * than 16 bytes, and a load that spans several stores in flight waits for all of them to reach the
 * cache (x86 in general), which would keep short messages from overlapping. The barrier keeps Clang
 * from making one load of it again.
 *
 * out = in xor the keystream from block (start of state) + done on; len <= 64 * ROW_LANES * groups.
 */
#define ROW_FUNCTION(groups, EACH)                                                                 \
    PLAIT_NOINLINE PLAIT_UNUSED static void ROW(groups)(                                           \
        uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16], uint32_t done)      \
    {                                                                                              \
        ROW_V ROW_LOAD_STATE(row0, row1, row2, row3);                                              \
        EACH(ROW_START)                                                                            \
        ROW_ROUNDS(EACH)                                                                           \
        ROW_LOAD_STATE_AGAIN                                                                       \
        EACH(ROW_FEED_FORWARD)                                                                     \
        if (len == 64 * ROW_LANES * groups) {                                                      \
            EACH(ROW_ALL_OUT)                                                                      \
        } else {                                                                                   \
            ROW_PART(groups, EACH)                                                                 \
        }                                                                                          \
    }

ROW_FUNCTION(1, ROW_EACH1)
ROW_FUNCTION(2, ROW_EACH2)
#define ROW_WIDEST ROW(2)
#if ROW_MAX >= 3
ROW_FUNCTION(3, ROW_EACH3)
#undef ROW_WIDEST
#define ROW_WIDEST ROW(3)
#endif
#if ROW_MAX >= 4
ROW_FUNCTION(4, ROW_EACH4)
#undef ROW_WIDEST
#define ROW_WIDEST ROW(4)
#endif

/* The whole of xor_stream with these functions. */
PLAIT_UNUSED static void ROW(stream)(uint8_t *out, const uint8_t *in, size_t len,
                                     const uint32_t state[16])
{
    const size_t group = 64 * ROW_LANES, all = group * ROW_MAX;
    uint32_t done = 0;
    for (; len >= all; out += all, in += all, len -= all, done += ROW_LANES * ROW_MAX)
        ROW_WIDEST(out, in, all, state, done);
#if ROW_MAX >= 4
    if (len > 3 * group)
        ROW(4)(out, in, len, state, done);
    else
#endif
#if ROW_MAX >= 3
    if (len > 2 * group)
        ROW(3)(out, in, len, state, done);
    else
#endif
    if (len > group)
        ROW(2)(out, in, len, state, done);
    else if (len > 0)
        ROW(1)(out, in, len, state, done);
}

#undef ROW
#undef ROW_MAX
#undef ROW_WIDEST
