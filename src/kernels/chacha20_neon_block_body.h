/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: 4 blocks in block layout, quarter rounds in the order ORDER, with scratch registers
 * T0-T3 (all the same where the order allows it). For AArch64.
 *
 *      word i of the four blocks: v0-v7 for i = 0..7, v16-v23 for i = 8..15
 *
 * One double round is 8 quarter rounds of 14 instructions; the diagonals cost nothing but other
 * names. They start with the one that goes through v4, so that each takes its b from the quarter
 * round at its own place in the half before, and step by step nobody waits for one of the three
 * instructions before it. Beside the 16 vectors 1 to 4 are scratch, 1 the pattern of the rotation
 * by 8.
 */

#include "chacha20_neon_body.h"

/* clang-format off */
#define COLUMNS (0, 4, 16, 20, T0), (1, 5, 17, 21, T1), (2, 6, 18, 22, T2), (3, 7, 19, 23, T3)
#define DIAGONALS (3, 4, 17, 22, T0), (0, 5, 18, 23, T1), (1, 6, 19, 20, T2), (2, 7, 16, 21, T3)

#define BLOCKS_BEGIN                                                                               \
    LOAD_STATE(24, 25, 26, 27)                                                                     \
    LOAD2(31, 28, "k", 0)                                                                          \
    SPREAD(24, 0, 1, 2, 3)                                                                         \
    SPREAD(25, 4, 5, 6, 7)                                                                         \
    SPREAD(26, 16, 17, 18, 19)                                                                     \
    SPREAD(27, 20, 21, 22, 23)                                                                     \
    ADD(20, 28)

#define BLOCKS_END                                                                                 \
    TRANSPOSE(0, 1, 2, 3, 28, 29, 30, 31)                                                          \
    TRANSPOSE(4, 5, 6, 7, 28, 29, 30, 31)                                                          \
    TRANSPOSE(16, 17, 18, 19, 28, 29, 30, 31)                                                      \
    TRANSPOSE(20, 21, 22, 23, 28, 29, 30, 31)                                                      \
    LOAD_STATE(24, 25, 26, 27)                                                                     \
    XOR_BLOCK(0, 4, 16, 20) NEXT_BLOCK                                                             \
    XOR_BLOCK(1, 5, 17, 21) NEXT_BLOCK                                                             \
    XOR_BLOCK(2, 6, 18, 22) NEXT_BLOCK                                                             \
    XOR_BLOCK(3, 7, 19, 23)

PLAIT_NOINLINE static void pass4(uint8_t *out, const uint8_t *in, const uint32_t state[16],
                                 uint32_t count)
{
    uint32_t rounds;
    __asm__ volatile(
        BLOCKS_BEGIN
        TEN_TIMES(ORDER(COLUMNS) ORDER(DIAGONALS))
        BLOCKS_END
        : PASS_OPERANDS
        : PASS_INPUTS
        : VECTOR_CLOBBERS);
}
/* clang-format on */
