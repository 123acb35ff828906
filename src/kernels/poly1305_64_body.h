/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_64_body.h - scalar Poly1305 with 64-bit limbs, for kernels where a 128-bit product is one or two
 * instructions. Included by poly1305_ref and, for short messages, tails and tags, by the vector kernels.
 *
 * h = h0 + 2^64 h1 + 2^128 h2 and r = r0 + 2^64 r1, with p = 2^130 - 5. The clamp makes r0, r1 < 2^60 and r1 a
 * multiple of 4, so that 2^128 r1 = 2^130 (r1 / 4) = 5 (r1 / 4) mod p, which is an integer:
 *
 *     s1 = r1 + r1 / 4
 *     h r = (h0 r0 + h1 s1) + 2^64 (h0 r1 + h1 r0 + h2 s1) + 2^128 h2 r0   mod p
 *
 * Four wide and two narrow products a block. The form with limbs of 44, 44 and 42 bits needs nine wide ones.
 */
PLAIT_INLINE void poly1305_absorb(plait_poly1305_acc *acc, const uint8_t *msg, size_t len, uint64_t pad)
{
    const uint64_t r0 = acc->r[0], r1 = acc->r[1], s1 = r1 + (r1 >> 2);
    uint64_t h0 = acc->h[0], h1 = acc->h[1], h2 = acc->h[2];

    PLAIT_BOUND(h2 < 8 && r0 < (UINT64_C(1) << 60) && r1 < (UINT64_C(1) << 60) && (r1 & 3) == 0);
    for (; len >= 16; len -= 16, msg += 16) {
        plait_u128 d0, d1;
        uint64_t c;

        /* h2 <= 7 + 1 + 1 */
        d0 = (plait_u128)h0 + plait_load64_le(msg);
        d1 = (plait_u128)h1 + plait_load64_le(msg + 8) + (uint64_t)(d0 >> 64);
        h0 = (uint64_t)d0;
        h1 = (uint64_t)d1;
        h2 += pad + (uint64_t)(d1 >> 64);

        /* d0 < 2^124 + 5/4 2^124 = 9/4 2^124;  d1 < 2 2^124 + 9 5/4 2^60 + 9/4 2^60 < 2 2^124 + 2^64;
         * h2 <= 9 (2^60 - 1) + 2 2^60 + 1 < 11 2^60 */
        d0 = (plait_u128)h0 * r0 + (plait_u128)h1 * s1;
        d1 = (plait_u128)h0 * r1 + (plait_u128)h1 * r0 + (plait_u128)h2 * s1 + (uint64_t)(d0 >> 64);
        h2 = h2 * r0 + (uint64_t)(d1 >> 64);

        /* 2^130 = 5: c = 5 floor(h2 / 4) < 5/4 11 2^60 < 14 2^60 < 2^64 */
        c = (h2 >> 2) + (h2 & ~UINT64_C(3));
        d0 = (plait_u128)(uint64_t)d0 + c;
        d1 = (plait_u128)(uint64_t)d1 + (uint64_t)(d0 >> 64);
        h0 = (uint64_t)d0;
        h1 = (uint64_t)d1;
        h2 = (h2 & 3) + (uint64_t)(d1 >> 64); /* <= 4 */
        PLAIT_BOUND(h2 <= 4);
    }
    acc->h[0] = h0;
    acc->h[1] = h1;
    acc->h[2] = h2;
}

#include "poly1305_acc_body.h"
