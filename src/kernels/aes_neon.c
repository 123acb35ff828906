/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_neon: AES-CTR by byte shuffles, 4 blocks in flight, for AArch64 cores without AES instructions,
 * such as the Cortex-A72 of the Raspberry Pi 4. Method and tables: aes_permute_body.h.
 */
#include "../kernel.h"

#if PLAIT_BUILD_AARCH64
#include <arm_neon.h>

#include "n128_body.h"
#include "aes_permute_body.h"

const plait_kernel plait_aes_neon = {PLAIT_KERNEL_ID(aes, neon), PLAIT_NEEDS(neon), .width = 4,
                                     .fn.aes = {.init = init, .ctr32 = ctr32}};

#else

const plait_kernel plait_aes_neon = {PLAIT_KERNEL_ID(aes, neon), PLAIT_NOT_BUILT(neon)};

#endif
