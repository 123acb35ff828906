/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_acc_body.h - what scalar Poly1305 does around its loop, on the state that all kernels
 * share (plait_poly1305_acc: h < 2^131 in radix 2^64, r clamped). Included at the end of
 * poly1305_64_body.h and poly1305_26_body.h, which define
 *
 *     poly1305_absorb(acc, msg, len, pad)   h = (h + m + pad 2^128) r for each 16-byte block m of
 * msg
 */

/* acc = the state before the first block of a message under this one-time key. r is clamped. */
PLAIT_INLINE void poly1305_load_key(plait_poly1305_acc *acc, const uint8_t key[32])
{
    acc->h[0] = acc->h[1] = acc->h[2] = 0;
    acc->r[0] = plait_load64_le(key) & UINT64_C(0x0ffffffc0fffffff);
    acc->r[1] = plait_load64_le(key + 8) & UINT64_C(0x0ffffffc0ffffffc);
    acc->s[0] = plait_load64_le(key + 16);
    acc->s[1] = plait_load64_le(key + 24);
}

/* Absorbs len bytes, a multiple of 16. */
PLAIT_INLINE void poly1305_absorb_full(plait_poly1305_acc *acc, const uint8_t *msg, size_t len)
{
    poly1305_absorb(acc, msg, len, 1);
}

/* Absorbs the last block of 1..15 bytes. It is put together in registers, of loads that overlap and
 * stay inside the message: two words stored and read again as words are forwarded, bytes stored and
 * read as words wait. */
PLAIT_INLINE void poly1305_absorb_partial(plait_poly1305_acc *acc, const uint8_t *msg, size_t len)
{
    uint8_t block[16];
    uint64_t lo, hi = 0;
    if (len >= 8) {
        lo = plait_load64_le(msg);
        hi = len == 8 ? 1
                      : plait_load64_le(msg + len - 8) >> (128 - 8 * len) |
                            UINT64_C(1) << (8 * len - 64);
    } else {
        if (len >= 4)
            lo = plait_load32_le(msg) | (uint64_t)plait_load32_le(msg + len - 4) << (8 * len - 32);
        else
            lo = msg[0] | (uint64_t)msg[len / 2] << (8 * (len / 2)) |
                 (uint64_t)msg[len - 1] << (8 * len - 8);
        lo |= UINT64_C(1) << (8 * len);
    }
    plait_store64_le(block, lo);
    plait_store64_le(block + 8, hi);
    poly1305_absorb(acc, block, 16, 0);
    plait_wipe(block, sizeof block);
}

/* tag = (h mod p) + s mod 2^128. Complete for every h with h[2] < 2^61, far more than the h < 2^131
 * of the state. Does not change acc. */
PLAIT_INLINE void poly1305_emit(const plait_poly1305_acc *acc, uint8_t tag[16])
{
    /* h = (h mod 2^130) + 5 floor(h / 2^130) < 2^130 + 5 2^59 < 2 p: at most one p too much */
    const uint64_t c = (acc->h[2] >> 2) * 5;
    uint64_t h0 = acc->h[0] + c;
    uint64_t h1 = acc->h[1] + (h0 < c);
    const uint64_t h2 = (acc->h[2] & 3) + (h1 < (uint64_t)(h0 < c));

    /* h >= p  <=>  h + 5 >= 2^130; then h - p = h + 5 - 2^130, of which the low 128 bits are wanted
     */
    const uint64_t g0 = h0 + 5;
    const uint64_t g1 = h1 + (g0 < 5);
    const uint64_t g2 = h2 + (g1 < (uint64_t)(g0 < 5));
    const uint64_t take = plait_barrier64(0 - (g2 >> 2)); /* g2 <= 4 or 5: all ones or zero */
    h0 ^= (h0 ^ g0) & take;
    h1 ^= (h1 ^ g1) & take;

    h0 += acc->s[0];
    h1 += acc->s[1] + (h0 < acc->s[0]);
    plait_store64_le(tag, h0);
    plait_store64_le(tag + 8, h1);
}

/* The members of plait_poly1305_fns. */
PLAIT_UNUSED static void poly1305_blocks(plait_poly1305_acc *acc, const uint8_t *msg, size_t len)
{
    poly1305_absorb_full(acc, msg, len);
}

PLAIT_UNUSED static void poly1305_final(plait_poly1305_acc *acc, uint8_t tag[16],
                                        const uint8_t *msg, size_t len)
{
    if (len > 0) poly1305_absorb_partial(acc, msg, len);
    poly1305_emit(acc, tag);
}

PLAIT_UNUSED static void poly1305_mac(uint8_t tag[16], const uint8_t *msg, size_t len,
                                      const uint8_t key[32])
{
    plait_poly1305_acc acc;
    poly1305_load_key(&acc, key);
    poly1305_absorb_full(&acc, msg, len & ~(size_t)15);
    if ((len & 15) != 0) poly1305_absorb_partial(&acc, msg + (len & ~(size_t)15), len & 15);
    poly1305_emit(&acc, tag);
    plait_wipe(&acc, sizeof acc);
}
