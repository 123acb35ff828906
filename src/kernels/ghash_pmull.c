/* SPDX-License-Identifier: Apache-2.0
 *
 * ghash_pmull: GHASH with 64-bit polynomial multiplication, 8 blocks in flight by the powers H^8 to
 * H^1, one reduction for all of them. For AArch64 cores with PMULL: all that have the AES
 * instructions, but not the Cortex-A72 of the Raspberry Pi 4. Mathematics and layout of the area:
 * ghash_pmull_body.h.
 */
#include "../kernel.h"

#if PLAIT_BUILD_AARCH64
#include <arm_neon.h>

PLAIT_TARGET_BEGIN(PLAIT_TARGET_NEON_AES)
#include "ghash_pmull_body.h"

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
        store(acc, reflect(ghash_absorb(area, plait_load32_le(area + AREA_POWERS),
                                        reflect(load(acc)), data, len)));
}

PLAIT_TARGET_END

const plait_kernel plait_ghash_pmull = {PLAIT_KERNEL_ID(ghash, pmull), PLAIT_NEEDS(pmull),
                                        .width = 8, .fn.ghash = {.init = init, .update = update}};

#else

const plait_kernel plait_ghash_pmull = {PLAIT_KERNEL_ID(ghash, pmull), PLAIT_NOT_BUILT(pmull)};

#endif
