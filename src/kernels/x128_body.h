/* SPDX-License-Identifier: Apache-2.0
 *
 * x128_body.h - vocabulary of the kernels on 128-bit x86 vectors: loads, stores, partial blocks.
 *
 * To be included inside a target region with SSSE3 or more; where the region says AVX, the same
 * functions come out in VEX encoding.
 */
#ifndef PLAIT_X128_BODY_H
#define PLAIT_X128_BODY_H

PLAIT_INLINE __m128i load(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

PLAIT_INLINE void store(void *p, __m128i x)
{
    _mm_storeu_si128((__m128i *)p, x);
}

/* The 8 bytes at p in the low half, zeros above. */
PLAIT_INLINE __m128i load_low(const void *p)
{
    return _mm_loadl_epi64((const __m128i *)p);
}

PLAIT_INLINE void store_low(void *p, __m128i x)
{
    _mm_storel_epi64((__m128i *)p, x);
}

/* 16 bytes that were just written in two stores of 8, or in one: a single load would wait for the two
 * to leave the store buffer. */
PLAIT_INLINE __m128i load_halves(const uint8_t *p)
{
    __m128i lo = load_low(p);
    __asm__("" : "+x"(lo)); /* or Clang makes one load of the two */
    return _mm_unpacklo_epi64(lo, load_low(p + 8));
}

PLAIT_INLINE __m128i xor128(__m128i a, __m128i b)
{
    return _mm_xor_si128(a, b);
}

/* All 16 bytes in reverse order. */
PLAIT_INLINE __m128i reverse(__m128i x)
{
    return _mm_shuffle_epi8(x, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

/* The len bytes at p, 0 < len < 16, with zeros above. Two overlapping loads inside of the len
 * bytes, put together in general registers: a copy through the stack would be stopped by store
 * forwarding (a 16-byte load of bytes just written one by one), some 15 cycles. The branches are on
 * the length alone. */
PLAIT_INLINE __m128i load_part(const uint8_t *p, size_t len)
{
    uint64_t lo, hi = 0;
    if (len >= 8) {
        lo = plait_load64_le(p);
        hi = (plait_load64_le(p + len - 8) >> (8 * (15 - len) & 63)) >>
             8; /* by 8 (16 - len) <= 64 */
    } else if (len >= 4) {
        lo = plait_load32_le(p) | (uint64_t)plait_load32_le(p + len - 4) << 8 * (len - 4);
    } else {
        lo = p[0] | (uint64_t)p[len / 2] << 8 * (len / 2) | (uint64_t)p[len - 1] << 8 * (len - 1);
    }
    return _mm_set_epi64x((long long)hi, (long long)lo);
}

/* Writes the first len bytes of x, 0 < len < 16, to p. */
PLAIT_INLINE void store_part(uint8_t *p, __m128i x, size_t len)
{
    const uint64_t lo = (uint64_t)_mm_cvtsi128_si64(x);
    const uint64_t hi = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(x, x));
    if (len >= 8) {
        plait_store64_le(p, lo);
        plait_store64_le(p + len - 8, lo >> 8 * (len - 8) | (hi << 8) << (8 * (15 - len) & 63));
    } else if (len >= 4) {
        plait_store32_le(p, (uint32_t)lo);
        plait_store32_le(p + len - 4, (uint32_t)(lo >> 8 * (len - 4)));
    } else {
        p[0] = (uint8_t)lo;
        p[len / 2] = (uint8_t)(lo >> 8 * (len / 2));
        p[len - 1] = (uint8_t)(lo >> 8 * (len - 1));
    }
}

/* Zeros all but the first len <= 16 bytes of x. */
PLAIT_INLINE __m128i first_bytes(__m128i x, size_t len)
{
    static const uint8_t mask[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                     255, 255, 255, 255, 255, 255, 255, 255};
    return _mm_and_si128(x, load(mask + 16 - len));
}

#endif
