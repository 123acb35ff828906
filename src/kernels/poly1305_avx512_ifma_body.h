/* SPDX-License-Identifier: Apache-2.0
 *
 * poly1305_avx512_ifma_body.h - Poly1305 on 8 lanes with vpmadd52: the pieces, for
 * poly1305_avx512_ifma and for the fused kernels. Include it within a target region with avx512f,
 * bw, dq, vl and ifma.
 *
 * A group is 8 blocks, 128 bytes. Limbs sit at the bits 0, 48 and 96 (48, 48 and 34 bits wide), not
 * at 0, 44, 88 as elsewhere: a block's limbs then start at its bytes 0, 6 and 12, so that unaligned
 * loads do most of the work of cutting a message, and still
 *
 *     m r = m0 r0 + m1 (2^14 5 r2) + (2^14 m2) (5 r1)
 *         + 2^48 (m0 r1 + m1 r0 + m2 (2^14 5 r2))
 *         + 2^96 (m0 r2 + m1 r1 + m2 r0)               mod p
 *
 * since 2^144 = 2^14 5 and 2^192 = 2^48 2^14 5. With s1 = 5 r1 and s2 = 2^14 5 r2 that is 18
 * vpmadd52, a shift and four operations to cut the message, where limbs of 44 bits take 18 and
 * eight.
 *
 * vpmadd52luq adds the low 52 bits of a product, vpmadd52huq the bits from 52 on, that is 2^4 times
 * the next limb's unit. Both are summed apart (lo, hi) over up to 4 groups, h = (h + m_0) r^32 +
 * m_1 r^24 + m_2 r^16 + m_3 r^8, and only then carried. Only one of the four products waits for h,
 * and it comes last.
 *
 * Lanes: block b of a group is in lane 2 b for b < 4, in lane 2 b - 7 else:
 *
 *     lane     0  1  2  3  4  5  6  7
 *     block    0  4  1  5  2  6  3  7
 *     power    8  4  7  3  6  2  5  1      of r, in the last step before the lanes are summed
 *
 * Bounds. A limb of a factor must be below 2^52.
 *     block, as a factor (ifma_load)           x0 < 2^52,    x1 < 2^48,     x2 < 2^33
 *     block, to be added to (ifma_load_narrow) x0 < 2^48,    x1 < 2^48,     x2 < 2^33
 *     h, or a power, after ifma_carry          x0 < 2^48.1,  x1 < 2^48.1,   x2 < 2^34.1
 *     h of the state, or r, or r^2 (ifma_cut)  x0 < 2^48,    x1 < 2^48,     x2 < 2^35
 *     x = h + block                            x0 < 2^49.1,  x1 < 2^49.1,   x2 < 2^35.4
 *     2^14 x2                                  < 2^49.4
 *     of a power (r^1 and r^2: r2 < 2^34.4)    s1 < 2^50.4,  s2 < 2^50.7
 * A product adds less than 3 2^52 to each of lo0, lo1, lo2, and to hi0, hi1, hi2
 *     of a block                               2^48.7, 2^48.1, 2^44.1
 *     of x                                     2^48.8, 2^46.1, 2^45.1
 * Four products, one of them of x:
 *     lo < 2^55.6,   hi0 < 2^50.7,   hi1 < 2^49.8,   hi2 < 2^46.4 < 2^52
 * ifma_fold: d0 < 2^55.8,   d1 < 2^56.3,   d2 < 2^56.0;   the sum of 8 lanes < 2^59.4 < 2^64
 * ifma_carry: d0 / 2^48 < 2^8, d1 / 2^48 < 2^8.3, 5 (d2 / 2^34) < 2^24.4, which gives the third
 * line again.
 */

/* 8 numbers, one in each lane. */
typedef struct ifma_limbs {
    __m512i x0, x1, x2;
} ifma_limbs;

/* Sums of products, not yet carried. */
typedef struct ifma_sums {
    __m512i lo0, lo1, lo2, hi0, hi1, hi2;
} ifma_sums;

/* A power of r in each lane, as a factor. */
typedef struct ifma_power {
    __m512i r0, r1, r2, s1, s2;
} ifma_power;

/* Powers for runs of up to IFMA_GROUPS groups: all[i] = r^(8 (i + 1)) in all lanes, and each[i] =
 * r^(8 i) times the lane's power of the picture above. Secret. */
#define IFMA_GROUPS 4
typedef struct ifma_table {
    struct {
        ifma_power each, all;
    } of[IFMA_GROUPS];
} ifma_table;

#define IFMA_M48 ((INT64_C(1) << 48) - 1)
#define IFMA_M34 ((INT64_C(1) << 34) - 1)
#define IFMA_PAD (INT64_C(1) << 32) /* 2^128 in limb 2 */

/* Which 16-bit words of a 512-bit load belong to the even lanes' limbs 0 and 1 (three words) and 2
 * (two), and to the odd lanes'. */
#define IFMA_ODD   0xaa /* as 64-bit words */
#define IFMA_EVEN3 0x07070707u
#define IFMA_EVEN2 0x03030303u
#define IFMA_ODD3  0x70707070u
#define IFMA_ODD2  0x30303030u

PLAIT_INLINE __m512i ifma_set1(int64_t x)
{
    return _mm512_set1_epi64(x);
}
PLAIT_INLINE __m512i ifma_lo(__m512i sum, __m512i a, __m512i b)
{
    return _mm512_madd52lo_epu64(sum, a, b);
}
PLAIT_INLINE __m512i ifma_hi(__m512i sum, __m512i a, __m512i b)
{
    return _mm512_madd52hi_epu64(sum, a, b);
}

/* Limb 2 of a group, with 2^128: dword 3 of each block, and where the permutation writes nothing,
 * the index itself, which has a 1 there. An asm, for Clang 14 makes two instructions of the
 * intrinsic. */
PLAIT_INLINE __m512i ifma_load2(__m512i low, const uint8_t *msg)
{
    __m512i x = _mm512_setr_epi32(3, 1, 19, 1, 7, 1, 23, 1, 11, 1, 27, 1, 15, 1, 31, 1);
    __asm__("vpermi2d %2, %1, %0%{%3%}"
            : "+&v"(x)
            : "v"(low), "m"(*(const uint8_t(*)[64])(msg + 64)), "Yk"((__mmask16)0x5555));
    return x;
}

/* The group at msg, with the 2^128 of each block, as a factor: x0 < 2^52, x1 < 2^48, x2 < 2^34. 128
 * bytes are read. Masked loads cost a slot of the vector ports, whole ones none: four slots in all.
 * Limb 0 takes 52 bits, since vpmadd52 cuts its factors there anyhow; limb 1, at bit 48, has zeros
 * for the four that they share. */
PLAIT_INLINE ifma_limbs ifma_load(const uint8_t *msg)
{
    const __m512i low = _mm512_loadu_si512(msg);
    ifma_limbs m;
    m.x0 = _mm512_mask_loadu_epi64(low, IFMA_ODD, msg + 64 - 8);
    m.x1 = _mm512_mask_loadu_epi64(_mm512_loadu_si512(msg + 6), IFMA_ODD, msg + 64 - 8 + 6);
    m.x1 = _mm512_and_si512(m.x1, ifma_set1(IFMA_M48 - 15));
    m.x2 = ifma_load2(low, msg);
    return m;
}

/* The same with x0 < 2^48, so that there is room to add h. */
PLAIT_INLINE ifma_limbs ifma_load_narrow(const uint8_t *msg)
{
    const __m512i m48 = ifma_set1(IFMA_M48);
    const __m512i low = _mm512_loadu_si512(msg);
    ifma_limbs m;
    m.x0 = _mm512_mask_loadu_epi64(low, IFMA_ODD, msg + 64 - 8);
    m.x1 = _mm512_mask_loadu_epi64(_mm512_loadu_si512(msg + 6), IFMA_ODD, msg + 64 - 8 + 6);
    m.x0 = _mm512_and_si512(m.x0, m48);
    m.x1 = _mm512_and_si512(m.x1, m48);
    m.x2 = ifma_load2(low, msg);
    return m;
}

/* The first k blocks (4 < k < 8) of a message, as the last k blocks of a group whose other blocks
 * are absent, that is zero. Expanding loads begin at msg; masked ones would at the group, and where
 * that is in a page that nobody has touched, take 1000 cycles to find that its bytes are not wanted
 * (Golden Cove). */
PLAIT_INLINE ifma_limbs ifma_load_first(const uint8_t *msg, size_t k)
{
    const __mmask8 there = (__mmask8)(0xffu << (16 - 2 * k)); /* of the words of blocks 0 to 3 */
    const uint8_t *high = msg + 16 * (k - 4) - 8;
    ifma_limbs m;
    m.x0 = _mm512_maskz_mov_epi16(IFMA_EVEN3, _mm512_maskz_expandloadu_epi64(there, msg));
    m.x1 = _mm512_maskz_mov_epi16(IFMA_EVEN3, _mm512_maskz_expandloadu_epi64(there, msg + 6));
    m.x2 = _mm512_maskz_mov_epi16(IFMA_EVEN2, _mm512_maskz_expandloadu_epi64(there, msg + 12));
    m.x0 = _mm512_mask_loadu_epi16(m.x0, IFMA_ODD3, high);
    m.x1 = _mm512_mask_loadu_epi16(m.x1, IFMA_ODD3, high + 6);
    m.x2 = _mm512_mask_loadu_epi16(m.x2, IFMA_ODD2, high + 12);
    return m;
}

/* The last group of a message that ends v bytes (0 < v < 16) into its block 7, with 2^128 for each
 * whole block and the 1 after the end for the last one. 112 + v bytes are read. */
PLAIT_INLINE ifma_limbs ifma_load_last(const uint8_t *msg, unsigned v)
{
    /* Block 7 is in lane 7: bytes 56 to 63 of the loads below. there[i]: its bytes of limb i that
     * are there */
    const unsigned n1 = v < 6 ? 0 : v - 6, n2 = v < 12 ? 0 : v - 12;
    const uint64_t there0 = (UINT64_C(1) << (56 + (v < 6 ? v : 6))) - 1;
    const uint64_t there1 = (UINT64_C(1) << (56 + (n1 < 6 ? n1 : 6))) - 1;
    const uint64_t there2 = (UINT64_C(1) << (56 + n2)) - 1;
    const uint64_t one0 = v < 6 ? there0 + 1 : 0, one1 = v < 6 || v >= 12 ? 0 : there1 + 1,
                   one2 = v < 12 ? 0 : there2 + 1;
    const uint64_t odd6 = UINT64_C(0x3f003f003f003f00), odd4 = UINT64_C(0x0f000f000f000f00);
    ifma_limbs m;
    m.x0 = _mm512_maskz_loadu_epi16(IFMA_EVEN3, msg);
    m.x1 = _mm512_maskz_loadu_epi16(IFMA_EVEN3, msg + 6);
    m.x2 = _mm512_maskz_loadu_epi16(IFMA_EVEN2, msg + 12);
    m.x0 = _mm512_mask_loadu_epi8(m.x0, odd6 & there0, msg + 64 - 8);
    m.x1 = _mm512_mask_loadu_epi8(m.x1, odd6 & there1, msg + 64 - 8 + 6);
    m.x2 = _mm512_mask_loadu_epi8(m.x2, odd4 & there2, msg + 64 - 8 + 12);
    m.x0 = _mm512_or_si512(m.x0, _mm512_maskz_set1_epi8(one0, 1));
    m.x1 = _mm512_or_si512(m.x1, _mm512_maskz_set1_epi8(one1, 1));
    m.x2 = _mm512_or_si512(m.x2, _mm512_maskz_set1_epi8(one2 | UINT64_C(0x0010101010101010), 1));
    return m;
}

/* 2^128 for the last k blocks of a group (0 < k <= 8): for limb 2, where it is word 2 of the 4 of a
 * lane. */
PLAIT_INLINE __m512i ifma_pad_first(size_t k)
{
    const uint64_t words = ~UINT64_C(0) << (64 - 8 * k);
    return _mm512_maskz_set1_epi16(
        ((uint32_t)words & 0x04040404u) | ((uint32_t)(words >> 32) & 0x40404040u), 1);
}

PLAIT_INLINE ifma_limbs ifma_add(ifma_limbs a, ifma_limbs b)
{
    a.x0 = _mm512_add_epi64(a.x0, b.x0);
    a.x1 = _mm512_add_epi64(a.x1, b.x1);
    a.x2 = _mm512_add_epi64(a.x2, b.x2);
    return a;
}

PLAIT_INLINE ifma_sums ifma_zero(void)
{
    const __m512i z = _mm512_setzero_si512();
    const ifma_sums a = {z, z, z, z, z, z};
    return a;
}

/* a + m times a power. The step that absorbs a group. */
PLAIT_INLINE ifma_sums ifma_mul_add(ifma_sums a, ifma_limbs m, ifma_power p)
{
    const __m512i t2 = _mm512_slli_epi64(m.x2, 14);
    a.lo0 = ifma_lo(a.lo0, m.x0, p.r0);
    a.lo1 = ifma_lo(a.lo1, m.x0, p.r1);
    a.lo2 = ifma_lo(a.lo2, m.x0, p.r2);
    a.hi0 = ifma_hi(a.hi0, m.x0, p.r0);
    a.hi1 = ifma_hi(a.hi1, m.x0, p.r1);
    a.hi2 = ifma_hi(a.hi2, m.x0, p.r2);
    a.lo0 = ifma_lo(a.lo0, m.x1, p.s2);
    a.lo1 = ifma_lo(a.lo1, m.x1, p.r0);
    a.lo2 = ifma_lo(a.lo2, m.x1, p.r1);
    a.hi0 = ifma_hi(a.hi0, m.x1, p.s2);
    a.hi1 = ifma_hi(a.hi1, m.x1, p.r0);
    a.hi2 = ifma_hi(a.hi2, m.x1, p.r1);
    a.lo0 = ifma_lo(a.lo0, t2, p.s1);
    a.lo1 = ifma_lo(a.lo1, m.x2, p.s2);
    a.lo2 = ifma_lo(a.lo2, m.x2, p.r0);
    a.hi0 = ifma_hi(a.hi0, t2, p.s1);
    a.hi1 = ifma_hi(a.hi1, m.x2, p.s2);
    a.hi2 = ifma_hi(a.hi2, m.x2, p.r0);
    return a;
}

/* The same with a power in memory, for loops. One asm: Clang 19 would do all of one sum after the
 * other, which makes one chain of what are six. */
PLAIT_INLINE void ifma_mul_add_mem(ifma_sums *a, ifma_limbs m, const ifma_power *p)
{
    __m512i r0, r1, r2, s2, t2;
    __asm__("vmovdqa64 %[m0], %[r0]\n\t"
            "vmovdqa64 %[m1], %[r1]\n\t"
            "vmovdqa64 %[m2], %[r2]\n\t"
            "vmovdqa64 %[m4], %[s2]\n\t"
            "vpsllq $14, %[x2], %[t2]\n\t"
            "vpmadd52luq %[r0], %[x0], %[lo0]\n\t"
            "vpmadd52huq %[r0], %[x0], %[hi0]\n\t"
            "vpmadd52luq %[r1], %[x0], %[lo1]\n\t"
            "vpmadd52huq %[r1], %[x0], %[hi1]\n\t"
            "vpmadd52luq %[r2], %[x0], %[lo2]\n\t"
            "vpmadd52huq %[r2], %[x0], %[hi2]\n\t"
            "vpmadd52luq %[s2], %[x1], %[lo0]\n\t"
            "vpmadd52huq %[s2], %[x1], %[hi0]\n\t"
            "vpmadd52luq %[r0], %[x1], %[lo1]\n\t"
            "vpmadd52huq %[r0], %[x1], %[hi1]\n\t"
            "vpmadd52luq %[r1], %[x1], %[lo2]\n\t"
            "vpmadd52huq %[r1], %[x1], %[hi2]\n\t"
            "vpmadd52luq %[m3], %[t2], %[lo0]\n\t"
            "vpmadd52huq %[m3], %[t2], %[hi0]\n\t"
            "vpmadd52luq %[s2], %[x2], %[lo1]\n\t"
            "vpmadd52huq %[s2], %[x2], %[hi1]\n\t"
            "vpmadd52luq %[r0], %[x2], %[lo2]\n\t"
            "vpmadd52huq %[r0], %[x2], %[hi2]"
            : [lo0] "+&v"(a->lo0), [lo1] "+&v"(a->lo1), [lo2] "+&v"(a->lo2), [hi0] "+&v"(a->hi0),
              [hi1] "+&v"(a->hi1), [hi2] "+&v"(a->hi2), [r0] "=&v"(r0), [r1] "=&v"(r1),
              [r2] "=&v"(r2), [s2] "=&v"(s2), [t2] "=&v"(t2)
            : [x0] "v"(m.x0), [x1] "v"(m.x1), [x2] "v"(m.x2), [m0] "m"(p->r0), [m1] "m"(p->r1),
              [m2] "m"(p->r2), [m3] "m"(p->s1), [m4] "m"(p->s2));
}

/* lo and hi put together: three limbs, not carried. The hi part of limb 2 is at bit 148: 2^148 = 5
 * 2^18. */
PLAIT_INLINE ifma_limbs ifma_fold(ifma_sums a)
{
    const __m512i top = ifma_set1(INT64_C(5) << 18);
    ifma_limbs d;
    d.x0 = ifma_lo(a.lo0, a.hi2, top);
    d.x1 = _mm512_add_epi64(a.lo1, _mm512_slli_epi64(ifma_hi(a.hi0, a.hi2, top), 4));
    d.x2 = _mm512_add_epi64(a.lo2, _mm512_slli_epi64(a.hi1, 4));
    return d;
}

/* One carry from each limb to the next, all at once. */
PLAIT_INLINE ifma_limbs ifma_carry_limbs(ifma_limbs d)
{
    const __m512i m48 = ifma_set1(IFMA_M48), m34 = ifma_set1(IFMA_M34);
    ifma_limbs h;
    h.x0 = ifma_lo(_mm512_and_si512(d.x0, m48), _mm512_srli_epi64(d.x2, 34), ifma_set1(5));
    h.x1 = _mm512_add_epi64(_mm512_and_si512(d.x1, m48), _mm512_srli_epi64(d.x0, 48));
    h.x2 = _mm512_add_epi64(_mm512_and_si512(d.x2, m34), _mm512_srli_epi64(d.x1, 48));
    return h;
}

/* A factor again. */
PLAIT_INLINE ifma_limbs ifma_carry(ifma_sums a)
{
    return ifma_carry_limbs(ifma_fold(a));
}

/* Numbers in radix 2^64 (x2 <= 7) in 8 lanes, to limbs. */
PLAIT_INLINE ifma_limbs ifma_cut(__m512i x0, __m512i x1, __m512i x2)
{
    const __m512i m48 = ifma_set1(IFMA_M48);
    ifma_limbs h;
    h.x0 = _mm512_and_si512(x0, m48);
    h.x1 = _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(x0, 48), _mm512_slli_epi64(x1, 16)),
                            m48);
    h.x2 = _mm512_or_si512(_mm512_srli_epi64(x1, 32), _mm512_slli_epi64(x2, 32));
    return h;
}

/* h of the state, in the lane of the first block of k in a group, to be added to it; 0 in the other
 * lanes. */
PLAIT_INLINE ifma_limbs ifma_enter(const plait_poly1305_acc *acc, size_t k)
{
    const unsigned block = 8 - (unsigned)k;
    const __mmask8 lane = (__mmask8)(1u << (block < 4 ? 2 * block : 2 * block - 7));
    return ifma_cut(_mm512_maskz_set1_epi64(lane, (int64_t)acc->h[0]),
                    _mm512_maskz_set1_epi64(lane, (int64_t)acc->h[1]),
                    _mm512_maskz_set1_epi64(lane, (int64_t)acc->h[2]));
}

/* The sum of the 8 lanes: d0 + 2^48 d1 + 2^96 d2. */
PLAIT_INLINE uint64_t ifma_sum_lanes(__m512i x)
{
    const __m256i y = _mm256_add_epi64(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    const __m128i z = _mm_add_epi64(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(z, _mm_unpackhi_epi64(z, z)));
}

/* h of the state = the sum of all lanes. */
PLAIT_INLINE void ifma_leave(plait_poly1305_acc *acc, ifma_sums a)
{
    const ifma_limbs d = ifma_fold(a);
    const uint64_t d0 = ifma_sum_lanes(d.x0), d1 = ifma_sum_lanes(d.x1), d2 = ifma_sum_lanes(d.x2);
    plait_u128 x, y;
    uint64_t top;
    /* each < 2^59.4 */
    PLAIT_BOUND((d0 | d1 | d2) >> 61 == 0);
    x = ((plait_u128)d1 << 48) + d0;                  /* < 2^109 */
    y = ((plait_u128)d2 << 32) + (uint64_t)(x >> 64); /* < 2^93 */
    top = (uint64_t)(y >> 64);                        /* < 2^29; 2^130 = 5 */
    x = (plait_u128)(uint64_t)x + (top >> 2) * 5;
    y = (plait_u128)(uint64_t)y + (uint64_t)(x >> 64);
    acc->h[0] = (uint64_t)x;
    acc->h[1] = (uint64_t)y;
    acc->h[2] = (top & 3) + (uint64_t)(y >> 64); /* <= 4 */
    PLAIT_BOUND(acc->h[2] <= 4);
}

PLAIT_INLINE ifma_power ifma_factor(ifma_limbs r)
{
    ifma_power p;
    p.r0 = r.x0;
    p.r1 = r.x1;
    p.r2 = r.x2;
    p.s1 = _mm512_add_epi64(r.x1, _mm512_slli_epi64(r.x1, 2));
    p.s2 = ifma_lo(_mm512_setzero_si512(), r.x2, ifma_set1(INT64_C(5) << 14));
    return p;
}

/* Lane 0 of a power in all lanes. */
PLAIT_INLINE ifma_power ifma_first_lane(ifma_limbs r)
{
    r.x0 = _mm512_broadcastq_epi64(_mm512_castsi512_si128(r.x0));
    r.x1 = _mm512_broadcastq_epi64(_mm512_castsi512_si128(r.x1));
    r.x2 = _mm512_broadcastq_epi64(_mm512_castsi512_si128(r.x2));
    return ifma_factor(r);
}

/* a p in the lanes of the mask, a in the others. */
PLAIT_INLINE ifma_limbs ifma_mul_lanes(ifma_limbs a, __mmask8 lanes, ifma_power p)
{
    const ifma_limbs b = ifma_carry(ifma_mul_add(ifma_zero(), a, p));
    a.x0 = _mm512_mask_mov_epi64(a.x0, lanes, b.x0);
    a.x1 = _mm512_mask_mov_epi64(a.x1, lanes, b.x1);
    a.x2 = _mm512_mask_mov_epi64(a.x2, lanes, b.x2);
    return a;
}

/* r^8, r^4, r^7, r^3, r^6, r^2, r^5, r: a square in scalar, then r^2 r^2 and r^2 r at once, then
 * four times r^4. (Three more products in scalar and four times the moves to vectors take longer.)
 * */
PLAIT_INLINE ifma_limbs ifma_lane_powers(const plait_poly1305_acc *acc)
{
    const uint64_t r0 = acc->r[0], r1 = acc->r[1], s1 = r1 + (r1 >> 2);
    plait_u128 d0 = (plait_u128)r0 * r0 + (plait_u128)r1 * s1;
    plait_u128 d1 = (plait_u128)r0 * (2 * r1) + (uint64_t)(d0 >> 64); /* < 2^122 */
    const uint64_t h2 = (uint64_t)(d1 >> 64);                         /* < 2^58 */
    __m512i x0, x1, x2;
    ifma_limbs x, y;
    d0 = (plait_u128)(uint64_t)d0 + (h2 >> 2) + (h2 & ~UINT64_C(3));
    d1 = (plait_u128)(uint64_t)d1 + (uint64_t)(d0 >> 64);
    x0 = ifma_set1((int64_t)(uint64_t)d0);
    x1 = ifma_set1((int64_t)(uint64_t)d1);
    x2 = ifma_set1((int64_t)((h2 & 3) + (uint64_t)(d1 >> 64)));
    y = ifma_cut(x0, x1, x2);
    x0 = _mm512_mask_set1_epi64(x0, 0xcc, (int64_t)r0);
    x1 = _mm512_mask_set1_epi64(x1, 0xcc, (int64_t)r1);
    x2 = _mm512_maskz_mov_epi64(0x33, x2);
    x = ifma_cut(x0, x1, x2);                    /* 2 2 1 1 2 2 1 1 */
    x = ifma_mul_lanes(x, 0x0f, ifma_factor(y)); /* 4 4 3 3 2 2 1 1 */
    return ifma_mul_lanes(x, 0x55, ifma_first_lane(x));
}

/* The table is filled from its start on, as far as needed. */
PLAIT_INLINE void ifma_table_set(ifma_table *t, size_t i, ifma_limbs p)
{
    t->of[i].each = ifma_factor(p);
    t->of[i].all = ifma_first_lane(p);
}
PLAIT_INLINE ifma_limbs ifma_table_times(const ifma_table *t, ifma_limbs p, size_t i)
{
    return ifma_carry(ifma_mul_add(ifma_zero(), p, t->of[i].all));
}

/* Overwrites the first n entries. (memset would be a call, or 'rep stos', which starts slowly.) */
PLAIT_INLINE void ifma_table_wipe(ifma_table *t, size_t n)
{
    const __m512i z = _mm512_setzero_si512();
    for (size_t i = 0; i < n; i++)
        t->of[i].each.r0 = t->of[i].each.r1 = t->of[i].each.r2 = t->of[i].each.s1 =
            t->of[i].each.s2 = t->of[i].all.r0 = t->of[i].all.r1 = t->of[i].all.r2 =
                t->of[i].all.s1 = t->of[i].all.s2 = z;
    __asm__ volatile("" : : "r"(t) : "memory");
}

/* a = x r^(8 n) + m_0 r^(8 (n - 1)) + ... + m_(n - 2) r^8 with the n - 1 groups m at msg; with
 * which = each, times the powers of the lanes too. n is constant. x comes last: in a loop it is
 * what is ready last. */
#define IFMA_ABSORB(a, x, msg, n, t, which, skip)                                                  \
    do {                                                                                           \
        a = ifma_zero();                                                                           \
        if ((n) > 3)                                                                               \
            ifma_mul_add_mem(&(a), ifma_load((msg) + 128 * ((n)-4)), &(t)->of[(skip) + 2].which);  \
        if ((n) > 2)                                                                               \
            ifma_mul_add_mem(&(a), ifma_load((msg) + 128 * ((n)-3)), &(t)->of[(skip) + 1].which);  \
        if ((n) > 1)                                                                               \
            ifma_mul_add_mem(&(a), ifma_load((msg) + 128 * ((n)-2)), &(t)->of[(skip)].which);      \
        ifma_mul_add_mem(&(a), x, &(t)->of[(skip) + (n)-1].which);                                 \
    } while (0)
