/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_gcm_aesni - AES-GCM with AES and PCLMULQDQ instructions, SSE encoding: Intel Westmere (2010)
 * and the low-power cores of the following years, which have no AVX. Everything is in
 * aes_gcm_aesni_body.h.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("aes,pclmul,sse4.1")
#include "aes_gcm_aesni_body.h"
PLAIT_TARGET_END

const plait_kernel plait_aes_gcm_aesni = {PLAIT_KERNEL_ID(aes_gcm, aesni),
                                          PLAIT_NEEDS(aes, pclmul, sse41), GCM_FUNCTIONS};

#else
const plait_kernel plait_aes_gcm_aesni = {PLAIT_KERNEL_ID(aes_gcm, aesni),
                                          PLAIT_NOT_BUILT(aes, pclmul, sse41)};
#endif
