/* SPDX-License-Identifier: Apache-2.0
 *
 * ghash_vpclmul_body.h - GHASH with VPCLMULQDQ, in the vocabulary of v512_body.h or v256_body.h,
 * which is included before, inside a target region with vpclmulqdq and pclmul.
 *
 * The field, its representation and the reduction are those of ghash_pclmul_body.h, in each of the
 * lanes by itself. Powers of H are stored downwards, with L lanes from H^10L to H^1 and H^0, so
 * that n <= 10 L blocks that follow one another find theirs in order from H^n on, whatever n is,
 * and all their products are summed before one reduction (here for L = 4):
 *
 *      blocks     b0    b1    b2    b3  |  b4  ...             b(n-1)  |  lanes without a block: 0
 *      powers    H^n  H^n-1 H^n-2 H^n-3 | H^n-4 ...              H^1   |  H^0, 0, 0
 *
 * Longer inputs go by groups of 8 vectors, and there the lanes stay apart: each sums up every Lth
 * block, by Horner's rule in H^L (the same power in all lanes, a broadcast load):
 *
 *      P = v7 + H^L (v6 + H^L (v5 + ... H^L (v0 + H^L P)))
 *
 * with all eight products summed before one reduction: what an ordinary step needs besides, the sum
 * across the lanes, is made once at the end, when P takes part as if it were a vector of blocks not
 * yet multiplied.
 *
 * Schoolbook: four products a vector, and none of Karatsuba's shuffles, which on Intel would be on
 * the same port as the products (one VPCLMULQDQ and one 512-bit byte shuffle a cycle, both on port
 * 5): 5 slots there either way, but fewer elsewhere. With three-way xors, two products join a sum
 * in one.
 */
#include "ghash_pclmul_body.h"

enum {
    GHASHV_POWERS = 10 * LANES,
    GHASHV_BYTES = 16 * (GHASHV_POWERS + LANES) /* H^0, and what a vector load reads beyond it */
};

/* Where H^n is, and the powers below it. */
PLAIT_INLINE const uint8_t *ghashv_from(const uint8_t *powers, size_t n)
{
    return powers + 16 * (GHASHV_POWERS - n);
}

/* ---- products ---- */

typedef struct ghashv_sum {
    vec lo, mi, hi; /* at bits 0, 64 and 128 of the product */
} ghashv_sum;

PLAIT_INLINE void ghashv_clear(ghashv_sum *s)
{
    s->lo = s->mi = s->hi = vzero();
}

/* Ends a step of a sum: GCC would put off its xors to the end, and keep products on the stack until
 * then. */
PLAIT_INLINE void ghashv_settle(ghashv_sum *s)
{
    __asm__("" : "+" VREG(s->lo), "+" VREG(s->mi), "+" VREG(s->hi));
}

/* s += x h, lane by lane. */
PLAIT_INLINE void ghashv_add(ghashv_sum *s, vec x, vec h)
{
    s->lo = vxor(s->lo, vclmul(x, h, 0x00));
    s->mi = vxor3(s->mi, vclmul(x, h, 0x01), vclmul(x, h, 0x10));
    s->hi = vxor(s->hi, vclmul(x, h, 0x11));
    ghashv_settle(s);
}

/* s += x g + y h. */
PLAIT_INLINE void ghashv_add2(ghashv_sum *s, vec x, vec g, vec y, vec h)
{
    s->lo = vxor3(s->lo, vclmul(x, g, 0x00), vclmul(y, h, 0x00));
    s->mi = vxor3(s->mi, vclmul(x, g, 0x01), vclmul(x, g, 0x10));
    s->mi = vxor3(s->mi, vclmul(y, h, 0x01), vclmul(y, h, 0x10));
    s->hi = vxor3(s->hi, vclmul(x, g, 0x11), vclmul(y, h, 0x11));
    ghashv_settle(s);
}

/* hi ^ fold(mi ^ fold(lo)). */
PLAIT_INLINE vec ghashv_reduce(const ghashv_sum *s)
{
    /* The upper half is not used; made different, the constant comes from memory, where GCC would
     * otherwise broadcast a general register, on the port of the products. */
    const vec poly = VCONST(1, (long long)0xc200000000000000);
    const vec mi = vxor3(s->mi, vexchange(s->lo), vclmul(s->lo, poly, 0x00));
    return vxor3(s->hi, vexchange(mi), vclmul(mi, poly, 0x00));
}

PLAIT_INLINE vec ghashv_mul(vec x, vec h)
{
    ghashv_sum s;
    s.lo = vclmul(x, h, 0x00);
    s.mi = vxor(vclmul(x, h, 0x01), vclmul(x, h, 0x10));
    s.hi = vclmul(x, h, 0x11);
    return ghashv_reduce(&s);
}

/* ---- powers ---- */

/* Makes the powers of H (h, in wire order) that up to n blocks need, all if n > GHASHV_POWERS. The
 * chain is H, H^2, H^4, H^8 and so on: each step doubles what there is. */
PLAIT_INLINE void ghashv_powers(uint8_t *powers, __m128i h, size_t n)
{
    const __m128i p1 = ghash_prepare_h(h), p2 = ghash_square(p1), p3 = ghash_mul(p2, p1),
                  p4 = ghash_square(p2);
    const vec a = vpowers(p1, p2, p3, p4);
    uint8_t *const end = powers + 16 * GHASHV_POWERS;
    vstore(end, vlane0(_mm_set_epi64x((long long)0xc200000000000000, 1))); /* H^0 */
    vstore(end - VEC, a);
    if (n <= LANES) return;
    const vec b = ghashv_mul(a, vall_lane0(a));
    vstore(end - 2 * VEC, b);
    if (n <= 2 * LANES) return;
    const vec by2 = vall_lane0(b), c = ghashv_mul(a, by2), d = ghashv_mul(b, by2);
    vstore(end - 3 * VEC, c);
    vstore(end - 4 * VEC, d);
    if (n <= 4 * LANES) return;
    const vec by4 = vall_lane0(d), e = ghashv_mul(d, by4);
    vstore(end - 5 * VEC, ghashv_mul(a, by4));
    vstore(end - 6 * VEC, ghashv_mul(b, by4));
    vstore(end - 7 * VEC, ghashv_mul(c, by4));
    vstore(end - 8 * VEC, e);
    if (n <= 8 * LANES) return;
    const vec by8 = vall_lane0(e);
    vstore(end - 9 * VEC, ghashv_mul(a, by8));
    vstore(end - 10 * VEC, ghashv_mul(b, by8));
}

/* ---- a run of blocks ---- */

/* The eight vectors at data and the pending vector p: returns the next pending vector. */
PLAIT_INLINE vec ghashv_group(const uint8_t *powers, vec p, const uint8_t *data)
{
#define PLAIT_V(i) vreverse(vload(data + VEC * (i)))
#define PLAIT_H(k) vall(ghashv_from(powers, (k)*LANES))
    ghashv_sum s;
    ghashv_clear(&s);
    ghashv_add2(&s, PLAIT_V(0), PLAIT_H(7), PLAIT_V(1), PLAIT_H(6));
    ghashv_add2(&s, PLAIT_V(2), PLAIT_H(5), PLAIT_V(3), PLAIT_H(4));
    ghashv_add2(&s, PLAIT_V(4), PLAIT_H(3), PLAIT_V(5), PLAIT_H(2));
    /* The last group's result comes last. */
    ghashv_add2(&s, PLAIT_V(6), PLAIT_H(1), p, PLAIT_H(8));
    return vxor(ghashv_reduce(&s), PLAIT_V(7));
#undef PLAIT_H
#undef PLAIT_V
}

/* acc (reversed) with the blocks of data absorbed, a last partial block padded with zeros. len > 0.
 */
PLAIT_INLINE __m128i ghashv_absorb(const uint8_t *powers, __m128i acc, const uint8_t *data,
                                   size_t len)
{
    ghashv_sum s;
    vec x = vlane0(acc);
    size_t blocks = len / 16 + (len % 16 != 0);
    ghashv_clear(&s);
    if (blocks > GHASHV_POWERS) {
        x = vxor(x, vreverse(vload(data))); /* the first pending vector */
        for (data += VEC, len -= VEC; len >= 8 * VEC; data += 8 * VEC, len -= 8 * VEC) {
            x = ghashv_group(powers, x, data);
            /* The powers are operands in memory: GCC would rather copy them to the stack first. */
            __asm__ volatile("" : : : "memory");
        }
        blocks = len / 16 + (len % 16 != 0);
        powers = ghashv_from(powers, blocks + LANES);
        ghashv_add(&s, x, vload(powers));
        powers += VEC;
        x = vzero();
    } else {
        powers = ghashv_from(powers, blocks);
    }
    for (; len >= 2 * VEC; data += 2 * VEC, len -= 2 * VEC, powers += 2 * VEC) {
        ghashv_add2(&s, vxor(x, vreverse(vload(data))), vload(powers), vreverse(vload(data + VEC)),
                    vload(powers + VEC));
        x = vzero();
    }
    if (len >= VEC) {
        ghashv_add(&s, vxor(x, vreverse(vload(data))), vload(powers));
        x = vzero();
        data += VEC, len -= VEC, powers += VEC;
    }
    if (len > 0) ghashv_add(&s, vxor(x, vreverse(vload_part(data, len))), vload(powers));
    return vfold(ghashv_reduce(&s));
}
