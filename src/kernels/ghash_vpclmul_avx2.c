/* SPDX-License-Identifier: Apache-2.0
 *
 * ghash_vpclmul_avx2 - GHASH with VPCLMULQDQ on 256-bit vectors, 16 blocks to a reduction, for CPUs
 * that have it without AVX-512: AMD Zen 3, Intel since Alder Lake.
 *
 * Up to 20 blocks in one pass with one reduction, longer inputs by groups of 16 with the two lanes
 * kept apart until the end. Registers: 3 of sums, the pending vector, 2 blocks and their
 * temporaries; the powers are read where they are used. Mathematics, layout of the powers and all
 * of the code: ghash_vpclmul_body.h.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx2,vpclmulqdq,pclmul")
#include "v256_body.h"
#include "ghash_vpclmul_body.h"

typedef char area_fits[GHASHV_BYTES <= PLAIT_GHASH_AREA ? 1 : -1];

static void init(uint8_t area[PLAIT_GHASH_AREA], const uint8_t h[16], size_t max_len)
{
    ghashv_powers(area, load(h), max_len / 16 + (max_len % 16 != 0));
}

static void update(const uint8_t area[PLAIT_GHASH_AREA], uint8_t acc[16], const uint8_t *data,
                   size_t len)
{
    if (len > 0) store(acc, reverse(ghashv_absorb(area, reverse(load(acc)), data, len)));
}

PLAIT_TARGET_END

const plait_kernel plait_ghash_vpclmul_avx2 = {PLAIT_KERNEL_ID(ghash, vpclmul_avx2),
                                               PLAIT_NEEDS(avx2, vpclmul), .width = 16,
                                               .fn.ghash = {.init = init, .update = update}};

#else
const plait_kernel plait_ghash_vpclmul_avx2 = {PLAIT_KERNEL_ID(ghash, vpclmul_avx2),
                                               PLAIT_NOT_BUILT(avx2, vpclmul)};
#endif
