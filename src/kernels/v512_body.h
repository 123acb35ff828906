/* SPDX-License-Identifier: Apache-2.0
 *
 * v512_body.h - vocabulary of the AES and GHASH kernels on 512-bit vectors: four blocks to a
 * vector, block i in lane i. To be included inside a target region with AVX-512 F, BW, DQ and VL.
 */
#ifndef PLAIT_V512_BODY_H
#define PLAIT_V512_BODY_H

#include "x128_body.h"

PLAIT_INLINE __m512i load512(const void *p)
{
    return _mm512_loadu_si512(p);
}

PLAIT_INLINE void store512(void *p, __m512i x)
{
    _mm512_storeu_si512(p, x);
}

PLAIT_INLINE __m512i xor512(__m512i a, __m512i b)
{
    return _mm512_xor_si512(a, b);
}

/* a ^ b ^ c, one instruction. */
PLAIT_INLINE __m512i xor3(__m512i a, __m512i b, __m512i c)
{
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

/* The 16 bytes at p in all four lanes: a load, which costs no vector slot. */
PLAIT_INLINE __m512i all_lanes(const void *p)
{
    return _mm512_broadcast_i32x4(load(p));
}

/* x in lane 0, zeros above. */
PLAIT_INLINE __m512i lane0(__m128i x)
{
    return _mm512_zextsi128_si512(x);
}

/* The bytes of each lane in reverse order. */
#define REVERSE512 _mm512_set4_epi32(0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f)
PLAIT_INLINE __m512i reverse512(__m512i x)
{
    return _mm512_shuffle_epi8(x, REVERSE512);
}

/* Selects the first len < 64 bytes. */
PLAIT_INLINE __mmask64 first64(size_t len)
{
    return (UINT64_C(1) << len) - 1;
}

/* The len < 64 bytes at p, then zeros. Nothing beside them is read. */
PLAIT_INLINE __m512i load512_part(const void *p, size_t len)
{
    return _mm512_maskz_loadu_epi8(first64(len), p);
}

PLAIT_INLINE void store512_part(void *p, __m512i x, size_t len)
{
    _mm512_mask_storeu_epi8(p, first64(len), x);
}

/* The 16 bytes at p in all four lanes, where they were put together a moment ago from a nonce and a
 * number: one load of all would find several stores in its way, which no core forwards, and would
 * wait until these, and all that the last message stored before them, have reached the cache: some
 * 60 cycles a message. So each part is loaded by itself. */
PLAIT_INLINE __m512i all_lanes_in_parts(const uint8_t p[16])
{
    const uint64_t lo = plait_load64_le(p),
                   hi = plait_load32_le(p + 8) | (uint64_t)plait_barrier32(plait_load32_le(p + 12))
                                                     << 32;
    return _mm512_mask_set1_epi64(_mm512_set1_epi64((long long)lo), 0xaa, (long long)hi);
}

/* Overwrites n vectors, without a call: what is live stays in registers. */
PLAIT_INLINE void wipe512(uint8_t *p, size_t n)
{
    for (; n > 0; n--, p += 64) {
        store512(p, _mm512_setzero_si512());
        __asm__ volatile("" : : "r"(p) : "memory");
    }
}

/* Four vectors. */
typedef struct quad {
    __m512i v0, v1, v2, v3;
} quad;

PLAIT_INLINE quad quad_load(const uint8_t *p)
{
    const quad r = {load512(p), load512(p + 64), load512(p + 128), load512(p + 192)};
    return r;
}

PLAIT_INLINE quad quad_reverse(const quad *x)
{
    const quad r = {reverse512(x->v0), reverse512(x->v1), reverse512(x->v2), reverse512(x->v3)};
    return r;
}

/* The xor of the four lanes. */
PLAIT_INLINE __m128i fold512(__m512i x)
{
    const __m256i y = _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    return xor128(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
}

#endif
