/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_ref - AES-CTR in portable C, bitsliced: no tables, no branch or address that depends on key
 * or data. What every other aes kernel is compared with.
 */
#include "../kernel.h"

#include "aes_sliced_body.h"

static void init(uint8_t area[PLAIT_AES_AREA], const uint8_t *raw, size_t raw_len)
{
    sliced_init(area, raw, raw_len);
}

static void ctr32(const uint8_t area[PLAIT_AES_AREA], uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16])
{
    sliced_ctr32(area, out, in, len, block);
}

const plait_kernel plait_aes_ref = {PLAIT_KERNEL_ID(aes, ref), PLAIT_NEEDS_NOTHING, .width = BLOCKS,
                                    .spills = 4096, .fn.aes = {.init = init, .ctr32 = ctr32}};
