/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_ssse3 - AES-CTR by byte shuffles, for CPUs without AES instructions or virtual machines that
 * hide them: Intel Core 2 and Nehalem, AMD Bobcat, early Atoms.
 *
 * Method and tables: aes_permute_body.h.
 *
 * Per block and round 12 shuffles and 14 other instructions, some 14 cycles from state to state; so
 * several blocks in flight (four; the tables are read from memory, which the copy that the
 * two-operand form needs anyhow does for nothing). A bitsliced form has a little fewer instructions
 * per byte, but only in units of eight blocks, which short messages waste.
 */
#include "../kernel.h"

#if PLAIT_BUILD_X86_64
#include <immintrin.h>

PLAIT_TARGET_BEGIN("ssse3")
#include "x128_body.h"
#include "aes_permute_body.h"

static void init(uint8_t area[PLAIT_AES_AREA], const uint8_t *raw, size_t raw_len)
{
    permute_expand(area, raw, raw_len);
    permute_convert(area);
}

static void ctr32(const uint8_t area[PLAIT_AES_AREA], uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16])
{
    permute_ctr32(area, out, in, len, block);
}

PLAIT_TARGET_END

const plait_kernel plait_aes_ssse3 = {PLAIT_KERNEL_ID(aes, ssse3), PLAIT_NEEDS(ssse3), .width = 4,
                                      .fn.aes = {.init = init, .ctr32 = ctr32}};

#else
const plait_kernel plait_aes_ssse3 = {PLAIT_KERNEL_ID(aes, ssse3), PLAIT_NOT_BUILT(ssse3)};
#endif
