/* SPDX-License-Identifier: Apache-2.0
 *
 * One block of ChaCha20 (RFC 8439, 2.3) in portable C, which compilers keep in general registers.
 */

PLAIT_INLINE uint32_t rotl(uint32_t x, int n)
{
    return (x << n) | (x >> (32 - n));
}

#define QUARTER(a, b, c, d)                                                                        \
    (a += b, d = rotl(d ^ a, 16), c += d, b = rotl(b ^ c, 12), a += b, d = rotl(d ^ a, 8), c += d, \
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
