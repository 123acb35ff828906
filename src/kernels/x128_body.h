/* SPDX-License-Identifier: Apache-2.0
 *
 * x128_body.h - vocabulary of the kernels on 128-bit x86 vectors: loads, stores, partial blocks.
 *
 * To be included inside a target region with SSSE3 or more; where the region says AVX, the same
 * functions come out in VEX encoding.
 */
#ifndef PLAIT_X128_BODY_H
#define PLAIT_X128_BODY_H

#include "part_body.h"

typedef __m128i v128;

/* The 32-bit words moved up by n places, zeros below; word i in all places. */
#define up_words(x, n)  _mm_slli_si128(x, 4 * (n))
#define all_words(x, i) _mm_shuffle_epi32(x, 0x55 * (i))

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

/* 16 bytes that were just written in two stores of 8, or in one: a single load would wait for the
 * two to leave the store buffer. */
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

/* Byte i of the result is byte index[i] of table, or 0 if that has bit 7; its other bits are below
 * 16. */
PLAIT_INLINE __m128i look_up(__m128i table, __m128i index)
{
    return _mm_shuffle_epi8(table, index);
}

PLAIT_INLINE __m128i all_bytes(uint8_t x)
{
    return _mm_set1_epi8((char)x);
}

PLAIT_INLINE __m128i equal_words(uint32_t x)
{
    return _mm_set1_epi32((int)x);
}

PLAIT_INLINE __m128i low_nibbles(__m128i x)
{
    return _mm_and_si128(x, _mm_set1_epi8(15));
}

PLAIT_INLINE __m128i high_nibbles(__m128i x)
{
    return low_nibbles(_mm_srli_epi16(x, 4));
}

/* x, without the compiler knowing where it came from. */
PLAIT_INLINE __m128i opaque128(__m128i x)
{
    __asm__("" : "+x"(x));
    return x;
}

/* Counter blocks are kept with their last word in the CPU's order (its own inverse). */
PLAIT_INLINE __m128i counter_swap(__m128i block)
{
    return _mm_shuffle_epi8(block,
                            _mm_set_epi8(12, 13, 14, 15, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}

PLAIT_INLINE __m128i counter_add(__m128i counter, int n)
{
    return _mm_add_epi32(counter, _mm_set_epi32(n, 0, 0, 0));
}

/* All 16 bytes in reverse order. */
PLAIT_INLINE __m128i reverse(__m128i x)
{
    return _mm_shuffle_epi8(x, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

/* The len bytes at p, 0 < len < 16, with zeros above. */
PLAIT_INLINE __m128i load_part(const uint8_t *p, size_t len)
{
    uint64_t lo, hi;
    load_part_words(p, len, &lo, &hi);
    return _mm_set_epi64x((long long)hi, (long long)lo);
}

/* Writes the first len bytes of x, 0 < len < 16, to p. */
PLAIT_INLINE void store_part(uint8_t *p, __m128i x, size_t len)
{
    store_part_words(p, len, (uint64_t)_mm_cvtsi128_si64(x),
                     (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(x, x)));
}

/* Zeros all but the first len <= 16 bytes of x. */
PLAIT_INLINE __m128i first_bytes(__m128i x, size_t len)
{
    static const uint8_t mask[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                     255, 255, 255, 255, 255, 255, 255, 255};
    return _mm_and_si128(x, load(mask + 16 - len));
}

#endif
