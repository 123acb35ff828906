/* SPDX-License-Identifier: Apache-2.0
 *
 * ghash_vpclmul_avx512 - GHASH with VPCLMULQDQ on 512-bit vectors, 32 blocks to a reduction: Intel
 * since Ice Lake, AMD since Zen 4.
 *
 * Up to 40 blocks in one pass with one reduction, longer inputs by groups of 32 with the four lanes
 * kept apart until the end. Registers: 3 of sums, the pending vector, 2 blocks and their
 * temporaries; the powers are read where they are used. Mathematics, layout of the powers and all
 * of the code: ghash_vpclmul_body.h.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq,pclmul")
#include "v512_body.h"
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

const plait_kernel plait_ghash_vpclmul_avx512 = {
    PLAIT_KERNEL_ID(ghash, vpclmul_avx512), PLAIT_NEEDS(avx512, vpclmul),
    .avoids = PLAIT_CPU_slow_512, .width = 32, .fn.ghash = {.init = init, .update = update}};

#else
const plait_kernel plait_ghash_vpclmul_avx512 = {PLAIT_KERNEL_ID(ghash, vpclmul_avx512),
                                                 PLAIT_NOT_BUILT(avx512, vpclmul)};
#endif
