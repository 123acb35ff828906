/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_neon_wide: ChaCha20 with NEON and general registers, 8 blocks in flight. For wide
 * AArch64 cores: Apple's, Neoverse V1, Cortex-X, and by model as good as any other on Neoverse N1
 * and N2.
 *
 *      blocks 0-3   block layout, word i in v(i), i = 0..15
 *      block 4, 5   row layout, v16-v19 and v20-v23
 *      block 6, 7   general registers, one after the other: a double round of it beside each half
 * of a double round of the vectors
 *
 * Four blocks in flight (JDK-8350126) are four chains of 28 dependent instructions of 2 cycles each
 * per double round: 56 cycles, however many pipes there are. Six blocks of vectors keep three pipes
 * busy for that long, and the two scalar blocks use the integer pipes. Four blocks in block layout
 * and two in row layout are 180 vector instructions where six in row layout are 204; two passes of
 * block layout would need more registers than there are.
 *
 * All 32 vector registers are used: v24-v29 scratch, v31 the pattern of the rotation by 8.
 *
 * Order: chains C (rows) first, as they also have to turn; A one step and B three steps behind
 * them, so that not all chains want the shift pipes at once; a scalar instruction between any two.
 */
#include "../kernel.h"

#if PLAIT_BUILD_AARCH64
#define ROT8_STEP9  STEP9
#define ROT8_STEP10 STEP10
#define ROT8_STEP11 IDLE
#include "chacha20_neon_scalar_body.h"

/* clang-format off */

/* One step each of chains C, A, B, and one and a half of the four scalar chains. */
#define SLOT_ODD(c, a, b, p, q, c0, c1, a0, a1, b0, b1, s0, s1, s2, s3)                            \
    c c0 p s0 c c1 p s1 a a0 p s2 a a1 p s3 b b0 q s0 b b1 q s1
#define SLOT_EVEN(c, a, b, p, q, c0, c1, a0, a1, b0, b1, s0, s1, s2, s3)                           \
    c c0 p s2 c c1 p s3 a a0 q s0 a a1 q s1 b b0 q s2 b b1 q s3

/* Half a double round of the vectors, a whole one of the scalar block. */
#define HALF(turn_b, turn_c, turn_d, ...)                                                          \
    ODD(STEP1, IDLE, IDLE, SCALAR1, SCALAR2, __VA_ARGS__, SCALAR_COLUMNS)                          \
    EVEN(STEP2, STEP1, IDLE, SCALAR2, SCALAR3, __VA_ARGS__, SCALAR_COLUMNS)                        \
    ODD(STEP3, STEP2, IDLE, SCALAR4, SCALAR5, __VA_ARGS__, SCALAR_COLUMNS)                         \
    EVEN(STEP4, STEP3, STEP1, SCALAR5, SCALAR6, __VA_ARGS__, SCALAR_COLUMNS)                       \
    ODD(STEP5, STEP4, STEP2, SCALAR7, SCALAR8, __VA_ARGS__, SCALAR_COLUMNS)                        \
    EVEN(STEP6, STEP5, STEP3, SCALAR8, SCALAR9, __VA_ARGS__, SCALAR_COLUMNS)                       \
    ODD(STEP7, STEP6, STEP4, SCALAR10, SCALAR11, __VA_ARGS__, SCALAR_COLUMNS)                      \
    EVEN(STEP8, STEP7, STEP5, SCALAR11, SCALAR12, __VA_ARGS__, SCALAR_COLUMNS)                     \
    ODD(STEP9, STEP8, STEP6, SCALAR1, SCALAR2, __VA_ARGS__, SCALAR_DIAGONALS)                      \
    EVEN(STEP10, STEP9, STEP7, SCALAR2, SCALAR3, __VA_ARGS__, SCALAR_DIAGONALS)                    \
    ODD(STEP11, STEP10, STEP8, SCALAR4, SCALAR5, __VA_ARGS__, SCALAR_DIAGONALS)                    \
    EVEN(STEP12, STEP11, STEP9, SCALAR5, SCALAR6, __VA_ARGS__, SCALAR_DIAGONALS)                   \
    ODD(STEP13, STEP12, STEP10, SCALAR7, SCALAR8, __VA_ARGS__, SCALAR_DIAGONALS)                   \
    EVEN(STEP14, STEP13, STEP11, SCALAR8, SCALAR9, __VA_ARGS__, SCALAR_DIAGONALS)                  \
    ODD(turn_b, STEP14, STEP12, SCALAR10, SCALAR11, __VA_ARGS__, SCALAR_DIAGONALS)                 \
    EVEN(turn_c, IDLE, STEP13, SCALAR11, SCALAR12, __VA_ARGS__, SCALAR_DIAGONALS)                  \
    ODD(turn_d, IDLE, STEP14, IDLE, IDLE, __VA_ARGS__, SCALAR_DIAGONALS)
#define ODD(...) SLOT_ODD(__VA_ARGS__)
#define EVEN(...) SLOT_EVEN(__VA_ARGS__)

#define ROWS (16, 17, 18, 19, 28), (20, 21, 22, 23, 29)
#define COLUMNS_16 (0, 4, 8, 12, 24), (1, 5, 9, 13, 25), (2, 6, 10, 14, 26), (3, 7, 11, 15, 27)
#define DIAGONALS_16 (3, 4, 9, 14, 24), (0, 5, 10, 15, 25), (1, 6, 11, 12, 26), (2, 7, 8, 13, 27)

/* The row with the counter of block number `block` of the pass. */
#define COUNT_OF(d, block) "add w21, %w[count], #" STR(block) "\n\tmov v" STR(d) ".s[0], w21\n\t"

/* A pass over 8 blocks: out = in xor keystream, from the block with this counter on. */
PLAIT_NOINLINE static void pass8(uint8_t *out, const uint8_t *in, const uint32_t state[16],
                                 uint32_t count)
{
    uint32_t rounds;
    __asm__ volatile(
        LOAD_STATE(24, 25, 26, 27)
        LOAD2(31, 28, "k", 0)
        SPREAD(24, 0, 1, 2, 3)
        SPREAD(25, 4, 5, 6, 7)
        SPREAD(26, 8, 9, 10, 11)
        SPREAD(27, 12, 13, 14, 15)
        ADD(12, 28)
        COPY(16, 24) COPY(17, 25) COPY(18, 26) COPY(19, 27) COUNT_OF(19, 4)
        COPY(20, 24) COPY(21, 25) COPY(22, 26) COPY(23, 27) COUNT_OF(23, 5)
        SCALAR_BEGIN(6)
        "mov %w[rounds], #10\n"
        "1:\n\t"
        HALF(TURN_B1, TURN_C2, TURN_D3, ROWS, COLUMNS_16)
        HALF(TURN_B3, TURN_C2, TURN_D1, ROWS, DIAGONALS_16)
        "subs %w[rounds], %w[rounds], #1\n\t"
        "b.eq 2f\n\t"
        "cmp %w[rounds], #5\n\t"
        "b.ne 1b\n\t"
        SCALAR_END(6, 384)
        SCALAR_BEGIN(7)
        "b 1b\n"
        "2:\n\t"
        SCALAR_END(7, 448)
        TRANSPOSE(0, 1, 2, 3, 28, 29, 30, 31)
        TRANSPOSE(4, 5, 6, 7, 28, 29, 30, 31)
        TRANSPOSE(8, 9, 10, 11, 28, 29, 30, 31)
        TRANSPOSE(12, 13, 14, 15, 28, 29, 30, 31)
        LOAD_STATE(24, 25, 26, 27)
        XOR_BLOCK(0, 4, 8, 12) NEXT_BLOCK
        XOR_BLOCK(1, 5, 9, 13) NEXT_BLOCK
        XOR_BLOCK(2, 6, 10, 14) NEXT_BLOCK
        XOR_BLOCK(3, 7, 11, 15) NEXT_BLOCK
        XOR_BLOCK(16, 17, 18, 19) NEXT_BLOCK
        XOR_BLOCK(20, 21, 22, 23)
        : PASS_OPERANDS
        : PASS_INPUTS
        : VECTOR_CLOBBERS, SCALAR_CLOBBERS, "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15");
}
/* clang-format on */

static void xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    uint32_t count = state[12];
    for (; len >= 512; len -= 512, in += 512, out += 512, count += 8) pass8(out, in, state, count);
    if (len > 320)
        xor_rest(pass8, 512, out, in, len, state, count);
    else
        xor_by_passes5(out, in, len, state, count);
}

const plait_kernel plait_chacha20_neon_wide = {
    PLAIT_KERNEL_ID(chacha20, neon_wide), PLAIT_NEEDS(neon),
    .avoids = PLAIT_CPU_slow_tbl | PLAIT_CPU_in_order, .width = 8,
    .fn.chacha20 = {.xor_stream = xor_stream}};

#else

const plait_kernel plait_chacha20_neon_wide = {PLAIT_KERNEL_ID(chacha20, neon_wide),
                                               PLAIT_NOT_BUILT(neon)};

#endif
