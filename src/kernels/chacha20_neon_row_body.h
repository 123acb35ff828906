/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: 4 blocks in row layout, quarter rounds in the order ORDER, the turns of the rows in the
 * order TURNS. For AArch64.
 *
 *      rows 0..3 of block b: v0-v3, v4-v7, v16-v19, v20-v23 for b = 0..3
 *
 * A quarter round of row vectors is four quarter rounds of one block. One double round is 2 of them
 * for each block, 28 instructions, and 6 turns of rows. Beside the 16 vectors 4 are scratch, 1 the
 * pattern of the rotation by 8.
 */

#include "chacha20_neon_body.h"

/* clang-format off */
#define BLOCK0 (0, 1, 2, 3, T0)
#define BLOCK1 (4, 5, 6, 7, T1)
#define BLOCK2 (16, 17, 18, 19, T2)
#define BLOCK3 (20, 21, 22, 23, T3)

static void pass4(uint8_t *out, const uint8_t *in, const uint32_t state[16], uint32_t count)
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
        TEN_TIMES(ORDER(BLOCK0, BLOCK1, BLOCK2, BLOCK3)
                  TURNS(TURN_B1, TURN_C2, TURN_D3, BLOCK0, BLOCK1, BLOCK2, BLOCK3)
                  ORDER(BLOCK0, BLOCK1, BLOCK2, BLOCK3)
                  TURNS(TURN_B3, TURN_C2, TURN_D1, BLOCK0, BLOCK1, BLOCK2, BLOCK3))
        LOAD_STATE(24, 25, 26, 27)
        XOR_BLOCK(0, 1, 2, 3) NEXT_BLOCK
        XOR_BLOCK(4, 5, 6, 7) NEXT_BLOCK
        XOR_BLOCK(16, 17, 18, 19) NEXT_BLOCK
        XOR_BLOCK(20, 21, 22, 23)
        : [out] "+r"(out), [in] "+r"(in), [count] "+r"(count), [rounds] "=&r"(rounds)
        : [state] "r"(state), [k] "r"(&k)
        : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19",
          "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}
/* clang-format on */

static void xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    xor_by_4(out, in, len, state, state[12]);
}
