/* SPDX-License-Identifier: Apache-2.0
 *
 * ghash_pclmul - GHASH with carry-less multiplication on 128-bit vectors: Intel since Westmere
 * (2010), AMD since Bulldozer (2011).
 *
 * Eight blocks by the powers H^8 to H^1, summed up, one reduction: 3.25 multiplications a block
 * (Karatsuba) instead of the 5 of ghash_pclmul_single, and the latency of the reduction once in
 * eight blocks. More than eight do not pay: the reduction is a thirteenth of the multiplications by
 * then, and powers cost time in the key's setup. Mathematics and layout of the area:
 * ghash_pclmul_body.h.
 *
 * Registers: 3 of sums, acc, 2 blocks and their temporaries; the powers are operands in memory.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("pclmul,ssse3")
#include "ghash_pclmul_body.h"

enum { AREA_POWERS = GHASH_BYTES }; /* how many powers were made, one 32-bit word */

static void init(uint8_t area[PLAIT_GHASH_AREA], const uint8_t h[16], size_t max_len)
{
    plait_store32_le(area + AREA_POWERS,
                     ghash_powers(area, load(h), max_len / 16 + (max_len % 16 != 0)));
}

static void update(const uint8_t area[PLAIT_GHASH_AREA], uint8_t acc[16], const uint8_t *data,
                   size_t len)
{
    if (len > 0)
        store(acc, reverse(ghash_absorb(area, plait_load32_le(area + AREA_POWERS),
                                        reverse(load(acc)), data, len)));
}

PLAIT_TARGET_END

const plait_kernel plait_ghash_pclmul = {PLAIT_KERNEL_ID(ghash, pclmul), PLAIT_NEEDS(pclmul, ssse3),
                                         .width = 8, .fn.ghash = {.init = init, .update = update}};

#else
const plait_kernel plait_ghash_pclmul = {PLAIT_KERNEL_ID(ghash, pclmul),
                                         PLAIT_NOT_BUILT(pclmul, ssse3)};
#endif
