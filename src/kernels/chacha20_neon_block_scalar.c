/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_neon_block_scalar: ChaCha20 with NEON in block layout and one block in general registers
 * beside it: 5 in flight. For AArch64 cores with two vector pipes or less and a slow table lookup,
 * Cortex-A72 and kin: the rotation by 8 is a shift and a shift with insertion here (on Cortex-A57
 * and A72 a lookup is three operations and takes six cycles).
 *
 * The OpenSSL project published cycles per byte for its kernels of this shape (4 + 1) and of the
 * next (6 + 2), April 2019: Cortex-A57 4.15 and 4.40, Cortex-A53 4.06 and 4.45, Apple A7 2.72 and
 * 1.60. So this one is for the small cores, chacha20_neon_wide for the wide ones.
 */
#include "../kernel.h"

#if PLAIT_BUILD_AARCH64
#define ROT8_STEP9  ROT8_SHIFT1
#define ROT8_STEP10 ROT8_SHIFT2
#define ROT8_STEP11 ROT8_SHIFT3
#include "chacha20_neon_scalar_body.h"

static void xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    xor_by_passes5(out, in, len, state, state[12]);
}

const plait_kernel plait_chacha20_neon_block_scalar = {PLAIT_KERNEL_ID(chacha20, neon_block_scalar),
                                                       PLAIT_NEEDS(neon),
                                                       .avoids = PLAIT_CPU_in_order, .width = 5,
                                                       .fn.chacha20 = {.xor_stream = xor_stream}};

#else

const plait_kernel plait_chacha20_neon_block_scalar = {PLAIT_KERNEL_ID(chacha20, neon_block_scalar),
                                                       PLAIT_NOT_BUILT(neon)};

#endif
