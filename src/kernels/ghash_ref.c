/* SPDX-License-Identifier: Apache-2.0
 *
 * ghash_ref - GHASH in portable C, without tables. What every other ghash kernel is compared with.
 */
#include "../kernel.h"

static void init(uint8_t area[PLAIT_GHASH_AREA], const uint8_t h[16], size_t max_len)
{
    (void)max_len;
    memcpy(area, h, 16);
}

static void update(const uint8_t area[PLAIT_GHASH_AREA], uint8_t acc[16], const uint8_t *data, size_t len)
{
    uint8_t block[16];
    while (len > 0) {
        const size_t n = len < 16 ? len : 16;
        uint64_t x0 = plait_load64_be(acc), x1 = plait_load64_be(acc + 8);
        uint64_t v0 = plait_load64_be(area), v1 = plait_load64_be(area + 8), z0 = 0, z1 = 0;
        memset(block, 0, 16);
        memcpy(block, data, n);
        x0 ^= plait_load64_be(block);
        x1 ^= plait_load64_be(block + 8);
        for (int i = 0; i < 128; i++) {
            const uint64_t take = plait_barrier64(0 - (x0 >> 63)), wrap = plait_barrier64(0 - (v1 & 1));
            z0 ^= v0 & take;
            z1 ^= v1 & take;
            x0 = (x0 << 1) | (x1 >> 63);
            x1 <<= 1;
            v1 = (v1 >> 1) | (v0 << 63);
            v0 = (v0 >> 1) ^ (wrap & UINT64_C(0xe100000000000000));
        }
        plait_store64_be(acc, z0);
        plait_store64_be(acc + 8, z1);
        data += n;
        len -= n;
    }
    plait_wipe(block, sizeof block);
}

const plait_kernel plait_ghash_ref = {PLAIT_KERNEL_ID(ghash, ref), PLAIT_NEEDS_NOTHING, .width = 1,
                                      .fn.ghash = {.init = init, .update = update}};
