/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: 4 blocks in block layout, quarter rounds in the order ORDER. For AArch64.
 *
 *      word i of the four blocks: v0-v7 for i = 0..7, v16-v23 for i = 8..15
 *
 * One double round is 8 quarter rounds of 14 instructions; the diagonals cost nothing but other
 * names. Beside the 16 vectors 4 are scratch, 1 the pattern of the rotation by 8.
 */

#include "chacha20_neon_body.h"

/* clang-format off */
#define COLUMN0 (0, 4, 16, 20, T0)
#define COLUMN1 (1, 5, 17, 21, T1)
#define COLUMN2 (2, 6, 18, 22, T2)
#define COLUMN3 (3, 7, 19, 23, T3)
#define DIAGONAL0 (0, 5, 18, 23, T0)
#define DIAGONAL1 (1, 6, 19, 20, T1)
#define DIAGONAL2 (2, 7, 16, 21, T2)
#define DIAGONAL3 (3, 4, 17, 22, T3)

static void pass4(uint8_t *out, const uint8_t *in, const uint32_t state[16], uint32_t count)
{
    uint32_t rounds;
    __asm__ volatile(
        LOAD_STATE(24, 25, 26, 27)
        LOAD2(31, 28, "k", 0)
        SPREAD(24, 0, 1, 2, 3)
        SPREAD(25, 4, 5, 6, 7)
        SPREAD(26, 16, 17, 18, 19)
        SPREAD(27, 20, 21, 22, 23)
        ADD(20, 28)
        TEN_TIMES(ORDER(COLUMN0, COLUMN1, COLUMN2, COLUMN3)
                  ORDER(DIAGONAL0, DIAGONAL1, DIAGONAL2, DIAGONAL3))
        TRANSPOSE(0, 1, 2, 3, 28, 29, 30, 31)
        TRANSPOSE(4, 5, 6, 7, 28, 29, 30, 31)
        TRANSPOSE(16, 17, 18, 19, 28, 29, 30, 31)
        TRANSPOSE(20, 21, 22, 23, 28, 29, 30, 31)
        LOAD_STATE(24, 25, 26, 27)
        XOR_BLOCK(0, 4, 16, 20) NEXT_BLOCK
        XOR_BLOCK(1, 5, 17, 21) NEXT_BLOCK
        XOR_BLOCK(2, 6, 18, 22) NEXT_BLOCK
        XOR_BLOCK(3, 7, 19, 23)
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
