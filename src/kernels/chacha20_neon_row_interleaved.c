/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_neon_row_interleaved: ChaCha20 with NEON in row layout, 4 blocks in flight, each step of
 * the quarter round for all four before the next. The same instructions as chacha20_neon_row.
 */
#include "../kernel.h"

#if PLAIT_BUILD_AARCH64
#define ORDER STEP_BY_STEP
#define TURNS TURNS_STEP_BY_STEP
#define T0    24
#define T1    25
#define T2    26
#define T3    27
#include "chacha20_neon_row_body.h"

static void xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    xor_by_passes(pass4, 256, out, in, len, state, state[12]);
}

const plait_kernel plait_chacha20_neon_row_interleaved = {
    PLAIT_KERNEL_ID(chacha20, neon_row_interleaved), PLAIT_NEEDS(neon), .width = 4,
    .fn.chacha20 = {.xor_stream = xor_stream}};

#else

const plait_kernel plait_chacha20_neon_row_interleaved = {
    PLAIT_KERNEL_ID(chacha20, neon_row_interleaved), PLAIT_NOT_BUILT(neon)};

#endif
