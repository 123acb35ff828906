/* SPDX-License-Identifier: Apache-2.0
 *
 * ghash_pclmul_body.h - GHASH with PCLMULQDQ on 128-bit vectors: one multiplication, powers of H, 8
 * blocks with one reduction. Included inside a target region with pclmul and ssse3 (or more) by the
 * kernels that use it.
 *
 * The field. A block, its 16 bytes reversed, is a 128-bit integer whose bit k is the coefficient of
 * x^(127-k). The carry-less product of two such integers has 255 bits; bit k of that stands for
 * x^(254-k). Stored as H' = H x  (shifted left by one bit, reduced) the one factor makes the
 * product of a block with it 256 bits wide, bit k for x^(255-k), so that its upper half has the
 * powers below x^128 in place. The lower half is brought up 64 bits at a time: since x^128 = 1 + x
 * + x^2 + x^7, a value V whose bit 0 stands for x^(127 + d) equals fold(V) = V.low *
 * 0xc200000000000000  ^  (V with its halves exchanged), bit 0 of which stands for x^(127 + d - 64).
 * (0xc2 << 56: bits 63, 62, 57 for x, x^2, x^7; the exchange brings the 1.) With lo, mi, hi at bits
 * 0, 64, 128 of the product, the result is hi ^ fold(mi ^ fold(lo)): two multiplications and two
 * exchanges, whatever the number of products that were summed up before.
 *
 * Karatsuba: mi = (a.lo ^ a.hi)(b.lo ^ b.hi) ^ lo ^ hi: three products a block instead of four, the
 * sums b.lo ^ b.hi of the powers stored, those of the blocks made for two blocks at once. It wins
 * on every core with one PCLMULQDQ a cycle or less; the schoolbook form needs as many instructions,
 * but more on that one port.
 *
 * Where there is one factor H only, the first of the two folds can be done beforehand: with
 *     HX = fold(H')  (= H' x^64),
 * a.lo H' at bit 0 is a.lo HX at bit 64, hence  a H = hi ^ fold(mi)  with
 *     mi = a.lo HX.lo ^ a.hi H'.lo,   hi = a.lo HX.hi ^ a.hi H'.hi.
 *
 * The area, from GHASH_POWERS on: H'^8, ..., H'^1 (H'^n means H^n x), 16 bytes each; from
 * GHASH_SUMS on: their sums lo ^ hi in the same order, 8 bytes each; at GHASH_HX: HX. If fewer
 * powers were made, the front of the first two is not set.
 */
#include "x128_body.h"

enum {
    GHASH_POWERS = 0,
    GHASH_SUMS = GHASH_POWERS + 8 * 16,
    GHASH_HX = GHASH_SUMS + 8 * 8,
    GHASH_BYTES = GHASH_HX + 16
};

PLAIT_INLINE __m128i ghash_swap(__m128i x)
{
    return _mm_shuffle_epi32(x, 0x4e);
}

PLAIT_INLINE __m128i ghash_fold(__m128i x)
{
    const __m128i poly = _mm_set_epi64x(0, (long long)0xc200000000000000);
    return xor128(_mm_clmulepi64_si128(x, poly, 0x00), ghash_swap(x));
}

/* a H for one block and HX; 5 products, about 10 cycles from a to the result on Intel since Ice
 * Lake. */
PLAIT_INLINE __m128i ghash_mul_h(__m128i a, __m128i h, __m128i hx)
{
    const __m128i mi = xor128(_mm_clmulepi64_si128(a, hx, 0x00), _mm_clmulepi64_si128(a, h, 0x01));
    const __m128i hi = xor128(_mm_clmulepi64_si128(a, hx, 0x10), _mm_clmulepi64_si128(a, h, 0x11));
    return xor128(hi, ghash_fold(mi));
}

/* The product of two powers. */
PLAIT_INLINE __m128i ghash_mul(__m128i a, __m128i b)
{
    const __m128i lo = _mm_clmulepi64_si128(a, b, 0x00), hi = _mm_clmulepi64_si128(a, b, 0x11);
    const __m128i mi = xor128(_mm_clmulepi64_si128(a, b, 0x01), _mm_clmulepi64_si128(a, b, 0x10));
    return xor128(hi, ghash_fold(xor128(mi, ghash_fold(lo))));
}

/* The square of a power: its middle products are equal and cancel. */
PLAIT_INLINE __m128i ghash_square(__m128i a)
{
    const __m128i lo = _mm_clmulepi64_si128(a, a, 0x00), hi = _mm_clmulepi64_si128(a, a, 0x11);
    return xor128(hi, ghash_fold(ghash_fold(lo)));
}

/* H' of h, which is in wire order. */
PLAIT_INLINE __m128i ghash_prepare_h(__m128i h)
{
    h = reverse(h);
    /* The bit that leaves at the top, spread over all 128, selects the reduction; bit 63 goes over
     * to bit 64. */
    const __m128i top = _mm_shuffle_epi32(_mm_srai_epi32(h, 31), 0xff);
    const __m128i carry = _mm_slli_si128(_mm_srli_epi64(h, 63), 8);
    const __m128i poly = _mm_set_epi64x((long long)0xc200000000000000, 1);
    h = _mm_or_si128(_mm_slli_epi64(h, 1), carry);
    return xor128(h, _mm_and_si128(top, poly));
}

PLAIT_INLINE void ghash_store_power(uint8_t *area, int n, __m128i p)
{
    store(area + GHASH_POWERS + 16 * (8 - n), p);
    store_low(area + GHASH_SUMS + 8 * (8 - n), xor128(p, _mm_unpackhi_epi64(p, p)));
}

PLAIT_INLINE __m128i ghash_power(const uint8_t *area, int n)
{
    return load(area + GHASH_POWERS + 16 * (8 - n));
}

/* Makes and stores the powers up to at least n; returns up to which: 1, 2, 4 or 8. */
PLAIT_INLINE uint32_t ghash_powers(uint8_t *area, __m128i h_wire, size_t n)
{
    const __m128i p1 = ghash_prepare_h(h_wire), hx = ghash_fold(p1);
    __m128i p2, p3, p4;
    ghash_store_power(area, 1, p1);
    store(area + GHASH_HX, hx);
    if (n <= 1) return 1;
    p2 = ghash_square(p1);
    ghash_store_power(area, 2, p2);
    if (n <= 2) return 2;
    p4 = ghash_square(p2);
    p3 = ghash_mul_h(p2, p1, hx);
    ghash_store_power(area, 3, p3);
    ghash_store_power(area, 4, p4);
    if (n <= 4) return 4;
    ghash_store_power(area, 5, ghash_mul_h(p4, p1, hx));
    ghash_store_power(area, 6, ghash_square(p3));
    ghash_store_power(area, 7, ghash_mul(p4, p3));
    ghash_store_power(area, 8, ghash_square(p4));
    return 8;
}

/* A sum of products before its reduction. */
typedef struct ghash_sum {
    __m128i lo, mi, hi; /* mi without the lo ^ hi of Karatsuba */
} ghash_sum;

/* Ends a step of a sum: GCC would put off its xors to the end, and spill products of H until
 * then. */
PLAIT_INLINE void ghash_settle(ghash_sum *s)
{
    __asm__("" : "+x"(s->lo), "+x"(s->mi), "+x"(s->hi));
}

PLAIT_INLINE void ghash_join(ghash_sum *s, const ghash_sum *t)
{
    s->lo = xor128(s->lo, t->lo);
    s->mi = xor128(s->mi, t->mi);
    s->hi = xor128(s->hi, t->hi);
    ghash_settle(s);
}

/* The product of the (reversed) block x and H^n starts or joins a sum. */
PLAIT_INLINE void ghash_start(ghash_sum *s, const uint8_t *area, int n, __m128i x)
{
    const __m128i p = ghash_power(area, n), q = load_low(area + GHASH_SUMS + 8 * (8 - n));
    s->lo = _mm_clmulepi64_si128(x, p, 0x00);
    s->hi = _mm_clmulepi64_si128(x, p, 0x11);
    s->mi = _mm_clmulepi64_si128(xor128(x, ghash_swap(x)), q, 0x00);
}

PLAIT_INLINE void ghash_add(ghash_sum *s, const uint8_t *area, int n, __m128i x)
{
    ghash_sum t;
    ghash_start(&t, area, n, x);
    ghash_join(s, &t);
}

/* The same for two blocks: x with H^n, y with H^(n-1). */
PLAIT_INLINE void ghash_start2(ghash_sum *s, const uint8_t *area, int n, __m128i x, __m128i y)
{
    const __m128i p = ghash_power(area, n), q = ghash_power(area, n - 1);
    const __m128i t = xor128(_mm_unpacklo_epi64(x, y), _mm_unpackhi_epi64(x, y));
    const __m128i u = load(area + GHASH_SUMS + 8 * (8 - n));
    s->lo = xor128(_mm_clmulepi64_si128(x, p, 0x00), _mm_clmulepi64_si128(y, q, 0x00));
    s->hi = xor128(_mm_clmulepi64_si128(x, p, 0x11), _mm_clmulepi64_si128(y, q, 0x11));
    s->mi = xor128(_mm_clmulepi64_si128(t, u, 0x00), _mm_clmulepi64_si128(t, u, 0x11));
    ghash_settle(s);
}

PLAIT_INLINE void ghash_add2(ghash_sum *s, const uint8_t *area, int n, __m128i x, __m128i y)
{
    ghash_sum t;
    ghash_start2(&t, area, n, x, y);
    ghash_join(s, &t);
}

PLAIT_INLINE __m128i ghash_reduce(const ghash_sum *s)
{
    const __m128i mi = xor128(xor128(s->mi, s->lo), s->hi);
    return xor128(s->hi, ghash_fold(xor128(mi, ghash_fold(s->lo))));
}

/* The schoolbook form of the three: four products a block, mi complete. As many instructions as a
 * lone block by Karatsuba, and 4 cycles shorter from block to result. */
PLAIT_INLINE void ghash_start4(ghash_sum *s, const uint8_t *area, int n, __m128i x)
{
    const __m128i p = ghash_power(area, n);
    s->lo = _mm_clmulepi64_si128(x, p, 0x00);
    s->hi = _mm_clmulepi64_si128(x, p, 0x11);
    s->mi = xor128(_mm_clmulepi64_si128(x, p, 0x01), _mm_clmulepi64_si128(x, p, 0x10));
}

PLAIT_INLINE void ghash_add4(ghash_sum *s, const uint8_t *area, int n, __m128i x)
{
    ghash_sum t;
    ghash_start4(&t, area, n, x);
    ghash_join(s, &t);
}

PLAIT_INLINE __m128i ghash_reduce4(const ghash_sum *s)
{
    return xor128(s->hi, ghash_fold(xor128(s->mi, ghash_fold(s->lo))));
}

/* (acc xor data's blocks) absorbed, acc in reversed order; 8 blocks a step as long as there are
 * `powers` = 8 of H, the rest with one reduction, or with several if the powers do not reach. */
PLAIT_INLINE __m128i ghash_absorb(const uint8_t *area, uint32_t powers, __m128i acc,
                                  const uint8_t *data, size_t len)
{
    ghash_sum s;
    if (powers == 8) {
        for (; len >= 128; len -= 128, data += 128) {
            /* The first two blocks last: only they wait for the previous step's reduction. */
            ghash_start2(&s, area, 6, reverse(load(data + 32)), reverse(load(data + 48)));
            ghash_add2(&s, area, 4, reverse(load(data + 64)), reverse(load(data + 80)));
            ghash_add2(&s, area, 2, reverse(load(data + 96)), reverse(load(data + 112)));
            ghash_add2(&s, area, 8, xor128(acc, reverse(load(data))), reverse(load(data + 16)));
            acc = ghash_reduce(&s);
            /* The powers are operands in memory: GCC would rather copy all of them to the stack
             * first. */
            __asm__ volatile("" : : : "memory");
        }
    }
    while (len > 0) {
        size_t n = (len + 15) / 16;
        if (n > powers) n = powers;
        s.lo = s.mi = s.hi = _mm_setzero_si128();
        for (; n > 0; n--) {
            __m128i x;
            if (len >= 16) {
                x = load(data);
                data += 16;
                len -= 16;
            } else {
                x = load_part(data, len);
                len = 0;
            }
            ghash_add(&s, area, (int)n, xor128(acc, reverse(x)));
            acc = _mm_setzero_si128();
        }
        acc = ghash_reduce(&s);
    }
    return acc;
}
