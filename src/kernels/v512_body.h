/* SPDX-License-Identifier: Apache-2.0
 *
 * v512_body.h - vocabulary of the AES and GHASH kernels on wide vectors, for 512 bits: four blocks
 * to a vector, block i in lane i. v256_body.h has the same names for two. To be included inside a
 * target region with AVX-512 F, BW, DQ and VL.
 */
#include "x128_body.h"

typedef __m512i vec;
enum { LANES = 4, VEC = 64 /* bytes */ };

#define VBROADCAST "vbroadcasti32x4" /* a load of 16 bytes into all lanes, for asm */
#define VREG       "v"               /* constraint of its target */

PLAIT_INLINE vec vload(const void *p)
{
    return _mm512_loadu_si512(p);
}

PLAIT_INLINE void vstore(void *p, vec x)
{
    _mm512_storeu_si512(p, x);
}

PLAIT_INLINE vec vzero(void)
{
    return _mm512_setzero_si512();
}

PLAIT_INLINE vec vxor(vec a, vec b)
{
    return _mm512_xor_si512(a, b);
}

/* a ^ b ^ c: one instruction. */
PLAIT_INLINE vec vxor3(vec a, vec b, vec c)
{
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

PLAIT_INLINE vec vadd32(vec a, vec b)
{
    return _mm512_add_epi32(a, b);
}

#define vclmul(a, b, halves) _mm512_clmulepi64_epi128(a, b, halves)

PLAIT_INLINE vec vaes(vec s, vec k)
{
    return _mm512_aesenc_epi128(s, k);
}

PLAIT_INLINE vec vaes_last(vec s, vec k)
{
    return _mm512_aesenclast_epi128(s, k);
}

/* ---- lanes ---- */

/* The 16 bytes at p in all lanes: a load, which costs no vector slot. */
PLAIT_INLINE vec vall(const void *p)
{
    return _mm512_broadcast_i32x4(load(p));
}

PLAIT_INLINE vec vall_of(__m128i x)
{
    return _mm512_broadcast_i32x4(x);
}

/* Two words in all lanes. */
PLAIT_INLINE vec vall_words(uint64_t lo, uint64_t hi)
{
    return _mm512_mask_set1_epi64(_mm512_set1_epi64((long long)lo), 0xaa, (long long)hi);
}

/* Lane 0 in all lanes. */
PLAIT_INLINE vec vall_lane0(vec x)
{
    return _mm512_shuffle_i32x4(x, x, 0);
}

/* x in lane 0, zeros above; and back. */
PLAIT_INLINE vec vlane0(__m128i x)
{
    return _mm512_zextsi128_si512(x);
}

/* The powers of one vector, the highest first. */
PLAIT_INLINE vec vpowers(__m128i p1, __m128i p2, __m128i p3, __m128i p4)
{
    const vec x = _mm512_inserti32x4(_mm512_inserti32x4(vlane0(p4), p3, 1), p2, 2);
    return _mm512_inserti32x4(x, p1, 3);
}

/* The xor of all lanes. */
PLAIT_INLINE __m128i vfold(vec x)
{
    const __m256i y = _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    return xor128(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
}

/* x with one lane taken from y; with all from one on, where bits has ones from its two bits on. */
PLAIT_INLINE vec vpick_lane(vec x, unsigned lane, vec y)
{
    return _mm512_mask_mov_epi64(x, (__mmask8)(3u << 2 * lane), y);
}

PLAIT_INLINE vec vpick_from(vec x, uint32_t bits, vec y)
{
    return _mm512_mask_mov_epi64(x, (__mmask8)bits, y);
}

/* The xor of all lanes of x and one of y, which may come last: 4 cycles before the end, where the
 * lanes of x take 8. */
PLAIT_INLINE __m128i vfold_lane(vec x, unsigned lane, vec y)
{
    const vec first = _mm512_maskz_compress_epi64((__mmask8)(3u << 2 * lane), y);
    return xor128(vfold(x), _mm512_castsi512_si128(first));
}

/* x in one lane, zeros in the others. */
PLAIT_INLINE vec vone_lane(unsigned lane, __m128i x)
{
    return _mm512_maskz_broadcast_i64x2((__mmask8)(3u << 2 * lane), x);
}

/* ---- words and bytes in their lanes ---- */

#define VREVERSE _mm512_set4_epi32(0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f)
#define VSWAP    _mm512_set4_epi32(0x0c0d0e0f, 0x0b0a0908, 0x07060504, 0x03020100)

/* All bytes in reverse order; those of the last word. */
PLAIT_INLINE vec vreverse(vec x)
{
    return _mm512_shuffle_epi8(x, VREVERSE);
}

PLAIT_INLINE vec vswap_last(vec x)
{
    return _mm512_shuffle_epi8(x, VSWAP);
}

/* The two halves exchanged. */
PLAIT_INLINE vec vexchange(vec x)
{
    return _mm512_shuffle_epi32(x, (_MM_PERM_ENUM)0x4e);
}

/* The same two words in all lanes: a constant. */
#define VCONST(hi, lo) _mm512_set_epi64(hi, lo, hi, lo, hi, lo, hi, lo)

/* In the last word of lane i (n + i by) << at; all arguments are constants. */
PLAIT_INLINE vec vcount(const int n, const int by, const int at)
{
#define PLAIT_WORD(i) (int)((uint32_t)(n + (i)*by) << at)
    return _mm512_set_epi32(PLAIT_WORD(3), 0, 0, 0, PLAIT_WORD(2), 0, 0, 0, PLAIT_WORD(1), 0, 0, 0,
                            PLAIT_WORD(0), 0, 0, 0);
#undef PLAIT_WORD
}

/* n in the last word of all lanes. */
PLAIT_INLINE vec vlast_word(uint32_t n)
{
    return _mm512_maskz_set1_epi32(0x8888, (int)n);
}

/* ---- 0 < len <= VEC bytes; nothing beside them is touched ---- */

PLAIT_INLINE __mmask64 vmask(size_t len)
{
    return ~UINT64_C(0) >> (-len & 63);
}

PLAIT_INLINE vec vload_part(const void *p, size_t len)
{
    return _mm512_maskz_loadu_epi8(vmask(len), p);
}

PLAIT_INLINE void vstore_part(void *p, vec x, size_t len)
{
    _mm512_mask_storeu_epi8(p, vmask(len), x);
}

/* x with zeros after the first len bytes. */
PLAIT_INLINE vec vkeep(vec x, size_t len)
{
    return _mm512_maskz_mov_epi8(vmask(len), x);
}

#include "vec_body.h"
