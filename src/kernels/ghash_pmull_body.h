/* SPDX-License-Identifier: Apache-2.0
 *
 * ghash_pmull_body.h - GHASH with PMULL on AArch64: powers of H, 8 blocks with one reduction.
 * Included inside a target region PLAIT_TARGET_NEON_AES or more by the kernels that use it.
 *
 * The field. GCM writes the coefficient of x^0 into the highest bit of the first byte. With the
 * bits of every byte reversed (RBIT, one instruction), the block is a little-endian integer whose
 * bit k is the coefficient of x^k, so that products of integers are products of polynomials, in
 * their place: no byte swap, no shift by one bit as with bytes alone reversed. x^128 = x^7 + x^2 +
 * x + 1 = 0x87.
 *
 * A product (Karatsuba) is lo + x^64 mi + x^128 hi, with mi = (a.lo + a.hi)(b.lo + b.hi) + lo + hi:
 * three PMULL and one sum of halves a block, where the schoolbook form takes four: it wins where
 * PMULL has one pipe (Cortex-A72, Neoverse N1 and N2), and costs no more where it has all.
 *
 * The reduction: t = hi.hi 0x87 belongs to x^64, as mi does; then u = (hi.lo + mi.hi) 0x87 to x^0:
 *
 *     result = lo + x^64 mi.lo + u
 *
 * The area, from GHASH_POWERS on: H^8, ..., H^1, 16 bytes each; from GHASH_SUMS on: their sums lo +
 * hi in the same order, 8 bytes each. If fewer powers were made, the front of both is not set.
 */
#include "n128_body.h"

enum { GHASH_POWERS = 0, GHASH_SUMS = GHASH_POWERS + 8 * 16, GHASH_BYTES = GHASH_SUMS + 8 * 8 };

PLAIT_INLINE v128 mul_lo(v128 a, v128 b)
{
    v128 c;
    __asm__("pmull %0.1q, %1.1d, %2.1d" : "=w"(c) : "w"(a), "w"(b));
    return c;
}

PLAIT_INLINE v128 mul_hi(v128 a, v128 b)
{
    v128 c;
    __asm__("pmull2 %0.1q, %1.2d, %2.2d" : "=w"(c) : "w"(a), "w"(b));
    return c;
}

/* Blocks and their polynomials, either way. */
PLAIT_INLINE v128 reflect(v128 x)
{
    return vrbitq_u8(x);
}

/* A sum of products before its reduction; mi without Karatsuba's lo + hi. */
typedef struct ghash_sum {
    v128 lo, mi, hi;
} ghash_sum;

PLAIT_INLINE v128 ghash_reduce(ghash_sum s)
{
    const v128 poly = vreinterpretq_u8_u64(vdupq_n_u64(0x87));
    const v128 mi = xor128(xor128(s.mi, xor128(s.lo, s.hi)), mul_hi(s.hi, poly));
    const v128 u = mul_lo(xor128(s.hi, swap_halves(mi)), poly);
    return xor128(xor128(s.lo, vextq_u8(zero128(), mi, 8)), u);
}

PLAIT_INLINE v128 half_sums(v128 a)
{
    return xor128(a, swap_halves(a));
}

PLAIT_INLINE ghash_sum ghash_times(v128 a, v128 b, v128 b_sum)
{
    const ghash_sum s = {mul_lo(a, b), mul_lo(half_sums(a), b_sum), mul_hi(a, b)};
    return s;
}

/* s += a H^n */
PLAIT_INLINE void ghash_add(ghash_sum *s, const uint8_t *area, size_t n, v128 a)
{
    const ghash_sum p = ghash_times(a, load(area + GHASH_POWERS + 16 * (8 - n)),
                                    load_low(area + GHASH_SUMS + 8 * (8 - n)));
    s->lo = xor128(s->lo, p.lo);
    s->mi = xor128(s->mi, p.mi);
    s->hi = xor128(s->hi, p.hi);
}

/* The same for two blocks: a with H^n, b with H^(n-1). The sums of halves are made for both at
 * once. */
PLAIT_INLINE void ghash_add2(ghash_sum *s, const uint8_t *area, size_t n, v128 a, v128 b)
{
    const v128 p = load(area + GHASH_POWERS + 16 * (8 - n));
    const v128 q = load(area + GHASH_POWERS + 16 * (9 - n));
    const v128 sums = load(area + GHASH_SUMS + 8 * (8 - n)),
               m = xor128(low_halves(a, b), high_halves(a, b));
    s->lo = xor128(s->lo, xor128(mul_lo(a, p), mul_lo(b, q)));
    s->mi = xor128(s->mi, xor128(mul_lo(m, sums), mul_hi(m, sums)));
    s->hi = xor128(s->hi, xor128(mul_hi(a, p), mul_hi(b, q)));
}

PLAIT_INLINE void ghash_store_power(uint8_t *area, size_t n, v128 p)
{
    store(area + GHASH_POWERS + 16 * (8 - n), p);
    store_low(area + GHASH_SUMS + 8 * (8 - n), half_sums(p));
}

PLAIT_INLINE v128 ghash_mul(v128 a, v128 b)
{
    return ghash_reduce(ghash_times(a, b, half_sums(b)));
}

/* Makes and stores the powers up to at least n; returns up to which: 1, 2, 4 or 8. */
PLAIT_INLINE uint32_t ghash_powers(uint8_t *area, v128 h_wire, size_t n)
{
    const v128 p1 = reflect(h_wire);
    v128 p2, p3, p4;
    ghash_store_power(area, 1, p1);
    if (n <= 1) return 1;
    p2 = ghash_mul(p1, p1);
    ghash_store_power(area, 2, p2);
    if (n <= 2) return 2;
    p3 = ghash_mul(p2, p1);
    p4 = ghash_mul(p2, p2);
    ghash_store_power(area, 3, p3);
    ghash_store_power(area, 4, p4);
    if (n <= 4) return 4;
    ghash_store_power(area, 5, ghash_mul(p4, p1));
    ghash_store_power(area, 6, ghash_mul(p4, p2));
    ghash_store_power(area, 7, ghash_mul(p4, p3));
    ghash_store_power(area, 8, ghash_mul(p4, p4));
    return 8;
}

/* acc (a polynomial) absorbs data, its last block padded with zeros: 8 blocks a step as long as
 * there are `powers` = 8 of H, the rest with one reduction, or with several if the powers do not
 * reach. */
PLAIT_INLINE v128 ghash_absorb(const uint8_t *area, size_t powers, v128 acc, const uint8_t *data,
                               size_t len)
{
    const ghash_sum none = {zero128(), zero128(), zero128()};
    ghash_sum s;
    if (powers == 8) {
        for (; len >= 128; len -= 128, data += 128) {
            s = none;
            /* The first two blocks last: they alone wait for the step before. */
            ghash_add2(&s, area, 6, reflect(load(data + 32)), reflect(load(data + 48)));
            ghash_add2(&s, area, 4, reflect(load(data + 64)), reflect(load(data + 80)));
            ghash_add2(&s, area, 2, reflect(load(data + 96)), reflect(load(data + 112)));
            ghash_add2(&s, area, 8, xor128(acc, reflect(load(data))), reflect(load(data + 16)));
            acc = ghash_reduce(s);
        }
    }
    while (len > 0) {
        size_t n = (len + 15) / 16;
        if (n > powers) n = powers;
        s = none;
        for (; n > 0; n--) {
            v128 x;
            if (len >= 16) {
                x = load(data);
                data += 16;
                len -= 16;
            } else {
                x = load_part(data, len);
                len = 0;
            }
            ghash_add(&s, area, n, xor128(acc, reflect(x)));
            acc = zero128();
        }
        acc = ghash_reduce(s);
    }
    return acc;
}
