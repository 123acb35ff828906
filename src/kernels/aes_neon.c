/* SPDX-License-Identifier: Apache-2.0
 *
 * aes_neon: AES-CTR for AArch64 cores without AES instructions, such as the Cortex-A72 of the
 * Raspberry Pi 4: by byte shuffles, 4 blocks in flight (aes_permute_body.h), and bitsliced in units
 * of 8 blocks (aes_sliced_body.h) as far as there are so many.
 *
 * A table lookup of 16 bytes takes three operations on Cortex-A72, so that bitsliced rounds, of
 * which 115 instructions for 8 blocks are logic, win by 1.4 there (by model 11.3 cycles per byte
 * for 15.8); a single block bitsliced would take the time of eight.
 *
 * The area holds the plain round keys; each way brings them to its own form at the start of a call.
 */
#include "../kernel.h"

#if PLAIT_BUILD_AARCH64
#include <arm_neon.h>

#include "n128_body.h"
#include "aes_permute_body.h"
#include "aes_sliced_body.h"

static void init(uint8_t area[PLAIT_AES_AREA], const uint8_t *raw, size_t raw_len)
{
    permute_expand(area, raw, raw_len);
}

/* The round keys for bitsliced rounds, which have them in the same places. */
PLAIT_NOINLINE static void sliced(const uint8_t *area, uint8_t *out, const uint8_t *in, size_t len,
                                  const uint8_t block[16])
{
    const uint32_t rounds = plait_load32_le(area + AREA_ROUNDS);
    uint8_t keys[PLAIT_AES_AREA];
    store(keys, load(area));
    for (uint32_t r = 1; r <= rounds; r++)
        store(keys + 16 * r,
              permute_place(xor128(load(area + 16 * r), all_bytes(0x63)), r < rounds ? r : 0));
    keys[ROUNDS_AT] = (uint8_t)rounds;
    sliced_ctr32(keys, out, in, len, block);
    plait_wipe(keys, sizeof keys);
}

PLAIT_NOINLINE static void permuted(const uint8_t *area, uint8_t *out, const uint8_t *in,
                                    size_t len, const uint8_t block[16])
{
    uint8_t keys[PLAIT_AES_AREA];
    memcpy(keys, area, sizeof keys);
    permute_convert(keys);
    permute_ctr32(keys, out, in, len, block);
    plait_wipe(keys, sizeof keys);
}

static void ctr32(const uint8_t area[PLAIT_AES_AREA], uint8_t *out, const uint8_t *in, size_t len,
                  const uint8_t block[16])
{
    /* More than half a unit is a unit. */
    const size_t rest = len % 128 > 64 ? 0 : len % 128, units = len - rest;
    if (units > 0) sliced(area, out, in, units, block);
    if (rest > 0) {
        uint8_t next[16];
        memcpy(next, block, 16);
        plait_store32_be(next + 12, plait_load32_be(block + 12) + (uint32_t)(units / 16));
        permuted(area, out + units, in + units, rest, next);
    }
}

const plait_kernel plait_aes_neon = {PLAIT_KERNEL_ID(aes, neon), PLAIT_NEEDS(neon), .width = 8,
                                     .spills = 4096, .fn.aes = {.init = init, .ctr32 = ctr32}};

#else

const plait_kernel plait_aes_neon = {PLAIT_KERNEL_ID(aes, neon), PLAIT_NOT_BUILT(neon)};

#endif
