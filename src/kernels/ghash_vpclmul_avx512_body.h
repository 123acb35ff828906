/* SPDX-License-Identifier: Apache-2.0
 *
 * ghash_vpclmul_avx512_body.h - GHASH with VPCLMULQDQ on 512-bit vectors, four blocks to a vector.
 * Included inside a target region with vpclmulqdq, pclmul and AVX-512 F, BW, DQ, VL.
 *
 * The field, its representation and the reduction are those of ghash_pclmul_body.h, in each of the
 * four lanes by itself. Powers of H are stored downwards, H^40 ... H^1, H^0, so that n <= 40 blocks
 * that follow one another find theirs in order from H^n on, whatever n is, and all their products
 * are summed before one reduction:
 *
 *      blocks     b0    b1    b2    b3  |  b4  ...             b(n-1)  |  lanes without a block: 0
 *      powers    H^n  H^n-1 H^n-2 H^n-3 | H^n-4 ...              H^1   |  H^0, 0, 0
 *
 * Longer inputs go by groups of 32 blocks, and there the four lanes stay apart: lane j sums up
 * every fourth block, by Horner's rule in H^4 (the same power in all lanes, a broadcast load):
 *
 *      P = v7 + H^4 (v6 + H^4 (v5 + ... H^4 (v0 + H^4 P)))
 *
 * with all eight products summed before one reduction: what an ordinary step needs besides, the sum
 * across the lanes, is made once at the end, when P takes part as if it were a vector of four
 * blocks not yet multiplied.
 *
 * Schoolbook: four products a vector, and none of Karatsuba's shuffles, which on Intel would be on
 * the same port as the products (one VPCLMULQDQ and one 512-bit byte shuffle a cycle, both on port
 * 5): 5 slots there either way, but fewer elsewhere. Two products join a sum in one VPTERNLOGQ.
 */
#include "ghash_pclmul_body.h"
#include "v512_body.h"

enum {
    GHASH512_POWERS = 40,
    GHASH512_BYTES = 16 * (GHASH512_POWERS + 4) /* H^0, and what a vector load reads beyond it */
};

/* Where H^n is, and the powers below it. */
PLAIT_INLINE const uint8_t *ghash512_from(const uint8_t *powers, size_t n)
{
    return powers + 16 * (GHASH512_POWERS - n);
}

/* ---- products ---- */

typedef struct ghash512_sum {
    __m512i lo, mi, hi; /* at bits 0, 64 and 128 of the product */
} ghash512_sum;

PLAIT_INLINE void ghash512_clear(ghash512_sum *s)
{
    s->lo = s->mi = s->hi = _mm512_setzero_si512();
}

/* s += x h, lane by lane. */
PLAIT_INLINE void ghash512_add(ghash512_sum *s, __m512i x, __m512i h)
{
    s->lo = xor512(s->lo, _mm512_clmulepi64_epi128(x, h, 0x00));
    s->mi = xor3(s->mi, _mm512_clmulepi64_epi128(x, h, 0x01), _mm512_clmulepi64_epi128(x, h, 0x10));
    s->hi = xor512(s->hi, _mm512_clmulepi64_epi128(x, h, 0x11));
}

/* s += x g + y h. */
PLAIT_INLINE void ghash512_add2(ghash512_sum *s, __m512i x, __m512i g, __m512i y, __m512i h)
{
    s->lo = xor3(s->lo, _mm512_clmulepi64_epi128(x, g, 0x00), _mm512_clmulepi64_epi128(y, h, 0x00));
    s->mi = xor3(s->mi, _mm512_clmulepi64_epi128(x, g, 0x01), _mm512_clmulepi64_epi128(x, g, 0x10));
    s->mi = xor3(s->mi, _mm512_clmulepi64_epi128(y, h, 0x01), _mm512_clmulepi64_epi128(y, h, 0x10));
    s->hi = xor3(s->hi, _mm512_clmulepi64_epi128(x, g, 0x11), _mm512_clmulepi64_epi128(y, h, 0x11));
}

/* hi ^ fold(mi ^ fold(lo)); six instructions. */
PLAIT_INLINE __m512i ghash512_reduce(const ghash512_sum *s)
{
    /* The upper half of each lane is not used; made different, it comes from memory, where GCC would
     * otherwise broadcast a general register, on the port of the products. */
    const __m512i poly = _mm512_set4_epi32(0, 1, (int)0xc2000000, 0);
    const __m512i mi = xor3(s->mi, _mm512_shuffle_epi32(s->lo, (_MM_PERM_ENUM)0x4e),
                            _mm512_clmulepi64_epi128(s->lo, poly, 0x00));
    return xor3(s->hi, _mm512_shuffle_epi32(mi, (_MM_PERM_ENUM)0x4e),
                _mm512_clmulepi64_epi128(mi, poly, 0x00));
}

PLAIT_INLINE __m512i ghash512_mul(__m512i x, __m512i h)
{
    ghash512_sum s;
    s.lo = _mm512_clmulepi64_epi128(x, h, 0x00);
    s.mi = xor512(_mm512_clmulepi64_epi128(x, h, 0x01), _mm512_clmulepi64_epi128(x, h, 0x10));
    s.hi = _mm512_clmulepi64_epi128(x, h, 0x11);
    return ghash512_reduce(&s);
}

/* ---- powers ---- */

/* Makes the powers of H (h, in wire order) that up to n blocks need, all if n > GHASH512_POWERS. */
PLAIT_INLINE void ghash512_powers(uint8_t *powers, __m128i h, size_t n)
{
    const __m128i p1 = ghash_prepare_h(h), p2 = ghash_square(p1), p3 = ghash_mul(p2, p1),
                  p4 = ghash_square(p2);
    __m512i v = lane0(p4);
    v = _mm512_inserti32x4(v, p3, 1);
    v = _mm512_inserti32x4(v, p2, 2);
    v = _mm512_inserti32x4(v, p1, 3); /* H^4 H^3 H^2 H^1 */
    /* H^0: x^-1 in this representation */
    store512(powers + 16 * GHASH512_POWERS,
             lane0(_mm_set_epi64x((long long)0xc200000000000000, 1)));
    store512(powers + 16 * (GHASH512_POWERS - 4), v);
    if (n <= 4) return;
    /* The chain is H, H^2, H^4, H^8, H^16, H^32: each step doubles what there is. */
    const __m512i w = ghash512_mul(v, _mm512_shuffle_i32x4(v, v, 0)); /* H^8 ... H^5 */
    store512(powers + 16 * (GHASH512_POWERS - 8), w);
    if (n <= 8) return;
    const __m512i by8 = _mm512_shuffle_i32x4(w, w, 0);
    const __m512i x = ghash512_mul(v, by8), y = ghash512_mul(w, by8);
    store512(powers + 16 * (GHASH512_POWERS - 12), x);
    store512(powers + 16 * (GHASH512_POWERS - 16), y);
    if (n <= 16) return;
    const __m512i by16 = _mm512_shuffle_i32x4(y, y, 0), z = ghash512_mul(y, by16);
    store512(powers + 16 * (GHASH512_POWERS - 20), ghash512_mul(v, by16));
    store512(powers + 16 * (GHASH512_POWERS - 24), ghash512_mul(w, by16));
    store512(powers + 16 * (GHASH512_POWERS - 28), ghash512_mul(x, by16));
    store512(powers + 16 * (GHASH512_POWERS - 32), z);
    if (n <= 32) return;
    const __m512i by32 = _mm512_shuffle_i32x4(z, z, 0);
    store512(powers + 16 * (GHASH512_POWERS - 36), ghash512_mul(v, by32));
    store512(powers, ghash512_mul(w, by32));
}

/* ---- a run of blocks ---- */

/* The eight vectors at data and the pending vector p: returns the next pending vector. */
PLAIT_INLINE __m512i ghash512_group(const uint8_t *powers, __m512i p, const uint8_t *data)
{
#define PLAIT_V(i) reverse512(load512(data + 64 * (i)))
#define PLAIT_H(k) all_lanes(ghash512_from(powers, k))
    ghash512_sum s;
    ghash512_clear(&s);
    ghash512_add2(&s, PLAIT_V(0), PLAIT_H(28), PLAIT_V(1), PLAIT_H(24));
    ghash512_add2(&s, PLAIT_V(2), PLAIT_H(20), PLAIT_V(3), PLAIT_H(16));
    ghash512_add2(&s, PLAIT_V(4), PLAIT_H(12), PLAIT_V(5), PLAIT_H(8));
    /* The last group's result comes last. */
    ghash512_add2(&s, PLAIT_V(6), PLAIT_H(4), p, PLAIT_H(32));
    return xor512(ghash512_reduce(&s), PLAIT_V(7));
#undef PLAIT_H
#undef PLAIT_V
}

/* acc (reversed) with the blocks of data absorbed, a last partial block padded with zeros. len > 0.
 */
PLAIT_INLINE __m128i ghash512_absorb(const uint8_t *powers, __m128i acc, const uint8_t *data,
                                     size_t len)
{
    ghash512_sum s;
    __m512i x = lane0(acc);
    size_t blocks = len / 16 + (len % 16 != 0);
    ghash512_clear(&s);
    if (blocks > GHASH512_POWERS) {
        x = xor512(x, reverse512(load512(data))); /* the first pending vector */
        for (data += 64, len -= 64; len >= 512; data += 512, len -= 512)
            x = ghash512_group(powers, x, data);
        blocks = len / 16 + (len % 16 != 0);
        powers = ghash512_from(powers, blocks + 4);
        ghash512_add(&s, x, load512(powers));
        powers += 64;
        x = _mm512_setzero_si512();
    } else {
        powers = ghash512_from(powers, blocks);
    }
    for (; len >= 128; data += 128, len -= 128, powers += 128) {
        ghash512_add2(&s, xor512(x, reverse512(load512(data))), load512(powers),
                      reverse512(load512(data + 64)), load512(powers + 64));
        x = _mm512_setzero_si512();
    }
    if (len >= 64) {
        ghash512_add(&s, xor512(x, reverse512(load512(data))), load512(powers));
        x = _mm512_setzero_si512();
        data += 64, len -= 64, powers += 64;
    }
    if (len > 0) ghash512_add(&s, xor512(x, reverse512(load512_part(data, len))), load512(powers));
    return fold512(ghash512_reduce(&s));
}
