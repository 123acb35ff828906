/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_neon_block_interleaved: ChaCha20 with NEON in block layout, 4 blocks in flight, each
 * step of four quarter rounds before the next: the order of JDK-8350126, the best of its four on
 * Cortex-A72, Neoverse N1 and Apple M1. The same instructions as chacha20_neon_block but for 3 more
 * scratch registers.
 */
#include "../kernel.h"

#if PLAIT_BUILD_AARCH64
#define ORDER STEP_BY_STEP
#define T0    24
#define T1    25
#define T2    26
#define T3    27
#include "chacha20_neon_block_body.h"

static void xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    xor_by_passes(pass4, 256, out, in, len, state, state[12]);
}

const plait_kernel plait_chacha20_neon_block_interleaved = {
    PLAIT_KERNEL_ID(chacha20, neon_block_interleaved), PLAIT_NEEDS(neon), .width = 4,
    .fn.chacha20 = {.xor_stream = xor_stream}};

#else

const plait_kernel plait_chacha20_neon_block_interleaved = {
    PLAIT_KERNEL_ID(chacha20, neon_block_interleaved), PLAIT_NOT_BUILT(neon)};

#endif
