/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: 4 blocks in row layout, quarter rounds in the order ORDER, the turns of the rows in the
 * order TURNS, with scratch registers T0-T3 (all the same where the order allows it). For AArch64.
 *
 *      rows 0..3 of block b: v0-v3, v4-v7, v16-v19, v20-v23 for b = 0..3
 *
 * A quarter round of row vectors is four quarter rounds of one block. One double round is 2 of them
 * for each block, 28 instructions, and 6 turns of rows. Beside the 16 vectors 1 to 4 are scratch, 1
 * the pattern of the rotation by 8.
 */

#include "chacha20_neon_body.h"

/* clang-format off */
#define BLOCKS (0, 1, 2, 3, T0), (4, 5, 6, 7, T1), (16, 17, 18, 19, T2), (20, 21, 22, 23, T3)

PLAIT_NOINLINE static void pass4(uint8_t *out, const uint8_t *in, const uint32_t state[16],
                                 uint32_t count)
{
    uint32_t rounds;
    __asm__ volatile(
        LOAD_STATE(0, 1, 2, 3)
        "ldr q24, [%[k], #32]\n\t"
        COPY(4, 0) COPY(16, 0) COPY(20, 0)
        COPY(5, 1) COPY(17, 1) COPY(21, 1)
        COPY(6, 2) COPY(18, 2) COPY(22, 2)
        OP3("add", V4S, 7, 3, 24) OP3("add", V4S, 19, 7, 24) OP3("add", V4S, 23, 19, 24)
        "ldr q31, [%[k]]\n\t"
        TEN_TIMES(ORDER(BLOCKS) TURNS(TURN_B1, TURN_C2, TURN_D3, BLOCKS)
                  ORDER(BLOCKS) TURNS(TURN_B3, TURN_C2, TURN_D1, BLOCKS))
        LOAD_STATE(24, 25, 26, 27)
        XOR_BLOCK(0, 1, 2, 3) NEXT_BLOCK
        XOR_BLOCK(4, 5, 6, 7) NEXT_BLOCK
        XOR_BLOCK(16, 17, 18, 19) NEXT_BLOCK
        XOR_BLOCK(20, 21, 22, 23)
        : PASS_OPERANDS
        : PASS_INPUTS
        : VECTOR_CLOBBERS);
}
/* clang-format on */
