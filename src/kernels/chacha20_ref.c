/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_ref - ChaCha20 in portable C, one block at a time. What every other chacha20 kernel is
 * compared with.
 */
#include "../kernel.h"

#include "chacha20_block_body.h"

static void xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    uint32_t s[16], x[16];
    if (len == 0) return;
    memcpy(s, state, 64);
    for (; len >= 64; len -= 64, in += 64, out += 64) {
        block(x, s);
        for (int i = 0; i < 16; i++)
            plait_store32_le(out + 4 * i, plait_load32_le(in + 4 * i) ^ x[i]);
        s[12]++;
    }
    if (len > 0) {
        block(x, s);
        for (size_t i = 0; i < len; i++) out[i] = (uint8_t)(in[i] ^ (x[i / 4] >> (8 * (i % 4))));
    }
    plait_wipe(s, sizeof s);
    plait_wipe(x, sizeof x);
}

const plait_kernel plait_chacha20_ref = {PLAIT_KERNEL_ID(chacha20, ref), PLAIT_NEEDS_NOTHING,
                                         .width = 1, .fn.chacha20 = {.xor_stream = xor_stream}};
