/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_26_body.h - scalar Poly1305 with limbs of 26 bits, for machines whose widest product is
 * 32 x 32 -> 64.
 *
 *     h = sum h[i] 2^(26 i),  r = sum r[i] 2^(26 i),  i = 0..4,  2^130 = 5 mod p
 *     (h r)[i] = sum over j <= i of h[j] r[i-j]  +  sum over j > i of h[j] 5 r[5+i-j]
 *
 * The clamp leaves r[0..3] < 2^26 and r[4] < 2^20.
 */
PLAIT_INLINE void poly1305_absorb(plait_poly1305_acc *acc, const uint8_t *msg, size_t len,
                                  uint64_t pad)
{
    const uint32_t m26 = 0x3ffffff;
    const uint32_t r0 = (uint32_t)acc->r[0] & m26, r1 = (uint32_t)(acc->r[0] >> 26) & m26,
                   r2 = (uint32_t)(acc->r[0] >> 52 | acc->r[1] << 12) & m26,
                   r3 = (uint32_t)(acc->r[1] >> 14) & m26, r4 = (uint32_t)(acc->r[1] >> 40);
    const uint32_t s1 = r1 * 5, s2 = r2 * 5, s3 = r3 * 5, s4 = r4 * 5;
    const uint32_t pad4 = (uint32_t)pad << 24;
    uint32_t h0 = (uint32_t)acc->h[0] & m26, h1 = (uint32_t)(acc->h[0] >> 26) & m26,
             h2 = (uint32_t)(acc->h[0] >> 52 | acc->h[1] << 12) & m26,
             h3 = (uint32_t)(acc->h[1] >> 14) & m26,
             h4 = (uint32_t)(acc->h[1] >> 40 | acc->h[2] << 24);

    PLAIT_BOUND(acc->h[2] < 8);
    for (; len >= 16; len -= 16, msg += 16) {
        uint64_t d0, d1, d2, d3, d4;

        /* h0, h2, h3 < 2^27;  h1 < 2^27 + 2^6;  h4 < 2^27 + 2^25 < 5/4 2^27 */
        h0 += plait_load32_le(msg) & m26;
        h1 += (plait_load32_le(msg + 3) >> 2) & m26;
        h2 += (plait_load32_le(msg + 6) >> 4) & m26;
        h3 += (plait_load32_le(msg + 9) >> 6);
        h4 += (plait_load32_le(msg + 12) >> 8) | pad4;

        /* d0..d3: a product is < 5/4 2^27 5 2^26 < 2^56, five of them are < 2^59;
         * d4 < (4 2^26 + 2^20) 5/4 2^27 < 5.1 2^53 */
        d0 = (uint64_t)h0 * r0 + (uint64_t)h1 * s4 + (uint64_t)h2 * s3 + (uint64_t)h3 * s2 +
             (uint64_t)h4 * s1;
        d1 = (uint64_t)h0 * r1 + (uint64_t)h1 * r0 + (uint64_t)h2 * s4 + (uint64_t)h3 * s3 +
             (uint64_t)h4 * s2;
        d2 = (uint64_t)h0 * r2 + (uint64_t)h1 * r1 + (uint64_t)h2 * r0 + (uint64_t)h3 * s4 +
             (uint64_t)h4 * s3;
        d3 = (uint64_t)h0 * r3 + (uint64_t)h1 * r2 + (uint64_t)h2 * r1 + (uint64_t)h3 * r0 +
             (uint64_t)h4 * s4;
        d4 = (uint64_t)h0 * r4 + (uint64_t)h1 * r3 + (uint64_t)h2 * r2 + (uint64_t)h3 * r1 +
             (uint64_t)h4 * r0;

        d1 += d0 >> 26;
        d2 += d1 >> 26;
        d3 += d2 >> 26;
        d4 += d3 >> 26;                                       /* < 5.1 2^53 + 2^33 */
        h0 = ((uint32_t)d0 & m26) + (uint32_t)(d4 >> 26) * 5; /* < 2^26 + 5 5.2 2^27 < 2^32 */
        h1 = ((uint32_t)d1 & m26) + (h0 >> 26);               /* < 2^26 + 2^6 */
        h0 &= m26;
        h2 = (uint32_t)d2 & m26;
        h3 = (uint32_t)d3 & m26;
        h4 = (uint32_t)d4 & m26;
    }
    {
        /* h1 may have a 27th bit: add, not or. */
        const uint64_t low = ((uint64_t)h1 << 26) + h0; /* < 2^53 */
        const uint64_t mid = ((uint64_t)h3 << 26) + h2; /* < 2^52, of weight 2^52 */
        const uint64_t t0 = low + (mid << 52);          /* the sum mod 2^64 */
        const uint64_t t1 =
            (mid >> 12) + ((uint64_t)h4 << 40) + (t0 < low); /* h4 < 2^27: mod 2^64 */
        acc->h[0] = t0;
        acc->h[1] = t1;
        acc->h[2] = (h4 >> 24) + (t1 < ((uint64_t)h4 << 40));
    }
    PLAIT_BOUND(acc->h[2] < 8);
}

#include "poly1305_acc_body.h"
