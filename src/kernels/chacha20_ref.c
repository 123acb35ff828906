/* SPDX-License-Identifier: Apache-2.0
 *
 * chacha20_ref - ChaCha20 in portable C, one block at a time. What every other chacha20 kernel is compared with.
 */
#include "../kernel.h"

PLAIT_INLINE uint32_t rotl(uint32_t x, int n)
{
    return (x << n) | (x >> (32 - n));
}

#define QUARTER(a, b, c, d)                                                                                    \
    (a += b, d = rotl(d ^ a, 16), c += d, b = rotl(b ^ c, 12), a += b, d = rotl(d ^ a, 8), c += d,             \
     b = rotl(b ^ c, 7))

/* x = the 16 keystream words of the block whose start state is s. */
PLAIT_INLINE void block(uint32_t x[16], const uint32_t s[16])
{
    memcpy(x, s, 64);
    for (int i = 0; i < 10; i++) {
        QUARTER(x[0], x[4], x[8], x[12]);
        QUARTER(x[1], x[5], x[9], x[13]);
        QUARTER(x[2], x[6], x[10], x[14]);
        QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]);
        QUARTER(x[1], x[6], x[11], x[12]);
        QUARTER(x[2], x[7], x[8], x[13]);
        QUARTER(x[3], x[4], x[9], x[14]);
    }
    for (int i = 0; i < 16; i++) x[i] += s[i];
}

static void xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    uint32_t s[16], x[16];
    if (len == 0) return;
    memcpy(s, state, 64);
    for (; len >= 64; len -= 64, in += 64, out += 64) {
        block(x, s);
        for (int i = 0; i < 16; i++) plait_store32_le(out + 4 * i, plait_load32_le(in + 4 * i) ^ x[i]);
        s[12]++;
    }
    if (len > 0) {
        block(x, s);
        for (size_t i = 0; i < len; i++) out[i] = (uint8_t)(in[i] ^ (x[i / 4] >> (8 * (i % 4))));
    }
    plait_wipe(s, sizeof s);
    plait_wipe(x, sizeof x);
}

const plait_kernel plait_chacha20_ref = {
    PLAIT_KERNEL_ID(chacha20, ref), PLAIT_NEEDS_NOTHING, .width = 1, .fn.chacha20 = {.xor_stream = xor_stream}};
