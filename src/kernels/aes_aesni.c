/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_aesni - AES-CTR with the x86 AES instructions: Intel since Westmere (2010), AMD since
 * Bulldozer (2011).
 *
 * Eight blocks in flight: AESENC takes 3 to 8 cycles and one (Intel up to Skylake) or two (Intel
 * since Ice Lake, all Zen) can start in each, so six to eight keep the unit full. Registers: 8
 * states, 1 round key, 1 counter; the round keys are read from the area, once per round for all
 * eight. SSE encoding: the moves that the two-operand form costs disappear in register renaming,
 * and the AES unit is what limits.
 *
 * Constant time: the instructions take the same time for all data.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("aes,sse4.1")
#include "aes_aesni_body.h"

static void init(uint8_t area[PLAIT_AES_AREA], const uint8_t *raw, size_t raw_len)
{
    aesni_expand(area, raw, raw_len);
}

static void ctr32(const uint8_t area[PLAIT_AES_AREA], uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16])
{
    aesni_ctr32(area, out, in, len, block);
}

PLAIT_TARGET_END

const plait_kernel plait_aes_aesni = {PLAIT_KERNEL_ID(aes, aesni), PLAIT_NEEDS(aes, sse41),
                                      .width = 8, .fn.aes = {.init = init, .ctr32 = ctr32}};

#else
const plait_kernel plait_aes_aesni = {PLAIT_KERNEL_ID(aes, aesni), PLAIT_NOT_BUILT(aes, sse41)};
#endif
