/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_neon_aes: AES-CTR with the AES instructions, 8 blocks in flight. For all AArch64 cores that
 * have them: 8 chains cover a latency of 2 to 4 cycles on one pipe (Cortex-A72 with the extension,
 * Neoverse N1), and of 2 on four (Neoverse V1, Apple's cores).
 */
#include "../kernel.h"

#if PLAIT_BUILD_AARCH64
#include <arm_neon.h>

PLAIT_TARGET_BEGIN(PLAIT_TARGET_NEON_AES)
#include "aes_neon_aes_body.h"

static void init(uint8_t area[PLAIT_AES_AREA], const uint8_t *raw, size_t raw_len)
{
    aes_init(area, raw, raw_len);
}

static void ctr32(const uint8_t area[PLAIT_AES_AREA], uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16])
{
    aes_ctr32(area, out, in, len, block);
}

PLAIT_TARGET_END

const plait_kernel plait_aes_neon_aes = {PLAIT_KERNEL_ID(aes, neon_aes), PLAIT_NEEDS(neon, aes),
                                         .width = 8, .fn.aes = {.init = init, .ctr32 = ctr32}};

#else

const plait_kernel plait_aes_neon_aes = {PLAIT_KERNEL_ID(aes, neon_aes),
                                         PLAIT_NOT_BUILT(neon, aes)};

#endif
