/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_vaes_avx2 - AES-CTR with VAES on 256-bit vectors, 8 blocks in flight, for CPUs that have it
 * without AVX-512: AMD Zen 3, Intel since Alder Lake.
 *
 * Four vectors of two blocks: two units start one vector a cycle each and take 3 to 4, and the core
 * looks far enough ahead to begin the next four. Registers: 4 states, 1 round key, counters. Texts
 * of 4 KiB and more keep the first two rounds of 256 counters: see aes_vaes_body.h, which has the
 * mathematics and all of the code.
 *
 * Constant time: the instructions take the same time for all data.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("avx2,vaes,aes")
#include "v256_body.h"
#include "aes_vaes_body.h"

static void init(uint8_t area[PLAIT_AES_AREA], const uint8_t *raw, size_t raw_len)
{
    aesni_expand(area, raw, raw_len);
}

static void ctr32(const uint8_t area[PLAIT_AES_AREA], uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16])
{
    vaes_ctr32(area, out, in, len, block);
}

PLAIT_TARGET_END

const plait_kernel plait_aes_vaes_avx2 = {PLAIT_KERNEL_ID(aes, vaes_avx2), PLAIT_NEEDS(avx2, vaes),
                                          .width = 8, .fn.aes = {.init = init, .ctr32 = ctr32}};

#else
const plait_kernel plait_aes_vaes_avx2 = {PLAIT_KERNEL_ID(aes, vaes_avx2),
                                          PLAIT_NOT_BUILT(avx2, vaes)};
#endif
