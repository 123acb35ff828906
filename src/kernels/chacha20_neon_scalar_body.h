/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: 4 blocks in block layout, and a fifth in general registers beside them. For AArch64.
 *
 *      word i of blocks 0..3: v0-v7 for i = 0..7, v16-v23 for i = 8..15
 *      word i of block 4: w3-w17 and w20 (see chacha20_neon_body.h); w21-w24 counts of rotation
 *
 * Four chains of vector instructions leave the integer units idle, and on most cores decode and
 * retire slots as well. One scalar double round is 96 instructions beside the 112 of four blocks.
 * The kernel says how vectors rotate by 8, in three steps: ROT8_STEP9, ROT8_STEP10, ROT8_STEP11.
 *
 * Order: the two vector chains B are two steps behind the two chains A, so that shifts, which have
 * one pipe on Neoverse N1 and Cortex-A76, meet additions of the others (by model the same four in
 * step cost 64 cycles a double round there, and these 56). Vector and scalar instructions
 * alternate.
 */

#define ORDER STEP_BY_STEP
#define T0    24
#define T1    25
#define T2    26
#define T3    27
#include "chacha20_neon_block_body.h"

/* clang-format off */

/* ---- the schedule ---- */

#define IDLE(...)

/* One step of chains A, one of chains B, one of the four scalar chains. */
#define SLOT(a, b, s, a0, a1, b0, b1, s0, s1, s2, s3) a a0 s s0 a a1 s s1 b b0 s s2 b b1 s s3

/* Four quarter rounds of vectors and the four of the scalar block beside them. */
#define QUARTER_ROUNDS(...)                                                                        \
    SLOT(STEP1, IDLE, SCALAR1, __VA_ARGS__)                                                        \
    SLOT(STEP2, IDLE, SCALAR2, __VA_ARGS__)                                                        \
    SLOT(STEP3, STEP1, SCALAR3, __VA_ARGS__)                                                       \
    SLOT(STEP4, STEP2, SCALAR4, __VA_ARGS__)                                                       \
    SLOT(STEP5, STEP3, IDLE, __VA_ARGS__)                                                          \
    SLOT(STEP6, STEP4, SCALAR5, __VA_ARGS__)                                                       \
    SLOT(STEP7, STEP5, IDLE, __VA_ARGS__)                                                          \
    SLOT(STEP8, STEP6, SCALAR6, __VA_ARGS__)                                                       \
    SLOT(ROT8_STEP9, STEP7, IDLE, __VA_ARGS__)                                                     \
    SLOT(ROT8_STEP10, STEP8, SCALAR7, __VA_ARGS__)                                                 \
    SLOT(ROT8_STEP11, ROT8_STEP9, SCALAR8, __VA_ARGS__)                                            \
    SLOT(STEP11, ROT8_STEP10, IDLE, __VA_ARGS__)                                                   \
    SLOT(STEP12, ROT8_STEP11, SCALAR9, __VA_ARGS__)                                                \
    SLOT(STEP13, STEP11, IDLE, __VA_ARGS__)                                                        \
    SLOT(STEP14, STEP12, SCALAR10, __VA_ARGS__)                                                    \
    SLOT(IDLE, STEP13, SCALAR11, __VA_ARGS__)                                                      \
    SLOT(IDLE, STEP14, SCALAR12, __VA_ARGS__)

/* A pass over 5 blocks: out = in xor keystream, from the block with this counter on. */
PLAIT_NOINLINE static void pass5(uint8_t *out, const uint8_t *in, const uint32_t state[16],
                                 uint32_t count)
{
    uint32_t rounds;
    __asm__ volatile(
        BLOCKS_BEGIN
        SCALAR_BEGIN(4)
        TEN_TIMES(QUARTER_ROUNDS(COLUMNS, SCALAR_COLUMNS)
                  QUARTER_ROUNDS(DIAGONALS, SCALAR_DIAGONALS))
        SCALAR_END(4, 256)
        BLOCKS_END
        : PASS_OPERANDS
        : PASS_INPUTS
        : VECTOR_CLOBBERS, SCALAR_CLOBBERS);
}
/* clang-format on */

/* Any length: passes over 5 blocks, then what is quickest for the rest. */
PLAIT_INLINE void xor_by_passes5(uint8_t *out, const uint8_t *in, size_t len,
                                 const uint32_t state[16], uint32_t count)
{
    for (; len >= 320; len -= 320, in += 320, out += 320, count += 5) pass5(out, in, state, count);
    if (len > 256)
        xor_rest(pass5, 320, out, in, len, state, count);
    else
        xor_by_passes(pass4, 256, out, in, len, state, count);
}
