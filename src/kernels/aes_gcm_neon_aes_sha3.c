/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_gcm_neon_aes_sha3: AES-GCM as aes_gcm_neon_aes, with the three-way xor of the SHA3 extension:
 * 20 instructions less of 260 a step. For Apple's cores, Neoverse V1 and later. Everything is in
 * aes_gcm_neon_body.h.
 */
#include "../kernel.h"

#if PLAIT_BUILD_AARCH64
#include <arm_neon.h>

PLAIT_TARGET_BEGIN(PLAIT_TARGET_NEON_AES_SHA3)

/* clang-format off */
#define GCM_ADD2(x, y, z) "eor3 " VB(x) ", " VB(x) ", " VB(y) ", " VB(z) "\n\t"
#define GCM_TEXT(x, y, z) GCM_ADD2(x, y, z)
/* clang-format on */
#include "aes_gcm_neon_body.h"

PLAIT_TARGET_END

const plait_kernel plait_aes_gcm_neon_aes_sha3 = {
    PLAIT_KERNEL_ID(aes_gcm, neon_aes_sha3), PLAIT_NEEDS(neon, aes, pmull, sha3), GCM_FUNCTIONS};

#else

const plait_kernel plait_aes_gcm_neon_aes_sha3 = {PLAIT_KERNEL_ID(aes_gcm, neon_aes_sha3),
                                                  PLAIT_NOT_BUILT(neon, aes, pmull, sha3)};

#endif
