/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_64_body.h - scalar Poly1305 with 64-bit limbs, for targets where a 128-bit product is
 * one or two instructions. Included by poly1305_ref and, for short messages, tails and tags, by
 * vector kernels; what they may call is listed in poly1305_acc_body.h.
 *
 * h = h0 + 2^64 h1 + 2^128 h2 and r = r0 + 2^64 r1, with p = 2^130 - 5. The clamp makes r0, r1 <
 * 2^60 and r1 a multiple of 4, so that 2^128 r1 = 2^130 (r1 / 4) = 5 (r1 / 4) mod p, an integer:
 *
 *     s1 = r1 + r1 / 4
 *     h r = (h0 r0 + h1 s1) + 2^64 (h0 r1 + h1 r0 + h2 s1) + 2^128 h2 r0   mod p
 *
 * Four wide and two narrow products a block; limbs of 44, 44 and 42 bits need nine wide ones. The
 * time is the latency of the chain from h to h, so the carries are arranged to keep it short:
 *   - the next block is added to the product, beside the chain, and not to h at its start;
 *   - the upper half of the lowest sum is not carried into the middle one, on which the folding of
 *     h2 waits, but added together with what is folded.
 * 14 to 15 cycles a block on Golden Cove, where carrying in the usual order takes 17.5.
 */

/* h = h r + m, where m = m0 + 2^64 m1 + 2^128 pad. Needs h2 <= 9; leaves h2 <= 6, or 4 for m = 0.
 */
PLAIT_INLINE void poly1305_step(uint64_t h[3], uint64_t r0, uint64_t r1, uint64_t s1, uint64_t m0,
                                uint64_t m1, uint64_t pad)
{
    /* d0 < 2^124 + 5/4 2^124 < 2^126;  d1 < 2 2^124 + 9 5/4 2^60 < 2^126 */
    const plait_u128 d0 = (plait_u128)h[0] * r0 + (plait_u128)h[1] * s1;
    const plait_u128 d1 = (plait_u128)h[0] * r1 + (plait_u128)h[1] * r0 + (plait_u128)h[2] * s1;
    /* The order of these lines is the one that GCC 11 and 12 keep in registers. */
    const plait_u128 m = (plait_u128)m1 << 64 | m0;
    plait_u128 sum = (d1 << 64 | (uint64_t)d0) + m, carry;
    uint64_t top = pad + (sum < m), d2, fold;

    d2 = h[2] * r0 + (uint64_t)(d1 >> 64);  /* <= 9 (2^60 - 1) + 2 2^60 < 11 2^60 */
    fold = (d2 >> 2) + (d2 & ~UINT64_C(3)); /* 2^130 = 5: 5 floor(d2 / 4) < 14 2^60 */
    carry = (d0 >> 64) << 64 | fold;
    sum += carry;
    top += (d2 & 3) + (sum < carry); /* <= 1 + 1 + 3 + 1 */
    h[0] = (uint64_t)sum;
    h[1] = (uint64_t)(sum >> 64);
    h[2] = top;
}

PLAIT_INLINE void poly1305_absorb(plait_poly1305_acc *acc, const uint8_t *msg, size_t len,
                                  uint64_t pad)
{
    const uint64_t r0 = acc->r[0], r1 = acc->r[1], s1 = r1 + (r1 >> 2);
    uint64_t h[3] = {acc->h[0], acc->h[1], acc->h[2]};
    plait_u128 sum, m;

    PLAIT_BOUND(h[2] < 8 && pad <= 1 && (r1 & 3) == 0);
    PLAIT_BOUND(r0 < UINT64_C(1) << 60 && r1 < UINT64_C(1) << 60);
    if (len < 16) return;
    m = (plait_u128)plait_load64_le(msg + 8) << 64 | plait_load64_le(msg);
    sum = ((plait_u128)h[1] << 64 | h[0]) + m;
    h[0] = (uint64_t)sum;
    h[1] = (uint64_t)(sum >> 64);
    h[2] += pad + (sum < m); /* <= 7 + 1 + 1 */
    for (; len >= 32; len -= 16, msg += 16) {
        poly1305_step(h, r0, r1, s1, plait_load64_le(msg + 16), plait_load64_le(msg + 24), pad);
        PLAIT_BOUND(h[2] <= 6);
    }
    poly1305_step(h, r0, r1, s1, 0, 0, 0);
    PLAIT_BOUND(h[2] <= 4);
    acc->h[0] = h[0];
    acc->h[1] = h[1];
    acc->h[2] = h[2];
}

#include "poly1305_acc_body.h"
