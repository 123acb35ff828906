/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_gcm_aesni_avx - AES-GCM with AES and PCLMULQDQ instructions, VEX encoding of 128-bit vectors:
 * Intel from Sandy Bridge (2011) to Cascade Lake, AMD from Bulldozer to Zen 2. Everything is in
 * aes_gcm_aesni_body.h.
 *
 * The same instructions as aes_gcm_aesni but for the moves that two-operand forms need, and with
 * operands in memory that need no alignment. No ymm register is touched: nothing for vzeroupper to
 * clear.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("aes,pclmul,avx")
#include "aes_gcm_aesni_body.h"
PLAIT_TARGET_END

const plait_kernel plait_aes_gcm_aesni_avx = {PLAIT_KERNEL_ID(aes_gcm, aesni_avx),
                                              PLAIT_NEEDS(aes, pclmul, avx), GCM_FUNCTIONS};

#else
const plait_kernel plait_aes_gcm_aesni_avx = {PLAIT_KERNEL_ID(aes_gcm, aesni_avx),
                                              PLAIT_NOT_BUILT(aes, pclmul, avx)};
#endif
