/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_neon_row: ChaCha20 with NEON in row layout, 4 blocks in flight, one quarter round after
 * the other: the order in which JDK-8349106 has it. Here to be compared with: neighbouring
 * instructions depend on each other, and only a core with a large window finds the other blocks.
 */
#include "../kernel.h"

#if PLAIT_BUILD_AARCH64
#define ORDER ONE_BY_ONE
#define TURNS TURNS_ONE_BY_ONE
#define T0    24
#define T1    24
#define T2    24
#define T3    24
#include "chacha20_neon_row_body.h"

static void xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    xor_by_passes(pass4, 256, out, in, len, state, state[12]);
}

const plait_kernel plait_chacha20_neon_row = {PLAIT_KERNEL_ID(chacha20, neon_row),
                                              PLAIT_NEEDS(neon), .width = 4,
                                              .fn.chacha20 = {.xor_stream = xor_stream}};

#else

const plait_kernel plait_chacha20_neon_row = {PLAIT_KERNEL_ID(chacha20, neon_row),
                                              PLAIT_NOT_BUILT(neon)};

#endif
