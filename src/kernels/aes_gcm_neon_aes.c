/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_gcm_neon_aes: AES-GCM with the AES and PMULL instructions, 8 blocks in flight, for all
 * AArch64 cores that have them. Everything is in aes_gcm_neon_body.h.
 */
#include "../kernel.h"

#if PLAIT_BUILD_AARCH64
#include <arm_neon.h>

PLAIT_TARGET_BEGIN(PLAIT_TARGET_NEON_AES)

/* clang-format off */
#define GCM_ADD2(x, y, z) XOR(x, x, y) XOR(x, x, z)
#define GCM_TEXT(x, y, z) XOR(y, y, z) XOR(x, x, y)
/* clang-format on */
#include "aes_gcm_neon_body.h"

PLAIT_TARGET_END

const plait_kernel plait_aes_gcm_neon_aes = {PLAIT_KERNEL_ID(aes_gcm, neon_aes),
                                             PLAIT_NEEDS(neon, aes, pmull), GCM_FUNCTIONS};

#else

const plait_kernel plait_aes_gcm_neon_aes = {PLAIT_KERNEL_ID(aes_gcm, neon_aes),
                                             PLAIT_NOT_BUILT(neon, aes, pmull)};

#endif
